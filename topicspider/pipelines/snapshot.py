"""Item pipeline: keeps the page as it came in a WARC file, and notes its place in the item."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Self

from scrapy.crawler import Crawler

from topicspider.assembly import Assembly
from topicspider.items import PageItem
from topicspider.store.snapshots import Snapshot
from topicspider.visit import Visit

logger = logging.getLogger(__name__)


class SnapshotPipeline:
    """Off unless TOPICSPIDER_SNAPSHOTS says hits, or all (misses too). A page that cannot be kept is counted, and stored without."""

    def __init__(self, crawler: Crawler, assembly: Assembly) -> None:
        self._stats = crawler.stats
        self._assembly = assembly
        self._has_warned = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, Assembly.of(crawler))

    async def process_item(self, item: Any) -> Any:
        visit = self._assembly.visit_at(item.url) if isinstance(item, PageItem) else None
        if self._assembly.snapshots is None or visit is None or not self._is_wanted(visit):
            return item
        is_first = visit.snapshot is None  # one a page, however many topics keep it
        if visit.snapshot is None:
            visit.snapshot = self._assembly.snapshots.submit(_snapshot_of(visit))
        try:
            item.snapshot = await asyncio.wrap_future(visit.snapshot)
        except OSError as error:
            self._warn(error)
        if is_first:
            self._count("written" if item.snapshot else "failed")
        return item

    def _is_wanted(self, visit: Visit) -> bool:
        return visit.is_hit or self._assembly.options.snapshots == "all"

    def _count(self, what: str) -> None:
        if self._stats is not None:
            self._stats.inc_value(f"topicspider/snapshots/{what}")

    def _warn(self, error: OSError) -> None:
        if not self._has_warned:
            self._has_warned = True
            logger.warning("snapshots cannot be written, pages are stored without: %s", error.strerror or error)


def _snapshot_of(visit: Visit) -> Snapshot:
    fetch = visit.fetch
    return Snapshot(fetch.url, fetch.status, tuple(fetch.answer_headers), fetch.body, visit.fetched_at)
