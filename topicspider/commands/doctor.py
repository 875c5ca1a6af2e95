"""``scrapy doctor``: the work is in cli/doctor.py."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """Check seeds, network, store, frontier and disk before or during a crawl"""
