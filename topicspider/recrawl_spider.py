"""Scrapy's side of a recrawl: known pages are requested only if changed, as long as no other process works on the same topics."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request, Spider
from scrapy.http import Response

from topicspider.crawl_components import CrawlComponents
from topicspider.download.outcome import Outcome
from topicspider.errors import CrawlRunning
from topicspider.extensions.live import LiveProgress
from topicspider.items import time_now
from topicspider.meta import OUTCOME, REVISIT
from topicspider.scrapy_component import ScrapyComponent
from topicspider.spiders.topic import TopicSpider
from topicspider.store.rows import GONE, NOT_MODIFIED, NoPageResponse
from topicspider.url import canonicalize

NOT_ALONE, CLAIM_LOST = "not_alone", "claim_lost"


class RecrawlSpider(TopicSpider):
    """Requests what the frontier holds. It cannot be used with ``scrapy crawl``: the command ``recrawl`` makes the round first."""

    handle_httpstatus_list = (NOT_MODIFIED, *GONE)

    async def start(self) -> AsyncIterator[Request]:
        """Yields nothing: the round is in the frontier."""
        return
        yield

    def parse(self, response: Response, **kwargs: Any) -> Iterator[Any]:
        """Pages are handled as in any crawl; an answer without a page is recorded for the known page."""
        if response.status in self.handle_httpstatus_list:
            yield from self._visits(response, response.status)
            return
        yield from super().parse(response, **kwargs)
        if response.meta.get(OUTCOME) == Outcome.SOFT_NOT_FOUND:
            yield from self._visits(response, GONE[0])

    def _visits(self, response: Response, status: int) -> Iterator[NoPageResponse]:
        """One for each topic, for a page of the round; nothing for a new link or a redirect, since that page was not known before."""
        url = canonicalize(response.url) or response.url
        if not response.meta.get(REVISIT) or response.meta.get("redirect_urls"):
            return
        now = time_now()
        for topic in CrawlComponents.of(self.crawler).config.topics:
            yield NoPageResponse(topic.name, url, now, status)


class RecrawlWatch(ScrapyComponent):
    """Extension: ends the round when the claim's ``trouble`` says that others recrawl or crawl the topics, or may do so."""

    _components: Any  # RecrawlComponents

    def spider_opened(self) -> None:
        self._repeat(self._look, 0.5, "the claim on the topics could not be looked at")

    def spider_closed(self) -> None:
        self._stop()

    def _look(self) -> None:
        trouble = self._components.claim.trouble
        if trouble is None:
            return
        self._stop()
        self._components.trouble = trouble
        self._end_crawl(NOT_ALONE if isinstance(trouble, CrawlRunning) else CLAIM_LOST)


class RecrawlProgress(LiveProgress):
    """The live line of a crawl, without its closing table: the command has its own."""

    def closing(self, spider: Spider, reason: str, columns: int) -> list[str]:
        return []
