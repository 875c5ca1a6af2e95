"""Item pipeline: the topic's verdict on the page, with all its parts, and for hits what describes them."""

from __future__ import annotations

from typing import Any, Self

from scrapy.crawler import Crawler

from topicspider.assembly import Assembly
from topicspider.items import PageItem


class RelevancePipeline:
    """Misses get no summary, keywords or dates: nobody reads them, and they cost time."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(Assembly.of(crawler))

    def process_item(self, item: Any) -> Any:
        if isinstance(item, PageItem) and (visit := self._assembly.visit_at(item.url)) is not None:
            visit.fill_relevance(item)
            if visit.scores[item.topic].on_topic:
                visit.fill_description(item)
        return item
