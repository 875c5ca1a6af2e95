"""``scrapy recrawl [TOPIC]``: visits the pages of a crawl again, the most valuable first."""

from __future__ import annotations

import re
import sys
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from topicspider.cli.command import (
    PlainCommand,
    add_topic_option,
    begin_log,
    on_terminal,
    one_line_errors,
    one_topic,
    whole_number,
)
from topicspider.commands.crawl import EXIT_CODES
from topicspider.errors import ConfigError
from topicspider.i18n import gettext as _
from topicspider.recrawl import USUAL_BUDGET

if TYPE_CHECKING:
    import argparse

    from topicspider.cli.recrawl_round import RecrawlComponents
    from topicspider.crawl_config import CrawlConfig
    from topicspider.recrawl.revisit_queue import RoundPlan

_UNITS = {"m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_LIVE = "topicspider.extensions.live.LiveProgress"
_OWN_LIVE = "topicspider.recrawl_spider.RecrawlProgress"
_WATCH = "topicspider.recrawl_spider.RecrawlWatch"


class Command(PlainCommand):
    """Reads what was asked for, has the round begun, crawls it, and tells what it brought."""

    requires_project = False
    _config: CrawlConfig

    def syntax(self) -> str:
        return "[--topic NAME] [--budget N] [--older-than 7d]"

    def short_desc(self) -> str:
        return _("Visit the pages of a crawl again, most valuable first")

    def long_desc(self) -> str:
        return (
            "Pages whose update cycle is over are asked for again, by ETag and Last-Modified where their servers told them: first those where the "
            "most relevance has likely gone stale, and hubs that give new hits. A cycle follows how often a page was seen to change, how relevant it "
            "is, and the budget. New links on the way get a quarter of the visits. Pages that are gone are marked, not deleted. Stop it with "
            "Ctrl-C; the same command goes on. Exit code: as of `scrapy crawl`."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        add_topic_option(parser, "TOPICSPIDER_TOPIC, else the only crawl")
        parser.add_argument("--budget", default="", metavar="N", help=f"visits at most (default {USUAL_BUDGET}, or those of the round that goes on)")  # fmt: skip
        parser.add_argument("--older-than", default="", metavar="AGE", help="pages collected longer ago than that, whatever their cycle (30m, 12h, 7d, 2w)")  # fmt: skip

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Checks the values before Scrapy begins to log, so that an error is the only output."""
        super().process_options(args, opts)
        begin_log(self.settings)
        with self.ending():
            self.set_option("topic", one_topic("recrawl", args, opts.topic))
            self._budget = whole_number("--budget", opts.budget, 9_999_999) if opts.budget else None
            self._older_than = age_of(opts.older_than)
            self._config = self._checked_config()

    def _checked_config(self) -> CrawlConfig:
        from topicspider.addon import TopicSpiderAddon
        from topicspider.cli.preflight import check_values
        from topicspider.cli.recrawl_round import config_of

        self.settings.set("FEEDS", {}, priority="cmdline")  # feeds would get the changed pages in place of all hits
        self.settings.set("SCHEDULER", "topicspider.scheduler.TopicScheduler", priority="cmdline")
        self.settings["EXTENSIONS"].update({_LIVE: None, _OWN_LIVE: 20, _WATCH: 30}, priority="cmdline")
        config = config_of(self.settings)
        settings = self.settings.copy()
        TopicSpiderAddon().update_settings(settings)
        check_values(settings, config)
        return config

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from topicspider.cli.preflight import check_reachable
        from topicspider.cli.recrawl_round import RecrawlComponents, begin, places_of

        with one_line_errors(self):
            components = RecrawlComponents(self._config, self._budget)
            with ExitStack() as unused:
                unused.callback(components.close)
                plan, words = begin(components, datetime.now(UTC), self._older_than)
                print(on_terminal(words, sys.stdout), flush=True)
                if plan is None:
                    return
                check_reachable(places_of(components), components.options, is_queued=True)
                unused.pop_all()
            try:
                self._visit(components, plan)
            finally:
                components.claim.release()

    def _visit(self, components: RecrawlComponents, plan: RoundPlan) -> None:
        from topicspider.cli.recrawl_round import end
        from topicspider.recrawl_spider import RecrawlSpider

        reason = self.crawl(self.crawler_process.create_crawler(RecrawlSpider), components, {})
        if reason == "no_seed_reachable":  # no page could be fetched, but all visits were made
            reason = "finished"
        print("\n".join(end(components, plan, str(reason), datetime.now(UTC))))
        if (trouble := components.left_undone()) and reason != "shutdown":
            raise trouble
        self.exitcode = EXIT_CODES.get(reason, 1)


def age_of(text: str) -> float | None:
    """``text`` (like 30m, 12h, 7d, 2w) in seconds, None for ""; raises ConfigError."""
    if not text:
        return None
    read = re.fullmatch("([0-9]{1,6})([mhdw])", text)
    if read is None:
        raise ConfigError("--older-than", text, "a number of minutes, hours, days or weeks: 30m, 12h, 7d, 2w")
    return int(read[1]) * _UNITS[read[2]]
