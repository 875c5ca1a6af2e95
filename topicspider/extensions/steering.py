"""Extension: keeps and shares what the crawl learns."""

from __future__ import annotations

import asyncio
import logging
from typing import Self

from scrapy import Spider, signals
from scrapy.crawler import Crawler

from topicspider.crawl_components import CrawlComponents
from topicspider.relevance.default_thresholds import page_threshold_doubt
from topicspider.steering.compiled_topics import LEARNED

logger = logging.getLogger(__name__)


class Steering:
    """A task beside the crawl, which never ends it whatever goes wrong."""

    def __init__(self, components: CrawlComponents) -> None:
        self._components = components
        self._task: asyncio.Future[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(CrawlComponents.of(crawler))
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_opened(self) -> None:
        self._doubt_thresholds()
        if self._components.options.link_policy == LEARNED:
            self._components.fits.prepare()
        self._task = asyncio.ensure_future(self._share())

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        await self._components.models.close()

    def _doubt_thresholds(self) -> None:
        """Say of thresholds in topic files that are likely those of another scorer."""
        for topic, view in zip(self._components.config.topics, self._components.subject.views, strict=True):
            doubt = page_threshold_doubt(topic, view.judge.scorer_name, view.judge.threshold)
            if doubt:
                logger.warning("%s", doubt)

    async def _share(self) -> None:
        while True:
            await asyncio.sleep(5.0)
            try:
                await self._components.models.sync()
            except Exception:
                logger.exception("what the crawl learns could not be kept")
