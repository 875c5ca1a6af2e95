"""``scrapy export``: the work is in cli/export.py."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """Write the hits of a query to a file"""

    option_begin = "--"
