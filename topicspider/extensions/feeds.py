"""Extensions for feeds: an overwritten feed replaces its file only when complete, and contains the hits of earlier runs."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import IO, Any

from scrapy import Spider
from scrapy.extensions.feedexport import FeedExporter, FeedSlot, FileFeedStorage, ItemFilter

from topicspider.crawl_components import CrawlComponents
from topicspider.errors import FeedUnavailable, UnavailableError
from topicspider.items import HUB, PageItem
from topicspider.options import OWN_SPIDER
from topicspider.scrapy_component import ScrapyComponent
from topicspider.setting_rules import setting_name
from topicspider.store.location import store_of_crawl
from topicspider.store.store import Store

logger = logging.getLogger(__name__)


class WholeFile(FileFeedStorage):
    """Writes a feed that overwrites a file to FILE.part, renamed at the end: a killed crawl leaves the old file as it was."""

    def __init__(self, uri: str, *, feed_options: dict[str, Any] | None = None) -> None:
        super().__init__(uri, feed_options=feed_options)
        place = Path(self.path)
        is_file = place.is_file() or not place.exists()  # not a pipe or a device
        self._place = place.resolve() if is_file and self.write_mode == "wb" else None

    def open(self, spider: Spider) -> IO[bytes]:
        if self._place is None:
            return super().open(spider)
        self._place.parent.mkdir(parents=True, exist_ok=True)
        return self._part(self._place).open("wb")

    def store(self, file: IO[bytes]) -> None:
        file.close()
        if self._place is not None:
            self._part(self._place).replace(self._place)

    def drop(self) -> None:
        """Delete what was written, because it is not complete."""
        if self._place is not None:
            self._part(self._place).unlink(missing_ok=True)

    @staticmethod
    def _part(place: Path) -> Path:
        return place.with_name(f"{place.name}.part")


class Feeds(FeedExporter):
    """Scrapy's exporter, but a feed that cannot be written (a full disk) ends with one log line, and an exit code; the crawl goes on.

    It warns of an overwritten feed of JSON lines that has fewer items than before.
    """

    def open_spider(self, spider: Spider) -> None:
        super().open_spider(spider)
        self._lines_before = {slot.uri: _lines_in(slot) for slot in self.slots}

    def item_scraped(self, item: Any, spider: Spider) -> None:
        """Export to each feed separately, so that a failing one does not stop the others."""
        slots = []
        for slot in self.slots:
            self.slots = [slot]
            try:
                super().item_scraped(item, spider)
            except OSError as error:
                self._give_up(slot, error)
            slots += self.slots
        self.slots = slots

    def write_first(self, items: list[PageItem]) -> None:
        """Write ``items`` to the feeds that overwrite one whole file; feeds that are appended to have them already."""
        for slot in self.slots:
            if slot.feed_options.get("overwrite") and "%(" not in slot.uri_template:
                try:
                    slot.start_exporting()
                    assert slot.exporter is not None
                    for item in filter(slot.filter.accepts, items):
                        slot.exporter.export_item(item)
                        slot.itemcount += 1
                except OSError as error:
                    self._give_up(slot, error)

    async def _close_slot(self, slot: FeedSlot, spider: Spider) -> None:
        if not isinstance(slot.filter, _Nothing):
            try:
                slot.finish_exporting()
                if slot.file is not None:
                    slot.file.flush()
                return await self._close_whole(slot, spider)
            except OSError as error:
                self._give_up(slot, error)
        with suppress(OSError):
            if slot.file is not None:
                slot.file.close()
        if isinstance(slot.storage, WholeFile):
            slot.storage.drop()
        return None

    async def _close_whole(self, slot: FeedSlot, spider: Spider) -> None:
        before = self._lines_before.get(slot.uri, 0)
        if slot.itemcount < before and not CrawlComponents.of(self.crawler).options.fresh:
            logger.warning("feed %s has fewer items than before: %d instead of %d", slot.uri, slot.itemcount, before)
        await super()._close_slot(slot, spider)

    def _give_up(self, slot: FeedSlot, error: OSError) -> None:
        trouble = FeedUnavailable(slot.uri, error.strerror or str(error))
        logger.error("%s", trouble)
        CrawlComponents.of(self.crawler).shortfall = trouble
        slot.filter = _Nothing(None)


class _Nothing(ItemFilter):
    """The filter of a feed that cannot be written: it accepts no item."""

    def accepts(self, item: Any) -> bool:
        return False


def _lines_in(slot: FeedSlot) -> int:
    """How many lines (items) the file has that ``slot`` will overwrite; 0 for formats other than JSON lines."""
    storage = slot.storage
    is_lines = slot.format in ("jsonlines", "jsonl", "jl")
    if not isinstance(storage, FileFeedStorage) or storage.write_mode != "wb" or not is_lines:
        return 0
    try:
        with Path(storage.path).open("rb") as file:
            return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))
    except OSError:
        return 0


class EarlierHits(ScrapyComponent):
    """Gives the hits of earlier runs to Scrapy's exporters before the first page; never for another spider: its items are not in the store.

    Changes that later pipelines made in an item are not in it. Rows that an earlier run left in the outbox are waited for.
    """

    async def spider_opened(self) -> None:
        exporter = self._crawler.get_extension(Feeds)
        if exporter is None or not self._components.stats.earlier_pages or self._crawler.spidercls.name != OWN_SPIDER:
            return
        options = self._components.options
        await self._wait_for_outbox(time.monotonic() + options.connect_wait)
        try:
            with await asyncio.to_thread(store_of_crawl, options, self._components.config.folder) as store:
                hits = self._hits(store)
                # so few at once, because a page may be 1 MB
                while some := await asyncio.to_thread(lambda: list(islice(hits, 50))):
                    exporter.write_first(some)
        except UnavailableError as error:
            logger.warning("feeds may not have the hits of earlier runs: %s (scrapy export)", error)

    async def _wait_for_outbox(self, until: float) -> None:
        writer = self._components.writer
        while writer.in_outbox and not writer.is_away and time.monotonic() < until:  # noqa: ASYNC110 - the writer is a thread
            await asyncio.sleep(0.05)
        if rows := writer.in_outbox:
            logger.warning("feeds lack the hits among %d row(s) that wait for the store (scrapy export)", rows)

    def _hits(self, store: Store) -> Iterator[PageItem]:
        """The hits of this crawl's topics since the crawl was last begun anew."""
        fresh = setting_name("fresh")
        runs = store.crawls(self._components.config.name, 10_000)
        begun = next((run.started_at for run in runs if json.loads(run.settings).get(fresh)), "")
        for topic in self._components.config.topics:
            items = (row.item for row in store.all_hits(topic.name))
            yield from (item for item in items if item.fetched_at >= begun and item.type != HUB)
