"""``scrapy doctor``: can a crawl work here: network, seeds, store, frontier, disk ((b) thesis 2011, connectivity check)."""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from scrapy.commands import BaseRunSpiderCommand

from topicspider.addon import user_agent
from topicspider.commandline import one_line_errors
from topicspider.commands.crawl import with_arguments
from topicspider.download.reachability import Reach, reach_all
from topicspider.errors import CrawlRunning, TopicSpiderError
from topicspider.frontier.registry import open_frontier
from topicspider.plan import CrawlPlan
from topicspider.store.open import open_store
from topicspider.text.columns import table
from topicspider.text.wording import speaks_chinese

LEAST_FREE_BYTES = 200 * 1024 * 1024
CHECK_SECONDS = 10.0
Row = tuple[str, str, str]  # mark, what, how it is


class Command(BaseRunSpiderCommand):
    """Changes nothing, and may be run beside a crawl."""

    requires_project = False
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012

    def syntax(self) -> str:
        return "[-a topic=NAME] [-a seeds=URL,URL]"

    def short_desc(self) -> str:
        return "Check seeds, network, store, frontier and disk before or during a crawl"

    def long_desc(self) -> str:
        return (
            "For each seed: name resolution, connection, robots.txt and time to the first byte; then the store, the frontier and "
            "the free disk. Exit code 0 when all is well, 1 when something is not."
        )

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        assert self.settings is not None
        with one_line_errors(self):
            settings = with_arguments(self.settings, opts.spargs)
            plan = CrawlPlan.read(settings)
            rows = [*_seed_rows(plan, user_agent(settings, plan.options)), *_store_rows(plan), *_frontier_rows(plan), *_disk_rows(plan)]
            print(table(rows, columns=shutil.get_terminal_size().columns))
            if any(mark == BAD for mark, _what, _how in rows):
                self.exitcode = 1


GOOD, BAD = "ok", "!!"


def _seed_rows(plan: CrawlPlan, agent: str) -> Iterator[Row]:
    options = plan.options
    reached = reach_all(plan.seeds, min(CHECK_SECONDS, options.connect_timeout), allow_private=options.allow_private, agent=agent)
    for one in reached:
        yield (BAD if one.failed else GOOD), one.url, _steps(one, speaks_chinese(options.language))


def _steps(one: Reach, chinese: bool) -> str:
    if one.failed:
        step = {"resolve": "域名解析", "connect": "连接", "proxy": "代理", "refused": "拒绝", "answer": "应答"}[one.failed] if chinese else one.failed
        return f"{step}: {one.why}"
    times = [("解析" if chinese else "resolve", one.resolve_seconds), ("连接" if chinese else "connect", one.connect_seconds)]
    shown = "  ".join(f"{name} {seconds * 1000:.0f} ms" for name, seconds in times)
    through = (f"  经代理 {one.proxy.split('@')[-1]}" if chinese else f"  via {one.proxy.split('@')[-1]}") if one.proxy else ""
    first = "首字节" if chinese else "first byte"
    return f"{shown}  robots.txt {one.robots_status}  {first} {one.first_byte_seconds * 1000:.0f} ms{through}"


def _store_rows(plan: CrawlPlan) -> Iterator[Row]:
    """The store as it is; a SQLite file that is not there yet is no fault, and is not made here."""
    chinese = speaks_chinese(plan.options.language)
    what = "存储" if chinese else "store"
    path = plan.folder / "pages.db"
    if not plan.options.store and not path.exists():
        yield GOOD, what, f"{path} ({'首次抓取时创建' if chinese else 'made by the first crawl'})"
        return
    try:
        store = open_store(plan.options.store, path, connect_wait=2.0)
        totals = [store.totals(topic.name) for topic in plan.topics]
        store.close()
    except TopicSpiderError as error:
        yield BAD, what, str(error)
        return
    pages, hits = sum(total.pages for total in totals), sum(total.hits for total in totals)
    yield GOOD, what, f"{pages:,} 页，{hits:,} 命中" if chinese else f"{pages:,} pages, {hits:,} hits"


def _frontier_rows(plan: CrawlPlan) -> Iterator[Row]:
    chinese = speaks_chinese(plan.options.language)
    what = "网址队列" if chinese else "frontier"
    path = plan.folder / "frontier.db"
    if not plan.options.frontier and not path.exists():
        yield GOOD, what, f"{path} ({'首次抓取时创建' if chinese else 'made by the first crawl'})"
        return
    try:
        frontier = open_frontier(plan.options.frontier, path)
    except CrawlRunning as error:
        yield GOOD, what, str(error)
        return
    except TopicSpiderError as error:
        yield BAD, what, str(error)
        return
    counts = frontier.counts()
    frontier.close()
    shown = (
        f"排队 {counts.queued:,}，已抓 {counts.pages:,} 页，放弃 {counts.dead:,}"
        if chinese
        else f"{counts.queued:,} queued, {counts.pages:,} pages fetched, {counts.dead:,} given up"
    )
    yield GOOD, what, shown


def _disk_rows(plan: CrawlPlan) -> Iterator[Row]:
    folder = next(path for path in (plan.folder.resolve(), *plan.folder.resolve().parents) if path.exists())
    free = shutil.disk_usage(folder).free
    mark = GOOD if free >= LEAST_FREE_BYTES and _is_writable(folder) else BAD
    what = "磁盘" if speaks_chinese(plan.options.language) else "disk"
    yield mark, what, f"{free / 1e9:.1f} GB, {folder}"


def _is_writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK)
