"""The spider of a recrawl: known pages with what their servers told of them before, and the line that says how it goes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime
from typing import Any

from scrapy import Request, Spider
from scrapy.http import Response

from topicspider.assembly import Assembly
from topicspider.download.outcome import Outcome
from topicspider.extensions.live import LiveProgress
from topicspider.items import VisitItem
from topicspider.requests import OUTCOME, REVISIT
from topicspider.spiders.topic import TopicSpider
from topicspider.store.contract import GONE, NOT_MODIFIED
from topicspider.url.canonical import canonicalize


class RecrawlSpider(TopicSpider):
    """Asks for what the frontier holds. It is no spider of ``scrapy crawl``: the command ``recrawl`` makes the round before."""

    handle_httpstatus_list = (NOT_MODIFIED, *GONE)

    async def start(self) -> AsyncIterator[Request]:
        """Nothing: the round is in the frontier."""
        requests: tuple[Request, ...] = ()
        for request in requests:
            yield request

    def parse(self, response: Response, **kwargs: Any) -> Iterator[Any]:
        """A page as in any crawl; an answer without one is noted of the page that was known."""
        if response.status in self.handle_httpstatus_list:
            yield from self._visits(response, response.status)
            return
        yield from super().parse(response, **kwargs)
        if response.meta.get(OUTCOME) == Outcome.SOFT_NOT_FOUND:
            yield from self._visits(response, GONE[0])

    def _visits(self, response: Response, status: int) -> Iterator[VisitItem]:
        """One a topic, of a page that the round asked for; what was just found and is not there was never known."""
        url = canonicalize(response.url) or response.url
        if not response.meta.get(REVISIT) or response.meta.get("redirect_urls"):
            return
        now = datetime.now(UTC).isoformat(timespec="seconds")
        for topic in Assembly.of(self.crawler).plan.topics:
            yield VisitItem(url, topic.name, now, status)


class RecrawlProgress(LiveProgress):
    """The live line of a crawl, without its closing table: the command has its own."""

    def closing(self, spider: Spider, reason: str, columns: int) -> list[str]:
        """Nothing."""
        return []
