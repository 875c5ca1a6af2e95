"""What extensions, pipelines and middlewares of a crawl have in common: they are handed its components, and signals of Scrapy call the methods of their names."""

from __future__ import annotations

import asyncio
from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler

from topicspider.crawl_components import CrawlComponents

SIGNALS = ("spider_opened", "item_scraped", "item_dropped", "spider_closed", "engine_stopped", "response_downloaded")


class ScrapyComponent:
    """It has those methods of SIGNALS that it needs, and maybe a task of its own."""

    def __init__(self, crawler: Crawler, components: CrawlComponents) -> None:
        self._crawler = crawler
        self._components = components
        self._task: asyncio.Future[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler, CrawlComponents.of(crawler))
        for name in SIGNALS:
            if handler := getattr(extension, name, None):
                crawler.signals.connect(handler, getattr(signals, name))
        return extension

    async def _end_task(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
