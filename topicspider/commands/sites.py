"""``scrapy sites``: the work is in cli/sites.py."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """What each site of a crawl has given, and whether to keep it"""
