"""An extension for any spider: a heartbeat that measures the longest time for which the event loop of a crawl was blocked."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from scrapy import signals
from scrapy.crawler import Crawler

BEAT = 0.02  # seconds
LONGEST = "loop/longest_stall"
"""The statistic of that time, in seconds."""
SETTING = ("-s", 'EXTENSIONS={"support.loop_watch.LoopWatch": 1, "scrapy.extensions.logstats.LogStats": null}')


class LoopWatch:
    """Beats while the spider is open; time in which other processes had the processor does not count as a stall."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LoopWatch:
        watch = cls(crawler)
        crawler.signals.connect(watch.begin, signals.spider_opened)
        crawler.signals.connect(watch.end, signals.spider_closed)
        return watch

    def __init__(self, crawler: Crawler) -> None:
        self._stats = crawler.stats
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        self._task = asyncio.ensure_future(self._beat())

    def end(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _beat(self) -> None:
        assert self._stats is not None
        longest, now = 0.0, _own_time()
        while True:
            await asyncio.sleep(BEAT)
            before, now = now, _own_time()
            longest = max(longest, now - before - BEAT)
            self._stats.set_value(LONGEST, round(longest, 3))


def _own_time() -> float:
    """Monotonic seconds, without those in which this thread was ready to run and another had its core."""
    return time.monotonic() - int(Path("/proc/thread-self/schedstat").read_text("ascii").split()[1]) / 1e9
