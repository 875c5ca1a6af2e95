"""Extension: writes the crawl's status for the web page, and obeys its orders: pause, stop, new limits (steering/control.py)."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.http import Response

from topicspider.crawl_components import CrawlComponents
from topicspider.crawled_page import CrawledPage, page_of_item
from topicspider.extensions.live import LiveProgress
from topicspider.frontier.factory import is_in_redis
from topicspider.frontier.host_ranking import patience_of
from topicspider.items import HUB, PageItem, time_now
from topicspider.meta import SCORE
from topicspider.middlewares.politeness import PolitenessMiddleware, is_closing
from topicspider.scrapy_component import ScrapyComponent
from topicspider.setting_names import package_environment
from topicspider.steering.control import (
    CRAWL,
    ENDED,
    PAUSED,
    RUNNING,
    STOPPING,
    HarvestCurve,
    Orders,
    Status,
    read_orders,
    read_status,
    write_status,
)

logger = logging.getLogger(__name__)


def start_web_page(
    data: Path, out: int | None = None, settings: Sequence[str] = (), variables: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """Start the web page over the data folder, as a separate process that Ctrl-C also ends. It first prints its link, to ``out`` or stderr.

    ``settings`` (NAME=VALUE) and ``variables`` apply to the crawls that are started from the page.
    """
    command = [sys.executable, "-m", "topicspider", "serve", "--port", "0", "--data", str(data)]
    command += [word for setting in settings for word in ("-s", setting)]
    streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": out or sys.stderr, "text": True}
    return subprocess.Popen(command, **streams, env={**package_environment(), **(variables or {})})  # noqa: S603


SHOWN = 25
HIT, COPY, LIST, MISS = "hit", "copy", "list", "miss"


class CrawlControl(ScrapyComponent):
    """Once a second, in a thread, writes the status file and reads the orders file. Errors with these files do not end the crawl."""

    def __init__(self, crawler: Crawler, components: CrawlComponents) -> None:
        super().__init__(crawler, components)
        self._orders = Orders(components.run_id)
        self._decisions: deque[dict[str, Any]] = deque(maxlen=SHOWN)
        self._hits: deque[dict[str, Any]] = deque(maxlen=SHOWN)
        self._curve = HarvestCurve()
        self._earlier, self._stored = (0, 0), 0
        self._of_crawl: Status = {}
        self._page: subprocess.Popen[str] | None = None
        self._can_change = not is_in_redis(components.options.frontier)  # in Redis, the limits apply to all nodes

    async def spider_opened(self) -> None:
        self._stored = await asyncio.to_thread(self._components.pages_stored)
        before = await asyncio.to_thread(read_status, self._components.config.folder)
        if self._components.is_recrawl:
            self._of_crawl = before.get(CRAWL, before)
        else:
            before = before.get(CRAWL, before)
        if self._components.stats.earlier_pages:
            with suppress(TypeError, ValueError):
                self._curve = HarvestCurve(before.get("curve"))
            self._earlier = (self._components.stats.earlier_pages, self._curve.last[1])
        if self._components.options.serve:
            self._page = await asyncio.to_thread(start_web_page, self._components.config.folder.parent, subprocess.PIPE)
            Thread(target=self._pass_on, args=(self._page.stdout,), daemon=True).start()
        self._repeat(self._report_and_obey, 1.0, "what is wanted of the crawl could not be done", at_once=True)

    def _pass_on(self, said: Iterable[str]) -> None:
        """Print what the web page says above the live view."""
        live = self._crawler.get_extension(LiveProgress)
        for line in said:
            if live is not None:
                live.wipe()
            sys.stderr.write(line)

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        await self._end_task()
        await self._write_status({"state": ENDED, "reason": reason})
        if self._of_crawl:  # a recrawl has ended: the status of the crawl itself is shown again
            await self._write(self._of_crawl)
        if self._page is not None:
            self._page.terminate()
            await asyncio.to_thread(self._page.wait)

    def item_scraped(self, item: Any, response: Response | None) -> None:
        """Keep one topic's decision on a page, with the score of the link to it."""
        page = page_of_item(item)
        if page is None:
            return
        told = _decision(item, page, response)
        self._decisions.appendleft(told)
        if told["verdict"] == HIT:
            self._hits.appendleft(told)

    item_dropped = item_scraped  # dropped are misses, copies in a feed of originals, hubs

    async def _report_and_obey(self) -> None:
        await self._write_status({})
        self._obey_orders(await asyncio.to_thread(read_orders, self._components.config.folder, self._orders.run))

    async def _write_status(self, more: Status) -> None:
        stats, (pages, hits) = self._components.stats, self._earlier
        self._curve.add(pages + stats.pages, hits + stats.hits, stats.recent_harvest_rate)
        await self._write({**self._status(), **more})

    async def _write(self, status: Status) -> None:
        with suppress(OSError):  # full disk: the crawl itself reports that
            await asyncio.to_thread(write_status, self._components.config.folder, status)

    def _obey_orders(self, orders: Orders) -> None:
        before, self._orders = self._orders, orders
        if orders == before:
            return
        engine = self._crawler.engine
        logger.info("Asked for: %s", orders)
        if orders.is_paused != before.is_paused:
            engine.pause() if orders.is_paused else engine.unpause()
        if self._can_change and (orders.max_pages, orders.pace) != (before.max_pages, before.pace):
            self._change_limits(orders)
        if orders.is_stopped and not is_closing(self._crawler):
            engine.unpause()
            self._end_crawl("shutdown")

    def _change_limits(self, orders: Orders) -> None:
        options = self._components.options
        frontier: Any = self._components.frontier
        pages = self._components.config.limits.pages if orders.max_pages is None else orders.max_pages
        frontier.change_limits(pages, patience_of(orders.pace or options.pace, options.link_policy, pages))
        self._components.stats.max_pages = pages

    def _status(self) -> Status:
        components, stats = self._components, self._components.stats
        return {
            "run": components.run_id,
            "process": os.getpid(),
            "topics": [topic.name for topic in components.config.topics],
            "started_at": components.started_at,
            "at": time_now(),
            "state": self._state(),
            "reason": "",
            "pages": stats.earlier_pages + stats.pages,
            "hits": self._earlier[1] + stats.hits,
            "stored": self._stored + stats.pages,
            "max_pages": stats.max_pages,
            "pace": self._orders.pace or components.options.pace,
            "can_change": self._can_change,
            "is_locked": not components.options.frontier,  # the queue is the folder's own file, locked while the crawl runs
            "curve": self._curve.points,
            "found": list(self._hits),
            "decisions": list(self._decisions),
            **_counts(stats),
            **self._hosts(),
            **({CRAWL: self._of_crawl} if self._of_crawl else {}),
        }

    def _state(self) -> str:
        engine = self._crawler.engine
        if getattr(getattr(engine, "_slot", None), "closing", None) is not None:
            return STOPPING
        return PAUSED if engine.paused else RUNNING

    def _hosts(self) -> Status:
        politeness: Any = self._crawler.get_downloader_middleware(PolitenessMiddleware)
        if politeness is None:
            return {"fetching": [], "resting": {}}
        resting: Counter[str] = politeness.resting().reasons
        fetching = [{"host": host, "seconds": round(seconds, 1)} for host, seconds in politeness.downloads()[:SHOWN]]
        return {"fetching": fetching, "resting": {why or "usual": count for why, count in resting.items()}}


def _counts(stats: Any) -> Status:
    names = ("links", "kept_links", "queued", "recent_harvest_rate", "stall")
    return {
        **{name: getattr(stats, name) for name in names},
        "pages_per_second": round(stats.pages_per_second, 2),
        "seconds": round(stats.seconds, 1),
        "seconds_left": stats.seconds_left,
        "hosts": len(stats.hosts),
        "hosts_with_hits": len(stats.hosts_with_hits),
        "pruned": dict(stats.pruned.most_common()),
        "errors": dict(stats.errors.most_common()),
    }


def _decision(item: PageItem, page: CrawledPage, response: Response | None) -> dict[str, Any]:
    """One row of the list of decisions. ``chance``: its link's score; None for a seed, or if the link policy's scores are no
    probabilities."""
    score = page.scores[item.topic]
    chance = response.meta.get(SCORE) if response is not None and response.request is not None else None
    kind = LIST if item.type == HUB else COPY if item.duplicate_of else HIT
    return {
        "url": item.url[:2000],
        "title": item.title[:300],
        "topic": item.topic,
        "verdict": kind if score.on_topic else MISS,
        "score": round(score.value, 4),
        "threshold": round(score.threshold, 4),
        "chance": round(chance, 4) if isinstance(chance, float) and 0 <= chance <= 1 else None,
        "is_seed": item.depth == 0,
        "fetched_at": item.fetched_at,
    }
