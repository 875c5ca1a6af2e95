"""A spider that fetches one URL for a command and follows nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from scrapy import Request, Spider
from scrapy.http import Response

from topicspider.fetches import fetch_of
from topicspider.requests import OUTCOME
from topicspider.visit import Fetch


class OneAnswer(Spider):
    """Puts the answer of ``url``, whatever its status, into ``fetches``, or into ``outcomes`` why there is none."""

    name = "one-answer"

    def __init__(self, url: str, fetches: list[Fetch], outcomes: list[str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._url = url
        self._fetches = fetches
        self._outcomes = outcomes

    async def start(self) -> AsyncIterator[Request]:
        """The one request."""
        yield Request(self._url, callback=self.parse, errback=self.note)

    def parse(self, response: Response, **_kwargs: Any) -> Iterator[Any]:
        """Keep the answer."""
        self._fetches.append(fetch_of(response))
        return iter(())

    def note(self, failure: Any) -> None:
        """Keep an answer that is an error, else the reason why there is none."""
        response = getattr(failure.value, "response", None)
        if isinstance(response, Response):
            self._fetches.append(fetch_of(response))
            return
        meta = failure.request.meta if getattr(failure, "request", None) is not None else {}
        self._outcomes.append(str(meta.get(OUTCOME) or failure.type.__name__))
