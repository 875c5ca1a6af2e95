"""Downloader middleware: notes on each request how its fetch failed, for the scheduler to act upon."""

from __future__ import annotations

from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler

from topicspider.download.outcome import outcome_of_exception
from topicspider.meta import OUTCOME


class OutcomeMiddleware:
    """Stands next to the engine, so that it sees an exception only when no other middleware dealt with it."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls()

    def process_exception(self, request: Request, exception: Exception) -> None:
        request.meta[OUTCOME] = outcome_of_exception(exception)
