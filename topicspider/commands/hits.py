"""``scrapy hits``: the work is in cli/hits.py."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """Search the hits of a crawl"""

    option_begin = "--"
