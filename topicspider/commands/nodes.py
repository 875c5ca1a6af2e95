"""``scrapy nodes``: the work is in cli/nodes.py."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """Show who crawls on a shared queue and how fast, ask nodes to end"""
