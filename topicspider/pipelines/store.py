"""Item pipeline: stores every judged page, and goes on only when it is durable (S1)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Self

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem

from topicspider.assembly import Assembly
from topicspider.errors import StoreUnavailable
from topicspider.items import PageItem, VisitItem
from topicspider.store.contract import Copies, NoPageResponse, PageRow


class NotStored(DropItem):
    """The store is gone: the page goes back to the queue."""


class StorePipeline:
    """Misses are stored too (without their text), then dropped: feeds and later pipelines see hits only."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Assembly.of(crawler))

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, VisitItem):
            await self._stored(visits=[NoPageResponse(item.topic, item.url, item.seen_at, item.status)])
            raise DropItem(f"no page came: {item.status}", log_level="DEBUG")
        if not isinstance(item, PageItem):
            return item
        visit = self._assembly.visit_at(item.url)
        if visit is None:
            return item
        score = visit.scores[item.topic]
        scorer = self._assembly.options.page_scorer
        row = PageRow(
            PageItem(**ItemAdapter(item).asdict()),
            score.on_topic,
            score.threshold,
            scorer,
            visit.simhash_of(item.topic),
            visit.fetch.headers.get("etag", ""),
            visit.fetch.headers.get("last-modified", ""),
            visit.ipagerank_of(item.topic),
        )
        copies = await self._stored(pages=[row])
        if first := copies.get((item.topic, item.url)):
            item.duplicate_of = first
        if not score.on_topic:
            raise DropItem(f"off topic: {score.value:.3f} < {score.threshold:.3f}", log_level="DEBUG")
        return item

    async def _stored(self, pages: Sequence[PageRow] = (), visits: Sequence[NoPageResponse] = ()) -> Copies:
        try:
            return await asyncio.wrap_future(self._assembly.writer.submit(pages=pages, visits=visits))
        except StoreUnavailable:  # said by the extension that watches the store
            raise NotStored("not stored", log_level="DEBUG") from None
