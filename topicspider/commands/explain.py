"""``scrapy explain``: the work is in cli/explain.py."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """Explain why a page and its links score as they do"""

    default_settings = {}  # noqa: RUF012
    logs_errors = True
