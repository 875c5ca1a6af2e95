"""``scrapy read``: everything a page says, and why."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """The work is in cli/read.py."""

    default_settings = {}  # noqa: RUF012
    logs_errors = True
    summary = "Show everything a page says (title, body, dates, links, …) and why"
    cli = "topicspider.cli.read"
