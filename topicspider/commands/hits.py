"""``scrapy hits``: searches what was found."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """The work is in cli/hits.py."""

    summary = "Search the hits of a crawl"
    cli = "topicspider.cli.hits"
