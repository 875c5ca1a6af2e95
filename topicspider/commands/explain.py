"""``scrapy explain URL``: why a page, and each of its links, scores as it does."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """The work is in cli/explain.py."""

    default_settings = {}  # noqa: RUF012
    logs_errors = True
    summary = "Explain why a page and its links score as they do"
    cli = "topicspider.cli.explain"
