"""Extension: feeds that a resumed crawl overwrites (``-O``) hold the hits of all its runs, written anew from the store."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import IO, Any, Self
from urllib.parse import urlsplit

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FeedExporter, FileFeedStorage

from topicspider.crawl_components import CrawlComponents
from topicspider.errors import UnavailableError
from topicspider.items import PageItem
from topicspider.options import OWN_SPIDER
from topicspider.setting_rules import setting_name
from topicspider.store import location
from topicspider.store.location import open_store
from topicspider.store.store import Store

logger = logging.getLogger(__name__)


class WholeFeeds:
    """When Scrapy has closed its feeds, writes those in files that are overwritten once more, with Scrapy's own exporters.

    Only when an earlier run has left pages, and never for somebody else's spider: the items of that are not in the store. The store
    is the record: what pipelines behind it changed in an item is not in it.
    """

    def __init__(self, crawler: Crawler, assembly: CrawlComponents) -> None:
        self._crawler = crawler
        self._assembly = assembly
        self._is_done = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler, CrawlComponents.of(crawler))
        crawler.signals.connect(extension.feeds_closed, signals.feed_exporter_closed)
        return extension

    async def feeds_closed(self) -> None:
        spider = self._crawler.spider
        if self._is_done or not self._assembly.tally.earlier_pages or spider is None or spider.name != OWN_SPIDER:
            return
        self._is_done = True  # our own exporter sends this signal too
        exporter = FeedExporter(self._crawler)
        exporter.feeds = {uri: feed for uri, feed in exporter.feeds.items() if _is_whole(str(uri), feed)}
        exporter.storages = {
            name: _Beside if one is FileFeedStorage else one for name, one in exporter.storages.items()
        }
        if not exporter.feeds:
            return
        if not await self.is_all_stored():
            logger.warning("feeds have the hits of this run only: the store does not have all rows yet (scrapy export)")
            return
        try:
            await self._write(exporter, spider)
        except UnavailableError as error:
            logger.warning("feeds may not have the hits of earlier runs: %s (scrapy export)", error)

    async def is_all_stored(self) -> bool:
        """Whether the store has all rows; the last ones are being written while the feeds are closed, and are waited for."""
        writer, end = self._assembly.writer, time.monotonic() + 5.0
        while writer.waiting or writer.in_outbox:
            if writer.is_away or writer.trouble is not None or time.monotonic() > end:
                return False
            await asyncio.sleep(0.02)
        return True

    async def _write(self, exporter: FeedExporter, spider: Spider) -> None:
        options, plan = self._assembly.options, self._assembly.plan
        store = await asyncio.to_thread(open_store, options.store, plan.folder / location.FILE, options.connect_wait)
        with closing(store):
            hits = self._hits(store)
            exporter.open_spider(spider)
            try:
                # a page may hold 1 MB
                while some := await asyncio.to_thread(lambda: list(islice(hits, 50))):
                    for item in some:
                        exporter.item_scraped(item, spider)
            except BaseException:
                for slot in exporter.slots:
                    if isinstance(slot.storage, _Beside):
                        slot.storage.drop()
                raise
            await exporter.close_spider(spider)

    def _hits(self, store: Store) -> Iterator[PageItem]:
        """Of this crawl's topics, since it was last begun anew."""
        begun = self._begun_at(store)
        for topic in self._assembly.plan.topics:
            for row in store.all_hits(topic.name):
                if row.item.fetched_at >= begun:
                    yield row.item

    def _begun_at(self, store: Store) -> str:
        """When the newest run started that was told to start anew; "" when none was."""
        fresh = setting_name("fresh")
        for run in store.crawls(self._assembly.plan.name, 10_000):
            if json.loads(run.settings).get(fresh):
                return run.started_at
        return ""


class _Beside(FileFeedStorage):
    """Scrapy's storage of feeds in files, but the old feed stays until the new one is whole."""

    _file: IO[bytes] | None = None
    _part: Path | None = None

    def open(self, spider: Spider) -> IO[bytes]:
        path = Path(self.path)
        if path.is_symlink() or (path.exists() and not path.is_file()):  # as /dev/stdout
            return super().open(spider)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._part = path.with_name(f".{path.name[:100]}.part")
        self._file = self._part.open("wb")
        return self._file

    def store(self, file: IO[bytes]) -> None:
        file.close()
        if self._part is not None:
            self._part.replace(self.path)

    def drop(self) -> None:
        """Leave the old feed as it is."""
        if self._file is not None and self._part is not None:
            self._file.close()
            self._part.unlink(missing_ok=True)


def _is_whole(uri: str, feed: dict[str, Any]) -> bool:
    return bool(feed.get("overwrite")) and "%(" not in uri and urlsplit(uri).scheme in ("", "file")
