"""``scrapy explain URL``: why a page, and each of its links, scores as it does."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Iterator
from typing import Any

from scrapy.commands import BaseRunSpiderCommand
from scrapy.exceptions import UsageError
from scrapy.http import Response
from scrapy.settings import SETTINGS_PRIORITIES

from topicspider.assembly import Assembly
from topicspider.commandline import one_line_errors
from topicspider.defaults import setting_name
from topicspider.errors import ConfigError, UnavailableError
from topicspider.fetches import fetch_of
from topicspider.plan import CrawlPlan
from topicspider.preflight import check_values
from topicspider.spiders.topic import TopicSpider
from topicspider.store import location
from topicspider.store.contract import PageRow, Store
from topicspider.store.open import open_store
from topicspider.text.wording import speaks_chinese
from topicspider.url.canonical import canonicalize
from topicspider.visit import Visit
from topicspider.workbench.bench import open_bench
from topicspider.workbench.explaining.account import Explanation, Finder, of_fetched, of_link, of_stored, of_stored_link
from topicspider.workbench.explaining.layout import laid_out
from topicspider.workbench.kept_model import take_over

MOST_LINKS = 1000
PRIVATE = {"frontier": "memory:", "store": "memory:", "model": "memory:"}
ASIDE = {**PRIVATE, "live": "off", "max_pages": "1", "fresh": "0", "attempts": "1"}


class OnePage(TopicSpider):
    """Fetches the seeds as a crawl would (robots.txt, politeness, guard), and follows nothing."""

    def __init__(self, visits: list[Visit], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._visits = visits

    def parse(self, response: Response, **_kwargs: Any) -> Iterator[Any]:
        """Keep the visit for the command."""
        self._visits.append(Assembly.of(self.crawler).visit(fetch_of(response)))
        return iter(())


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
        assert self.settings is not None
        url = canonicalize(text)
        if url is None:
            raise ConfigError("URL", text, "an http:// or https:// URL")
        if opts.topic:
            self.settings.set(setting_name("topic"), opts.topic, priority="cmdline")
        self.settings.set(setting_name("seeds"), url, priority="cmdline")
        plan = CrawlPlan.read(self.settings)
        chinese = speaks_chinese(plan.options.language)
        explanation = (None if opts.fetch else self._stored(plan, url)) or self._fetched(plan, url)
        if opts.json:
            print(json.dumps(explanation.as_json(), ensure_ascii=False))
        else:
            print(laid_out(explanation, shutil.get_terminal_size().columns, chinese=chinese))

    def _stored(self, plan: CrawlPlan, url: str) -> Explanation | None:
        """What the store knows of the page; None when it does not know it."""
        path = plan.folder / location.FILE
        if not plan.options.store and not path.exists():
            return None
        store = open_store(plan.options.store, path, plan.options.connect_wait)
        try:
            rows = [row for topic in plan.topics if (row := store.page(topic.name, url)) is not None]
            links = store.links_from(plan.name, url, limit=MOST_LINKS)
            finders = [_finder(store, plan.name, row) for row in rows]
        finally:
            store.close()
        if not rows:
            return None
        benches = {topic.name: open_bench(topic.source, plan.options) for topic in plan.topics}
        model = take_over([bench.view for bench in benches.values()], plan.options, plan.folder, plan.name)
        pages = [of_stored(row, benches[row.item.topic], finder) for row, finder in zip(rows, finders, strict=True)]
        return Explanation(pages, [of_stored_link(link) for link in links], model=model)

    def _fetched(self, crawled: CrawlPlan, url: str) -> Explanation:
        """What a fetch of the page tells, as a crawl would fetch it, and judge it by what the crawl of the same topics has learned."""
        assert self.crawler_process is not None
        assert self.settings is not None
        for option, value in ASIDE.items():
            self.settings.set(setting_name(option), value, priority="cmdline")
        visits: list[Visit] = []
        plan = CrawlPlan.read(self.settings)
        check_values(self.settings, plan)
        assembly = Assembly(plan)
        model = take_over(assembly.subject.views, crawled.options, crawled.folder, crawled.name)
        crawler = self.crawler_process.create_crawler(OnePage)
        assembly.adopt(crawler)
        self.crawler_process.crawl(crawler, visits=visits)
        self.crawler_process.start()
        if not visits:
            reasons = ", ".join(assembly.tally.errors) or "no answer"
            raise UnavailableError(
                url,
                f"could not be fetched: {reasons}",
                f"`scrapy doctor -a seeds={url}` with the topic shows each step",
            )
        visit = visits[-1]
        if visit.page.condition:
            return Explanation(condition=f"{visit.page.condition} ({visit.page.condition_why})")
        pages = [
            of_fetched(visit.url, visit.page.title, view, visit.scores[view.topic], visit.words)
            for view in assembly.subject.views
        ]
        verdicts = visit.judge_links()
        return Explanation(pages, [of_link(one) for one in [*verdicts.kept, *verdicts.pruned]], model=model)


def _finder(store: Store, crawl: str, row: PageRow) -> Finder | None:
    """Who found the page of ``row``; None for a seed."""
    item = row.item
    if not item.referrer:
        return None
    links = store.links_from(crawl, item.referrer, limit=MOST_LINKS)
    link = next((link for link in links if link.target_url == item.url), None)
    return Finder(item.referrer, item.depth, of_stored_link(link) if link else None)
