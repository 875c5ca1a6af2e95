"""Counts how each download ended, under its name; a download that failed in a known way is no traceback among the log lines."""

from __future__ import annotations

import logging
from typing import Any

from scrapy import Request
from scrapy.logformatter import LogFormatter, LogFormatterResult
from scrapy.statscollectors import MemoryStatsCollector

from topicspider.download.outcome import Outcome, outcome_of_exception
from topicspider.meta import OUTCOME


class OutcomeMiddleware:
    """Stands next to the engine, so that it sees an exception only when no other middleware dealt with it."""

    def process_exception(self, request: Request, exception: Exception) -> None:
        request.meta[OUTCOME] = outcome_of_exception(exception)


class CountedFailures(LogFormatter):
    """Scrapy's own, but for failed downloads: on the web they come by the hundred, and the closing table has their numbers.

    With LOG_LEVEL=DEBUG each is there with its traceback; one that nobody expected is an error, as ever. Of pages and items
    no record is made that no handler would show.
    """

    def __init__(self) -> None:
        self._least = min((handler.level for handler in logging.root.handlers), default=logging.WARNING)

    def crawled(self, *args: Any) -> LogFormatterResult | None:  # type: ignore[override]
        return self._if_shown(super().crawled(*args))

    def scraped(self, *args: Any) -> LogFormatterResult | None:  # type: ignore[override]
        return self._if_shown(super().scraped(*args))

    def dropped(self, *args: Any) -> LogFormatterResult | None:  # type: ignore[override]
        return self._if_shown(super().dropped(*args))

    def _if_shown(self, line: LogFormatterResult) -> LogFormatterResult | None:
        return line if line["level"] >= self._least else None

    def download_error(self, failure: Any, request: Request, *args: Any, **kwargs: Any) -> LogFormatterResult:
        found = super().download_error(failure, request, *args, **kwargs)
        if request.meta.get(OUTCOME, Outcome.FAILED) != Outcome.FAILED:
            found["level"] = logging.DEBUG
        return found


class QuickStats(MemoryStatsCollector):
    """Scrapy's, without its look for a deprecated argument at each of the ten counts of a request: most of what they cost."""

    __getattribute__ = object.__getattribute__
