"""``scrapy export``: writes the hits of a query to a file."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """The work is in cli/export.py."""

    summary = "Write the hits of a query to a file"
    cli = "topicspider.cli.export"
