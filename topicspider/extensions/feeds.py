"""Extension: feeds that a resumed crawl overwrites (``-O``) begin with the hits of its earlier runs, from the store."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.extensions.feedexport import FeedExporter

from topicspider.crawl_components import CrawlComponents
from topicspider.errors import UnavailableError
from topicspider.items import HUB, PageItem
from topicspider.options import OWN_SPIDER
from topicspider.setting_rules import setting_name
from topicspider.store import location
from topicspider.store.location import open_store
from topicspider.store.store import Store

logger = logging.getLogger(__name__)


class EarlierHits:
    """Hands the hits of earlier runs to Scrapy's exporters before the first page comes.

    Never for somebody else's spider: the items of that are not in the store. What pipelines behind it changed in an item is not in it,
    nor are rows that still wait in the outbox.
    """

    def __init__(self, crawler: Crawler, components: CrawlComponents) -> None:
        self._crawler = crawler
        self._components = components

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler, CrawlComponents.of(crawler))
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        return extension

    async def spider_opened(self) -> None:
        exporter = self._crawler.get_extension(FeedExporter)
        if exporter is None or not self._components.tally.earlier_pages or self._crawler.spidercls.name != OWN_SPIDER:
            return
        options = self._components.options
        path = self._components.config.folder / location.FILE
        try:
            with closing(await asyncio.to_thread(open_store, options.store, path, options.connect_wait)) as store:
                hits = self._hits(store)
                # a page may hold 1 MB
                while some := await asyncio.to_thread(lambda: list(islice(hits, 50))):
                    _export(exporter, some)
        except UnavailableError as error:
            logger.warning("feeds may not have the hits of earlier runs: %s (scrapy export)", error)

    def _hits(self, store: Store) -> Iterator[PageItem]:
        """Of this crawl's topics, since it was last begun anew."""
        fresh = setting_name("fresh")
        runs = store.crawls(self._components.config.name, 10_000)
        begun = next((run.started_at for run in runs if json.loads(run.settings).get(fresh)), "")
        for topic in self._components.config.topics:
            items = (row.item for row in store.all_hits(topic.name))
            yield from (item for item in items if item.fetched_at >= begun and item.type != HUB)


def _export(exporter: FeedExporter, items: list[PageItem]) -> None:
    """Write ``items`` to the feeds that are overwritten as a whole; others have them already."""
    for slot in exporter.slots:
        if slot.feed_options.get("overwrite") and "%(" not in slot.uri_template:
            slot.start_exporting()
            assert slot.exporter is not None
            for item in filter(slot.filter.accepts, items):
                slot.exporter.export_item(item)
                slot.itemcount += 1
