"""``scrapy nodes``: who crawls on a shared queue, how fast, and asks nodes to end."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """The work is in cli/nodes.py."""

    summary = "Show who crawls on a shared queue and how fast, ask nodes to end"
    cli = "topicspider.cli.nodes"
