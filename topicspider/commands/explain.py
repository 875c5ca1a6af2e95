"""``scrapy explain URL``: why a page, and each of its links, scores as it does."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

from scrapy.commands import BaseRunSpiderCommand
from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES

from topicspider.cli.command import one_line_errors
from topicspider.defaults import setting_name
from topicspider.errors import ConfigError
from topicspider.text.wording import speaks_chinese

if TYPE_CHECKING:
    import argparse


class Command(BaseRunSpiderCommand):
    """From the store when the page was crawled, else (or with --fetch) fetched."""

    requires_project = False

    def syntax(self) -> str:
        return "--topic NAME [--fetch] [--json] URL"

    def short_desc(self) -> str:
        return "Explain why a page and its links score as they do"

    def long_desc(self) -> str:
        return (
            "Take a page's relevance apart into named parts that add up to it, word by word, say who found it, and show why its links were kept "
            "or pruned: from the store when the page was crawled (judged anew by its stored text), else fetched politely."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--topic", default="", metavar="NAME", help="the topic (default: TOPICSPIDER_TOPIC)")
        parser.add_argument("--fetch", action="store_true", help="fetch the page even if it is in the store")
        parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """The answer alone, unless a log level was asked for."""
        super().process_options(args, opts)
        assert self.settings is not None
        if (self.settings.getpriority("LOG_LEVEL") or 0) < SETTINGS_PRIORITIES["cmdline"]:
            self.settings.set("LOG_LEVEL", "ERROR", priority="cmdline")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 1:
            raise UsageError
        with one_line_errors(self):
            self._explain(args[0], opts)

    def _explain(self, text: str, opts: argparse.Namespace) -> None:
        from topicspider.explained import fetched, stored
        from topicspider.plan import CrawlPlan
        from topicspider.url.canonical import canonicalize
        from topicspider.workbench.explaining.layout import laid_out

        assert self.settings is not None
        assert self.crawler_process is not None
        url = canonicalize(text)
        if url is None:
            raise ConfigError("URL", text, "an http:// or https:// URL")
        if opts.topic:
            self.settings.set(setting_name("topic"), opts.topic, priority="cmdline")
        self.settings.set(setting_name("seeds"), url, priority="cmdline")
        plan = CrawlPlan.read(self.settings)
        chinese = speaks_chinese(plan.options.language)
        explanation = None if opts.fetch else stored(plan, url)
        if explanation is None:
            explanation = fetched(self.crawler_process, self.settings, plan, url)
        if opts.json:
            print(json.dumps(explanation.as_json(), ensure_ascii=False))
        else:
            print(laid_out(explanation, shutil.get_terminal_size().columns, chinese=chinese))
