"""Looks whether a crawl can work here: network, seeds, store, frontier, disk ((b) thesis 2011, connectivity check)."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from topicspider.download.reachability import Reach, reach_all
from topicspider.errors import CrawlRunning, TopicSpiderError
from topicspider.frontier.registry import file_of, is_in_redis, open_frontier
from topicspider.store import location
from topicspider.store.open import open_store
from topicspider.text.terminal import fit, pad, width, wrap
from topicspider.text.wording import speaks_chinese

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from topicspider.frontier.protocol import Counts
    from topicspider.plan import CrawlPlan

LEAST_FREE_BYTES = 200 * 1024 * 1024
CHECK_SECONDS = 10.0
LONGEST_HEAD = 30  # columns
GOOD, BAD = "ok", "!!"
Row = tuple[str, str, str]
"""GOOD or BAD, what was looked at, how it is."""


def examined(plan: CrawlPlan, agent: str) -> list[Row]:
    """All that was looked at; nothing is changed, and a crawl may run beside. ``agent``: who the crawler says it is."""
    return [*_seed_rows(plan, agent), *_store_rows(plan), *_frontier_rows(plan), *_disk_rows(plan)]


def laid_out(rows: Sequence[Row], columns: int) -> Iterator[str]:
    """A table; what is too long for a line stands in full below its head."""
    head = min(LONGEST_HEAD, max(width(what) for _mark, what, _how in rows))
    for mark, what, how in rows:
        line = f"{mark}  {pad(what, head)}  {how}"
        if width(line) <= columns:
            yield line
        else:
            yield f"{mark}  {fit(what, columns - 4)}"
            yield from (f"      {part}" for part in wrap(how, columns - 6))


def _seed_rows(plan: CrawlPlan, agent: str) -> Iterator[Row]:
    options = plan.options
    reached = reach_all(
        plan.seeds, min(CHECK_SECONDS, options.connect_timeout), allow_private=options.allow_private, agent=agent
    )
    for one in reached:
        yield (BAD if one.failed else GOOD), one.url, _steps(one, speaks_chinese(options.language))


def _steps(one: Reach, chinese: bool) -> str:
    if one.failed:
        step = (
            {"resolve": "域名解析", "connect": "连接", "proxy": "代理", "refused": "拒绝", "answer": "应答"}[one.failed]
            if chinese
            else one.failed
        )
        return f"{step}: {one.why}"
    times = [
        ("解析" if chinese else "resolve", one.resolve_seconds),
        ("连接" if chinese else "connect", one.connect_seconds),
    ]
    shown = "  ".join(f"{name} {seconds * 1000:.0f} ms" for name, seconds in times)
    proxy = one.proxy.rpartition("@")[2].rpartition("//")[2]
    through = (f"  经代理 {proxy}" if chinese else f"  via {proxy}") if proxy else ""
    first = "首字节" if chinese else "first byte"
    return f"{shown}  robots.txt {one.robots_status}  {first} {one.first_byte_seconds * 1000:.0f} ms{through}"


def _store_rows(plan: CrawlPlan) -> Iterator[Row]:
    """The store as it is; a SQLite file that is not there yet is no fault, and is not made here."""
    chinese = speaks_chinese(plan.options.language)
    what = "存储" if chinese else "store"
    path = plan.folder / location.FILE
    try:
        place = location.parse(plan.options.store, path)
        if isinstance(place, location.SqlitePlace) and not (place.path and place.path.exists()):
            yield GOOD, what, _not_yet(place.path, chinese)
            return
        store = open_store(plan.options.store, path, connect_wait=0.0)
        totals = [store.totals(topic.name) for topic in plan.topics]
        store.close()
    except TopicSpiderError as error:
        yield BAD, what, str(error).removeprefix("store ")
        return
    pages, hits = sum(total.pages for total in totals), sum(total.hits for total in totals)
    yield GOOD, what, f"{pages:,} 页，{hits:,} 命中" if chinese else f"{pages:,} pages, {hits:,} hits"


def _frontier_rows(plan: CrawlPlan) -> Iterator[Row]:
    chinese = speaks_chinese(plan.options.language)
    what = "网址队列" if chinese else "frontier"
    try:
        counts = _frontier_counts(plan)
    except CrawlRunning as error:
        yield GOOD, what, str(error)
        return
    except TopicSpiderError as error:
        yield BAD, what, str(error).removeprefix("frontier ")
        return
    if isinstance(counts, Path):
        yield GOOD, what, _not_yet(counts, chinese)
        return
    if counts is None:
        nowhere = ("尚无此抓取" if chinese else "no such crawl yet") if is_in_redis(plan.options.frontier) else ""
        yield GOOD, what, nowhere or _not_yet(None, chinese)
        return
    shown = (
        f"排队 {counts.queued:,}，已抓 {counts.pages:,} 页，放弃 {counts.dead:,}"
        if chinese
        else f"{counts.queued:,} queued, {counts.pages:,} pages fetched, {counts.dead:,} given up"
    )
    yield GOOD, what, shown


def _frontier_counts(plan: CrawlPlan) -> Counts | Path | None:
    """Where the URLs are; the file that is still to be made; None when there is no file to be."""
    url, default = plan.options.frontier, plan.folder / "frontier.db"
    if is_in_redis(url):
        from topicspider.frontier.redis.opening import look_in_redis  # loads the driver

        return look_in_redis(url, default)
    path = file_of(url, default)
    if path is None or not path.exists():
        return path
    frontier = open_frontier(url, path)
    try:
        return frontier.counts()
    finally:
        frontier.close()


def _not_yet(path: Path | None, chinese: bool) -> str:
    if path is None:
        return "内存" if chinese else "in memory"
    return f"{path} ({'首次抓取时创建' if chinese else 'made by the first crawl'})"


def _disk_rows(plan: CrawlPlan) -> Iterator[Row]:
    folder = next(path for path in (plan.folder.resolve(), *plan.folder.resolve().parents) if path.exists())
    free = shutil.disk_usage(folder).free
    mark = GOOD if free >= LEAST_FREE_BYTES and _is_writable(folder) else BAD
    what = "磁盘" if speaks_chinese(plan.options.language) else "disk"
    yield mark, what, f"{free / 1e9:.1f} GB, {folder}"


def _is_writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK)
