"""Extension: opens the crawl's log before the first page, and closes it after the last."""

from __future__ import annotations

import asyncio
import json
from typing import Self

from scrapy import Spider, signals
from scrapy.crawler import Crawler

from topicspider.crawl_components import CrawlComponents
from topicspider.rehearsal.archive.crawl_log import OWN_WORDS, SEEDS, SEGMENTER


class CrawlLogging:
    """Every crawl can be rehearsed: ``crawl.db`` beside its frontier holds what it fetched and thought (docs/offline.md)."""

    def __init__(self, assembly: CrawlComponents) -> None:
        self._assembly = assembly

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(CrawlComponents.of(crawler))
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    async def spider_opened(self) -> None:
        assembly = self._assembly
        await asyncio.to_thread(assembly.log.start, self._facts(), fresh=assembly.options.fresh)

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        await asyncio.to_thread(self._assembly.log.finish, reason)

    def _facts(self) -> dict[str, str]:
        """What is said of the crawl as a whole."""
        assembly = self._assembly
        row = assembly.crawl_row()
        return {
            "topic": row.topic,
            "topic_digest": row.topic_digest,
            "settings": row.settings,
            "version": row.version,
            "run": row.run_id,
            "seed": str(assembly.options.seed),
            "link_policy": assembly.options.link_policy,
            "page_scorer": assembly.options.page_scorer,
            SEEDS: json.dumps(assembly.plan.seeds, ensure_ascii=False),
            SEGMENTER: assembly.subject.segmenter.name,
            OWN_WORDS: json.dumps(assembly.subject.segmenter.own_words, ensure_ascii=False),
        }
