"""The spider ``topic``: hands every page of a crawl to the rooms that judge it.

Scrapy imports every spider as soon as it looks for one, also for ``scrapy list``: the rooms are imported by the crawl.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request, Spider

from topicspider.download.outcome import Outcome
from topicspider.meta import DEPTH, OUTCOME, SCORE
from topicspider.spiders.arguments import apply_arguments

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from topicspider.items import PageItem


@dataclass(frozen=True, slots=True)
class LinkBatch:
    """All links of one page, to be judged as a whole before any Request exists (DESIGN decision 4)."""

    url: str


@dataclass(frozen=True, slots=True)
class ListingBatch:
    """All that a sitemap or feed lists, to be judged as the links of a page are; it is no page itself."""

    url: str


class TopicSpider(Spider):
    """``scrapy crawl topic -a topic=NAME [-a seeds=URL,URL|@FILE] [-a max_pages=N] [-a depth=N] [-a fresh=1]``.

    ``topic_yaml=TEXT`` sends a whole topic file instead of naming one. Each of the others is the setting of the same
    meaning (``max_pages`` is TOPICSPIDER_MAX_PAGES) and wins over it.
    """

    name = "topic"

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Turn arguments into settings before any component reads them."""
        apply_arguments(crawler.settings, kwargs)
        return super().from_crawler(crawler, *args, **kwargs)

    async def start(self) -> AsyncIterator[Request]:
        """The seeds; those fetched in an earlier run are known to the frontier and stay fetched."""
        from topicspider.assembly import Assembly
        from topicspider.evaluation import seed_score

        for place, url in enumerate(Assembly.of(self.crawler).plan.seeds):
            yield Request(url, meta={SCORE: seed_score(place), DEPTH: 0})

    def parse(self, response: Response, **_kwargs: Any) -> Iterator[PageItem | LinkBatch | ListingBatch]:
        """One item a topic for the pipelines, then the page's links for the spider middleware."""
        from topicspider.assembly import Assembly
        from topicspider.fetches import fetch_of, listing_of

        if listing_of(response) is not None:
            response.meta[OUTCOME] = Outcome.LISTING.value
            yield ListingBatch(response.url)
            return
        visit = Assembly.of(self.crawler).visit(fetch_of(response))
        if not visit.page.is_readable:
            document = visit.fetch.document
            response.meta[OUTCOME] = document.failure if document else Outcome.WRONG_TYPE.value
            return
        if visit.page.condition:
            response.meta[OUTCOME] = visit.page.condition
            return
        yield from visit.items
        yield LinkBatch(response.url)
