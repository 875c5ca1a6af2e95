"""``scrapy frontier``: the work is in cli/frontier.py."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """Look at the queue of a crawl and steer it, also while it runs"""
