"""``scrapy doctor``: can a crawl work here."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """The work is in cli/doctor.py."""

    summary = "Check seeds, network, store, frontier and disk before or during a crawl"
    cli = "topicspider.cli.doctor"
