"""Item pipelines: each page is kept in a WARC file as it came, and in the store as judged; feeds get only durable hits (promise S1)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from copy import copy
from typing import Any

from scrapy.exceptions import DropItem

from topicspider.crawled_page import page_of_item
from topicspider.errors import StoreUnavailable
from topicspider.items import HUB, PageItem
from topicspider.scrapy_component import ScrapyComponent
from topicspider.store.rows import Copies, NoPageResponse, PageRow
from topicspider.store.snapshots import Snapshot

logger = logging.getLogger(__name__)


class NotStored(DropItem):
    """The store is away; the page goes back to the queue."""


class StorePipeline(ScrapyComponent):
    """Stores misses too (without their text), then drops them and hubs, so that feeds and later pipelines see only hits."""

    async def process_item(self, item: Any) -> Any:
        if isinstance(item, NoPageResponse):
            await self._stored(visits=[item])
            raise DropItem(f"no page came: {item.status}", log_level="DEBUG")
        page = page_of_item(item)
        if page is None:
            return item
        score = page.scores[item.topic]
        scorer = self._components.options.page_scorer
        row = PageRow(
            PageItem(**{name: copy(getattr(item, name)) for name in PageItem.__dataclass_fields__}),
            score.on_topic,
            score.threshold,
            scorer,
            page.page.simhash if score.on_topic and not page.is_hub else 0,  # others are not looked up
            page.download.headers.get("etag", ""),
            page.download.headers.get("last-modified", ""),
            page.ipagerank_of(item.topic),
            page.page.content_hash if (item.title, item.body) == (page.page.title, page.page.body) else 0,
        )
        copies = await self._stored(pages=[row])
        if first := copies.get((item.topic, item.url)):
            item.duplicate_of = first
        if not score.on_topic:
            raise DropItem(f"off topic: {score.value:.3f} < {score.threshold:.3f}", log_level="DEBUG")
        if item.type == HUB:
            raise DropItem("a page of links, none to read", log_level="DEBUG")
        return item

    async def _stored(self, pages: Sequence[PageRow] = (), visits: Sequence[NoPageResponse] = ()) -> Copies:
        try:
            return await asyncio.wrap_future(self._components.writer.submit(pages=pages, visits=visits))
        except StoreUnavailable:  # the extension that watches the store reports it
            raise NotStored("not stored", log_level="DEBUG") from None


class SnapshotPipeline(ScrapyComponent):
    """Used if TOPICSPIDER_SNAPSHOTS is hits, or all (misses too). If a page cannot be kept, this is counted, and it is stored without."""

    _has_warned = False

    async def process_item(self, item: Any) -> Any:
        page = page_of_item(item)
        snapshots, mode = self._components.snapshots, self._components.options.snapshots
        if snapshots is None or page is None or not (page.is_hit or mode == "all"):
            return item
        is_first = page.snapshot is None  # one for each page, however many topics keep it
        if page.snapshot is None:
            got = page.download
            answer = Snapshot(got.url, got.status, tuple(got.answer_headers), got.body, page.fetched_at)
            page.snapshot = snapshots.submit(answer)
        try:
            item.snapshot = await asyncio.wrap_future(page.snapshot)
        except OSError as error:
            if not self._has_warned:
                self._has_warned = True
                logger.warning("snapshots cannot be written, pages are stored without: %s", error.strerror or error)
        if is_first:
            self._count(f"snapshots/{'written' if item.snapshot else 'failed'}")
        return item
