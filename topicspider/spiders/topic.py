"""The spider ``topic``: hands every page of a crawl to the components that judge it.

Scrapy imports every spider when it looks for one, even for ``scrapy list``: most imports are therefore made by the crawl.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy import Request, Spider

from topicspider.download.outcome import Outcome
from topicspider.meta import DEPTH, OUTCOME, SCORE
from topicspider.spiders.arguments import apply_arguments, refuse_unknown

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from topicspider.crawled_page import CrawledPage


class TopicSpider(Spider):
    """``scrapy crawl topic -a topic=NAME [-a seeds=URL,URL|@FILE] [-a max_pages=N] [-a depth=N] [-a mode=PAPER] [-a fresh=1]``.

    ``topic_yaml=TEXT`` sends a whole topic file instead of naming one. Each other argument stands for the setting of the same meaning
    (``max_pages`` for TOPICSPIDER_MAX_PAGES) and has priority over it.
    """

    name = "topic"

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Turn arguments into settings before any component reads them."""
        if cls is TopicSpider:  # a subclass may have arguments of its own
            refuse_unknown(kwargs)
        apply_arguments(crawler.settings, kwargs)
        return super().from_crawler(crawler, *args, **kwargs)

    async def start(self) -> AsyncIterator[Request]:
        """Requests for the seeds; the frontier knows those fetched in an earlier run, and they are not fetched again."""
        from topicspider.crawl_components import CrawlComponents
        from topicspider.judging import seed_score

        for place, url in enumerate(CrawlComponents.of(self.crawler).config.seeds):
            yield Request(url, meta={SCORE: seed_score(place), DEPTH: 0})

    def parse(self, response: Response, **_kwargs: Any) -> Iterator[CrawledPage]:
        """Yields the page; the spider middleware makes its items and requests. For an answer that is no page, only the outcome is noted."""
        from topicspider.crawl_components import CrawlComponents
        from topicspider.crawled_page import listing_of

        if listing_of(response) is not None:
            response.meta[OUTCOME] = Outcome.LISTING.value
            return
        crawled = CrawlComponents.of(self.crawler).page_of(response)
        if not crawled.page.is_readable:
            document = crawled.download.document
            response.meta[OUTCOME] = document.failure if document else Outcome.WRONG_TYPE.value
        elif crawled.page.condition:
            response.meta[OUTCOME] = crawled.page.condition
        else:
            yield crawled
