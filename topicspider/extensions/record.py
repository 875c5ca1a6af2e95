"""Extension: keeps the record of the run in the store, and closes the store when all else is done."""

from __future__ import annotations

import asyncio
import logging
from typing import Self

from scrapy import Spider, signals
from scrapy.crawler import Crawler

from topicspider.assembly import Assembly

logger = logging.getLogger(__name__)


class CrawlRecord:
    """One row a run: which topic in which version, with which settings, when, how it ended, what it found."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(Assembly.of(crawler))
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    async def spider_opened(self) -> None:
        self._assembly.writer.submit(crawls=[self._assembly.crawl_row()])

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        writer = self._assembly.writer
        writer.submit(crawls=[self._assembly.crawl_row(reason)])
        lost = await asyncio.to_thread(self._assembly.close_store)
        if lost:
            logger.error("%s: %d rows could not be written to the store; their pages will be fetched again", spider.name, lost)
