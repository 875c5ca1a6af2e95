"""``scrapy parse``: as built in, but with links judged, and without use of the crawl's own queue and store."""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scrapy import Request, Spider
from scrapy.commands import parse
from scrapy.settings import SETTINGS_PRIORITIES

from topicspider.cli.command import BESIDE_THE_CRAWL, PlainCommand, one_line_errors
from topicspider.setting_rules import setting_name


class Command(PlainCommand, parse.Command):
    """The spider's CrawledPage is shown as its items and the Requests that it leads to; nothing is stored."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Keeps apart from the crawl, whatever the project's settings and the environment name; only ``-s`` has priority."""
        super().process_options(args, opts)
        given = SETTINGS_PRIORITIES["cmdline"]
        # Its callbacks are closures, which our frontier cannot serialise.
        self.settings.set("SCHEDULER", "scrapy.core.scheduler.Scheduler", priority="cmdline")
        with one_line_errors(self):
            for name, value in BESIDE_THE_CRAWL.items():
                if (self.settings.getpriority(setting_name(name)) or 0) < given:
                    self.settings.set(setting_name(name), value, priority="cmdline")

    def start_parsing(self, url: str, opts: argparse.Namespace) -> None:
        """Uses a temporary folder: status and log in the crawl's folder belong to the crawl."""
        from topicspider.crawl_components import FOLDER

        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            setattr(self.spidercls, FOLDER, Path(folder))
            super().start_parsing(url, opts)

    def _get_items_and_requests(
        self, spider_output: Any, opts: argparse.Namespace, depth: int, spider: Spider, callback: Any
    ) -> tuple[list[Any], list[Request], argparse.Namespace, int, Spider, Any]:
        from topicspider.crawled_page import CrawledPage
        from topicspider.middlewares.relevance import RelevanceMiddleware

        expanded: list[Any] = []
        for output in spider_output:
            if isinstance(output, CrawledPage):
                requests = RelevanceMiddleware.from_crawler(self.pcrawler).requests_for(output)
                expanded += [*output.make_items(), *requests]
            else:
                expanded.append(output)
        return super()._get_items_and_requests(expanded, opts, depth, spider, callback)
