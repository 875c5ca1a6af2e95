"""``scrapy demo``: crawls a made web for a topic, focused and breadth-first, and compares the two against the truth."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """The work is in cli/demo.py."""

    default_settings = {}  # noqa: RUF012
    summary = "Watch a topic crawl over a made web, compared with breadth-first; needs no network"
    cli = "topicspider.cli.demo"
