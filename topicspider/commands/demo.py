"""``scrapy demo``: the work is in cli/demo.py."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """Watch a topic crawl over a simulated web, compared with breadth-first; needs no network"""

    default_settings = {}  # noqa: RUF012
