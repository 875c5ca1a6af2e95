"""``scrapy explain URL``: why a page, and each of its links, scores as it does."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
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
from topicspider.judging import JudgedLink
from topicspider.plan import CrawlPlan
from topicspider.preflight import check_values
from topicspider.spiders.topic import TopicSpider
from topicspider.store.contract import LinkRow, PageRow
from topicspider.store.open import open_store
from topicspider.text.columns import fit, table
from topicspider.text.wording import speaks_chinese
from topicspider.url.canonical import canonicalize
from topicspider.visit import Visit

SHOWN_WORDS = 12
SHOWN_LINKS = 15
COLUMNS = 100
ASIDE = {"frontier": "memory:", "store": "memory:", "live": "off", "max_pages": "1", "fresh": "0", "attempts": "1"}


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
        return "--topic NAME [--fetch] URL"

    def short_desc(self) -> str:
        return "Explain why a page and its links score as they do"

    def long_desc(self) -> str:
        return (
            "Take a page's relevance apart into named parts, word by word, and show why its links were kept or pruned: "
            "from the store when the page was crawled, else fetched politely."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--topic", default="", metavar="NAME", help="the topic (default: TOPICSPIDER_TOPIC)")
        parser.add_argument("--fetch", action="store_true", help="fetch the page even if it is in the store")

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
        if opts.fetch or not self._explain_stored(plan, url, chinese):
            self._explain_fetched(url, chinese)

    def _explain_stored(self, plan: CrawlPlan, url: str, chinese: bool) -> bool:
        """Print what the store knows; False when it does not know the page."""
        path = plan.folder / "pages.db"
        if not plan.options.store and not path.exists():
            return False
        store = open_store(plan.options.store, path, plan.options.connect_wait)
        try:
            rows = [row for topic in plan.topics if (row := store.page(topic.name, url)) is not None]
            links = store.links_from(plan.name, url, limit=1000)
        finally:
            store.close()
        for row in rows:
            print(_stored_page(row, chinese))
        if rows:
            print(_links([_stored_link(link) for link in links], chinese))
        return bool(rows)

    def _explain_fetched(self, url: str, chinese: bool) -> None:
        assert self.crawler_process is not None
        assert self.settings is not None
        for option, value in ASIDE.items():
            self.settings.set(setting_name(option), value, priority="cmdline")
        visits: list[Visit] = []
        plan = CrawlPlan.read(self.settings)
        check_values(self.settings, plan)
        assembly = Assembly(plan)
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
            print(_no_page(visit.page.condition, visit.page.condition_why, chinese))
            return
        for view in assembly.subject.views:
            score = visit.scores[view.topic]
            print(_page(visit.url, visit.page.title, view.topic, score.value, score.threshold, score.parts, chinese))
            print(_words(view.judge.explain(visit.words), chinese))
        verdicts = visit.judge_links()
        print(_links([_judged_link(one) for one in [*verdicts.kept, *verdicts.pruned]], chinese))


def _stored_page(row: PageRow, chinese: bool) -> str:
    item = row.item
    return _page(item.url, item.title, item.topic, item.relevance, row.threshold, item.parts, chinese)


def _page(url: str, title: str, topic: str, value: float, threshold: float, parts: Any, chinese: bool) -> str:
    is_hit = value >= threshold
    if chinese:
        verdict = f"{'命中' if is_hit else '未命中'}：{value:.4f}（阈值 {threshold:.4f}）"
    else:
        verdict = f"{'a hit' if is_hit else 'a miss'}: {value:.4f} (threshold {threshold:.4f})"
    shown = "  ".join(f"{name}={number:.4g}" for name, number in parts.items())
    return "\n".join(fit(line, COLUMNS) for line in ("", url, title, f"{topic}: {verdict}", shown))


def _no_page(condition: str, why: str, chinese: bool) -> str:
    words = "不是网页，不评分" if chinese else "an answer that is no page, and is not judged"
    return fit(f"{words}: {condition} ({why})", COLUMNS)


def _words(parts: Sequence[tuple[str, float]], chinese: bool) -> str:
    if not parts:
        return "没有主题词。" if chinese else "No word of the topic."
    rows = [(f"{value:+.4f}", name) for name, value in parts[:SHOWN_WORDS]]
    rest = sum(value for _name, value in parts[SHOWN_WORDS:])
    if len(parts) > SHOWN_WORDS:
        rows.append((f"{rest:+.4f}", f"… {len(parts) - SHOWN_WORDS}"))
    return table(rows, right=(0,), columns=COLUMNS)


def _stored_link(row: LinkRow) -> tuple[float, str, str, str, str]:
    return row.score, row.pruned, row.anchor, row.target_url, _shown_parts(row.parts)


def _judged_link(one: JudgedLink) -> tuple[float, str, str, str, str]:
    return one.score.value, one.score.pruned, one.link.anchor, one.link.url, _shown_parts(one.score.parts)


def _shown_parts(parts: Any) -> str:
    return " ".join(f"{name}={value:.3g}" for name, value in parts.items())


def _links(links: Sequence[tuple[float, str, str, str, str]], chinese: bool) -> str:
    kept = sorted((link for link in links if not link[1]), key=lambda link: -link[0])
    pruned = [link for link in links if link[1]]
    heads = ("保留的链接", "剪掉的链接") if chinese else ("links kept", "links pruned")
    blocks = []
    for head, chosen in zip(heads, (kept, pruned), strict=True):
        rows = [
            (f"{value:.4f}", fit(reason or "-", 18), fit(anchor or "-", 24), parts, url)
            for value, reason, anchor, url, parts in chosen
        ]
        more = [("", f"… {len(rows) - SHOWN_LINKS}")] if len(rows) > SHOWN_LINKS else []
        blocks.append(
            f"\n{head}: {len(rows)}\n" + table([*rows[:SHOWN_LINKS], *more], right=(0,), columns=COLUMNS + 60)
        )
    return "\n".join(blocks)
