"""The guard as a crawl with a topic builds it, without the rest of such a crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from topicspider.middlewares.guard import PAGE_TYPES, GuardMiddleware

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class PageGuard(GuardMiddleware):
    """Wants pages only."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        guard = super().from_crawler(crawler)
        guard._types = frozenset(PAGE_TYPES)
        return guard
