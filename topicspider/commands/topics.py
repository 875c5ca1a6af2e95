"""``scrapy topics``: the work is in cli/topics.py."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """List the topics, show what is known of one, make or check topic files"""
