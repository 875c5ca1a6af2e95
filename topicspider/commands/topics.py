"""``scrapy topics``: list, show, check and make topics, and more; the actions are in the workbench."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from topicspider.cli.command import PlainCommand, one_line_errors
from topicspider.cli.command import terminal_columns as columns
from topicspider.defaults import Options, setting_name
from topicspider.text.wording import speaks_chinese

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from topicspider.cli.pages import LocalPage
    from topicspider.workbench.action import Action


class Command(PlainCommand):
    """Finds the action that was asked for, and gives it its desk."""

    def syntax(self) -> str:
        return " | ".join(action.syntax for action in _actions())

    def short_desc(self) -> str:
        return "List the topics, show what is known of one, make or check topic files"

    def long_desc(self) -> str:
        return " ".join(
            [
                *(action.about for action in _actions()),
                "Topic files are looked for in TOPICSPIDER_TOPICS_DIR, in $TOPICS_DIR, and among those that come with topicspider.",
            ]
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        for action in _actions():
            if action.add_options is not None:
                action.add_options(parser.add_argument_group(title=f"Options of `{action.name}`"))

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from topicspider.addon import user_agent
        from topicspider.workbench.action import Desk

        name, *rest = args or ["list"]
        action = next((action for action in _actions() if action.name == name), None)
        wanted = f"topics {name} {' '.join(rest)}".rstrip() if action is None else action.wanted(rest)
        if action is None or wanted:
            raise UsageError(f"{wanted}: say `scrapy topics {self.syntax()}`")
        assert self.settings is not None
        with one_line_errors(self):
            options = Options.read(self.settings)
            agent = str(self.settings.get("ROBOTSTXT_USER_AGENT") or user_agent(self.settings, options))
            desk = Desk(options, speaks_chinese(options.language), columns(), agent, self._fetch)
            self.exitcode = action.run(rest, opts, desk)

    def _fetch(self, urls: Sequence[str]) -> list[LocalPage]:
        """The pages at ``urls``, as a crawl would get them."""
        from scrapy.crawler import AsyncCrawlerProcess

        from topicspider.cli.pages import fetched

        assert self.settings is not None
        self.settings.set(setting_name("topic"), "", priority="cmdline")  # with one, the add-on would begin its crawl
        return fetched(AsyncCrawlerProcess(self.settings), urls)


def _actions() -> Sequence[Action]:
    from topicspider.workbench.actions import ACTIONS

    return ACTIONS
