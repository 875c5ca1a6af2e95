"""Extension: writes the crawl's log and the record of the run, from before the first page until everything else is done."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import time

from scrapy import Spider
from scrapy.crawler import Crawler

from topicspider.crawl_components import CrawlComponents
from topicspider.errors import StoreUnavailable
from topicspider.frontier.heartbeat import DRAINED
from topicspider.middlewares.politeness import is_closing
from topicspider.rehearsal.archive.crawl_log import SEEDS
from topicspider.scrapy_component import ScrapyComponent

logger = logging.getLogger(__name__)

CLOSING_PATIENCE = 5.0  # seconds; an operator who stopped the crawl wants it to end
CLOSE_SECONDS = 1.0


class StoreLifecycle(ScrapyComponent):
    """One row per run: the topic and its version, the settings, start and end, how the run ended, what it found.

    Every crawl can be rehearsed: ``crawl.db`` beside its frontier holds what it fetched and how it judged that (docs/offline.md).

    Items wait in their pipeline until they are durable. When the store is lost for good (a full disk, or it is away while the crawl is
    closing), the waiting items fail, and their pages go back to the queue.
    """

    def __init__(self, crawler: Crawler, components: CrawlComponents) -> None:
        super().__init__(crawler, components)
        self._away_since: float | None = None

    async def spider_opened(self) -> None:
        components = self._components
        components.writer.submit(crawls=[components.crawl_row()])
        self._repeat(self._look, 0.5, "the store could not be looked at")
        await asyncio.to_thread(components.log.start, self._facts(), fresh=components.options.fresh)

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        self._stop()
        await asyncio.to_thread(self._components.log.finish)
        writer = self._components.writer
        writer.submit(crawls=[self._components.crawl_row(reason)])
        if self._components.trouble is not None:  # as by a full disk: no use in waiting for the store
            await asyncio.to_thread(writer.close, CLOSE_SECONDS)
        # a crawl that ends by itself can wait longer
        patience = CLOSING_PATIENCE if reason in ("shutdown", DRAINED) else 30.0
        lost = await asyncio.to_thread(self._components.close_store, patience)
        if lost:
            words = "%s: %d rows could not be written to the store; their pages will be fetched again"
            logger.error(words, spider.name, lost)

    async def engine_stopped(self) -> None:
        await asyncio.to_thread(self._components.keep_quota)

    def _look(self) -> None:
        trouble = self._components.writer.trouble
        if trouble is None:
            self._away_since = None
            return
        now = time.monotonic()
        self._away_since = self._away_since or now
        # a full disk does not recover by itself; a MySQL server that is away is waited for
        is_local = not self._components.options.store.startswith("mysql:") and "locked" not in trouble.why
        patience = 3.0 if is_local else CLOSING_PATIENCE if is_closing(self._crawler) else math.inf
        if now - self._away_since >= patience:
            self._stop()
            self._give_up(trouble)

    def _give_up(self, trouble: StoreUnavailable) -> None:
        logger.error("%s", trouble)
        self._components.trouble = trouble
        self._closing = asyncio.ensure_future(asyncio.to_thread(self._components.writer.close, CLOSE_SECONDS))
        if not is_closing(self._crawler):
            self._end_crawl("store_unavailable")

    def _facts(self) -> dict[str, str]:
        components = self._components
        row = components.crawl_row()
        return {
            "topic": row.topic,
            "topic_digest": row.topic_digest,
            "settings": row.settings,
            "version": row.version,
            "run": row.run_id,
            "seed": str(components.options.seed),
            "link_policy": components.options.link_policy,
            "page_scorer": components.options.page_scorer,
            SEEDS: json.dumps(components.config.seeds, ensure_ascii=False),
        }
