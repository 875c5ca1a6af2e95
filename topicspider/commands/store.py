"""``scrapy store``: keeps a store of pages in order."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """The work is in cli/store.py."""

    summary = "Check, shrink, migrate, copy or back up the store of pages"
    cli = "topicspider.cli.store"
