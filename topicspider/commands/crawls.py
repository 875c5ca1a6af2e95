"""``scrapy crawls``: the work is in cli/crawls.py."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """List the crawls in the data folder, stop one, follow what one says"""
