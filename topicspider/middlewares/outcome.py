"""Counts how each download ended, by outcome; a failure of a known kind leaves no traceback in the log."""

from __future__ import annotations

import logging
from typing import Any

from scrapy import Request
from scrapy.logformatter import LogFormatter, LogFormatterResult
from scrapy.statscollectors import MemoryStatsCollector

from topicspider.download.outcome import Outcome, outcome_of_exception
from topicspider.meta import OUTCOME


class OutcomeMiddleware:
    """Stands next to the engine, so that it sees only exceptions that no other middleware handled."""

    def process_exception(self, request: Request, exception: Exception) -> None:
        request.meta[OUTCOME] = outcome_of_exception(exception)


class CountedFailures(LogFormatter):
    """Scrapy's log formatter, but failed downloads are logged at DEBUG: there are hundreds on the web, and the closing table counts them.

    With LOG_LEVEL=DEBUG each appears with its traceback; an unexpected failure stays an error. For pages and items no log record is made
    that no handler would show.
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
    """Scrapy's collector without its check for a deprecated argument at each of a request's ten counts: most of the time they took."""

    __getattribute__ = object.__getattribute__
