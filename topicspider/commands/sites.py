"""``scrapy sites``: what each site of a crawl has given, and whether to keep it."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """The work is in cli/sites.py."""

    summary = "What each site of a crawl has given, and whether to keep it"
    cli = "topicspider.cli.sites"
