"""What most of our extensions have in common."""

from __future__ import annotations

import asyncio
from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler

from topicspider.crawl_components import CrawlComponents

HEARD = ("spider_opened", "item_scraped", "item_dropped", "spider_closed", "engine_stopped")


class CrawlExtension:
    """Goes along with a crawl that has a topic, maybe in a task of its own; its methods that are named as HEARD hear these signals."""

    def __init__(self, crawler: Crawler, components: CrawlComponents) -> None:
        self._crawler = crawler
        self._components = components
        self._task: asyncio.Future[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler, CrawlComponents.of(crawler))
        for name in HEARD:
            if hasattr(extension, name):
                crawler.signals.connect(getattr(extension, name), getattr(signals, name))
        return extension

    async def _end_task(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
