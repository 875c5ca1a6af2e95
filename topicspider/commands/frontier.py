"""``scrapy frontier``: looks at the queue of a crawl and steers it."""

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """The work is in cli/frontier.py."""

    summary = "Look at the queue of a crawl and steer it, also while it runs"
    cli = "topicspider.cli.frontier"
