"""``scrapy read``: the work is in cli/read.py."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """Show everything a page says (title, body, dates, links, …) and why"""

    default_settings = {}  # noqa: RUF012
    logs_errors = True
