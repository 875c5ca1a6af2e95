"""``scrapy store``: the work is in cli/store.py."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """Check, shrink, migrate, copy or back up the store of pages"""
