"""``scrapy serve``: the work is in serve/command.py."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """Show crawls and what they found as a web page on this machine"""

    module_name = "topicspider.serve.command"
