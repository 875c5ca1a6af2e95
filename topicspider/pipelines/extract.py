"""Item pipeline: title, body and the facts of the download, from the page that was parsed once."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler

from topicspider.assembly import Assembly
from topicspider.items import PageItem


class ExtractPipeline:
    """Other items, and pages that are not in flight, pass untouched."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Assembly.of(crawler))

    def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem) and (visit := self._assembly.visit_at(item.url)) is not None:
            visit.fill_reading(item)
        return item
