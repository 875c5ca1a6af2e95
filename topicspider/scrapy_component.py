"""Base of our extensions, pipelines and middlewares: gives them the crawl's components, and connects their methods to Scrapy's signals."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler

from topicspider.crawl_components import CrawlComponents

logger = logging.getLogger(__name__)

Look = Callable[[], Awaitable[None] | None]
SIGNALS = (
    "engine_started", "spider_opened", "item_scraped", "item_dropped", "spider_closed", "engine_stopped", "response_downloaded",
)  # fmt: skip


class ScrapyComponent:
    """A subclass defines those methods of SIGNALS that it needs; each is connected to the signal with its name."""

    def __init__(self, crawler: Crawler, components: CrawlComponents) -> None:
        self._crawler = crawler
        self._components = components
        self._task: asyncio.Future[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        component = cls(crawler, CrawlComponents.of(crawler))
        for name in SIGNALS:
            if handler := getattr(component, name, None):
                crawler.signals.connect(handler, getattr(signals, name))
        return component

    def _count(self, name: str, count: int = 1) -> None:
        self._crawler.stats.inc_value(f"topicspider/{name}", count)

    def _end_crawl(self, reason: str) -> None:
        self._ending = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason=reason))

    def _repeat(self, look: Look, seconds: float, trouble: str, *, at_once: bool = False) -> None:
        """Call ``look`` every ``seconds`` until ``_stop``. Its exceptions are logged as ``trouble``, once until it succeeds."""
        self._task = asyncio.ensure_future(_repeated(look, seconds, trouble, at_once))

    def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _end_task(self) -> None:
        """Stop, and wait for the end of a running call."""
        self._stop()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)


async def _repeated(look: Look, seconds: float, trouble: str, at_once: bool) -> None:
    if not at_once:
        await asyncio.sleep(seconds)
    is_said = False
    while True:
        try:
            if (under_way := look()) is not None:
                await under_way
            is_said = False
        except Exception:
            if not is_said:
                logger.exception("%s", trouble)
            is_said = True
        await asyncio.sleep(seconds)
