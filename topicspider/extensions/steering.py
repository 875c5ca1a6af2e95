"""Extension: keeps and shares what the crawl learns, and follows edits of its topics."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Self

from scrapy import Spider, signals
from scrapy.crawler import Crawler

from topicspider.crawl_components import CrawlComponents
from topicspider.errors import TopicSpiderError
from topicspider.relevance.default_thresholds import page_threshold_doubt
from topicspider.steering.topic_reload import TopicWatch, compile_topics, judge_anew

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0  # an edit counts at the second look


class Steering:
    """Two tasks beside the crawl, neither of which ends it whatever goes wrong.

    A topic that was edited, in its file or the store, is learned and compiled in a thread; then all its views are swapped between two
    pages, and the links of the newest pages are judged anew. One that cannot be used is one line, and the old topic stays.
    """

    def __init__(self, crawler: Crawler, assembly: CrawlComponents) -> None:
        self._crawler = crawler
        self._assembly = assembly
        self._watch = TopicWatch(assembly.plan.topics, assembly.shelf)
        self._tasks: list[asyncio.Future[None]] = []

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler, CrawlComponents.of(crawler))
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_opened(self) -> None:
        self._doubt_thresholds()
        self._tasks = [asyncio.ensure_future(self._share()), asyncio.ensure_future(self._follow_edits())]

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._assembly.models.close()

    def _doubt_thresholds(self) -> None:
        """Say of thresholds in topic files that are likely those of another scorer."""
        for topic, view in zip(self._assembly.plan.topics, self._assembly.subject.views, strict=True):
            doubt = page_threshold_doubt(topic, view.judge.scorer_name, view.judge.threshold)
            if doubt:
                logger.warning("%s", doubt)

    async def _share(self) -> None:
        while True:
            await asyncio.sleep(5.0)
            try:
                await self._assembly.models.sync()
            except Exception:
                logger.exception("what the crawl learns could not be kept")

    async def _follow_edits(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self._follow_edit()
            except TopicSpiderError as error:  # what learns it cannot be loaded
                logger.warning("the topic stays as it was: %s", error)
            except Exception:
                logger.exception("the topic stays as it was")

    async def _follow_edit(self) -> None:
        assembly = self._assembly
        topics = await asyncio.to_thread(self._watch.look)
        if topics is None:
            return
        subject = await asyncio.to_thread(compile_topics, topics, assembly.options, assembly.fits, assembly.subject)
        if subject.digest == assembly.subject.digest and topics == assembly.plan.topics:
            return
        judging = assembly.change(topics, subject)
        self._doubt_thresholds()
        assembly.writer.submit(crawls=[assembly.crawl_row()])
        queue: Any = getattr(self._crawler.engine, "scheduler", None)
        count = await judge_anew(assembly.recent_pages, judging, queue) if hasattr(queue, "revise") else 0
        logger.warning("the topic has changed (%s): %d links were judged anew", subject.digest, count)
