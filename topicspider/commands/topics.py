"""``scrapy topics``: lists, shows, checks and makes topics, and more."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """The work is in cli/topics.py."""

    summary = "List the topics, show what is known of one, make or check topic files"
    cli = "topicspider.cli.topics"
