"""``scrapy serve``: the work is in serve/command.py."""

from importlib import import_module
from typing import Any

from topicspider.cli.command import CliCommand


class Command(CliCommand):
    """Show crawls and what they found as a web page on this machine"""

    @property
    def module(self) -> Any:
        return import_module("topicspider.serve.command")
