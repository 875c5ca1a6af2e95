"""Fetches a few addresses as a crawl would (robots.txt, politeness, guard), for commands that read pages."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcessBase
from scrapy.http import Response

from topicspider.fetches import fetch_of
from topicspider.readout.local_pages import LocalPage
from topicspider.requests import OUTCOME
from topicspider.visit import Fetch


class Answers(Spider):
    """Puts the answer of each of ``urls``, whatever its status, into ``fetches``, or into ``outcomes`` why there is none."""

    name = "answers"

    def __init__(self, urls: Sequence[str], fetches: dict[str, Fetch], outcomes: dict[str, str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._urls = urls
        self._fetches = fetches
        self._outcomes = outcomes

    async def start(self) -> AsyncIterator[Request]:
        """A request for each."""
        for url in self._urls:
            kwargs = {"asked": url}
            yield Request(url, callback=self.parse, errback=self.note, cb_kwargs=kwargs, dont_filter=True)

    def parse(self, response: Response, asked: str, **_kwargs: Any) -> Iterator[Any]:
        """Keep the answer."""
        self._fetches[asked] = fetch_of(response)
        return iter(())

    def note(self, failure: Any) -> None:
        """Keep an answer that is an error, else the reason why there is none."""
        request = getattr(failure, "request", None)
        asked = request.cb_kwargs["asked"] if request is not None else self._urls[0]
        response = getattr(failure.value, "response", None)
        if isinstance(response, Response):
            self._fetches[asked] = fetch_of(response)
            return
        meta = request.meta if request is not None else {}
        self._outcomes[asked] = str(meta.get(OUTCOME) or failure.type.__name__)


def fetched(process: CrawlerProcessBase, urls: Sequence[str]) -> list[LocalPage]:
    """The pages at ``urls`` (canonical), in their order; one that cannot be had has ``trouble``. A process does this once."""
    fetches: dict[str, Fetch] = {}
    outcomes: dict[str, str] = {}
    process.crawl(Answers, urls=urls, fetches=fetches, outcomes=outcomes)
    process.start()
    return [_page(url, fetches.get(url), outcomes.get(url, "")) for url in urls]


def _page(url: str, fetch: Fetch | None, outcome: str) -> LocalPage:
    if fetch is None:
        return LocalPage("", url, trouble=outcome or "no answer")
    trouble = "" if fetch.status // 100 == 2 else f"the server answered {fetch.status}"
    return LocalPage(
        "", fetch.url, fetch.body, fetch.headers.get("content-type", ""), datetime.now(UTC).date(), trouble
    )
