"""``scrapy classify``: the work is in cli/classify.py."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """Name the classes of the catalogue that texts and pages belong to, with chances and why"""

    default_settings = {}  # noqa: RUF012
    logs_errors = True
