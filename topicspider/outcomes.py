"""Notes on a request how its attempt ended, as Scrapy's signals tell."""

from __future__ import annotations

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from topicspider.download.outcome import Outcome, outcome_of_status
from topicspider.meta import OUTCOME, STATUS
from topicspider.pipelines import NotStored

CALLBACK_ERROR = "callback_error"
ITEM_ERROR = "item_error"
OUR_ERRORS = (CALLBACK_ERROR, ITEM_ERROR)  # the fetch was good, our side failed: worth another try


def note_outcomes(crawler: Crawler) -> None:
    """From now on, the meta of each request says how it ended."""
    for signal, handler in (
        (signals.spider_error, _on_callback_error),
        (signals.item_error, _on_item_error),
        (signals.item_dropped, _on_item_dropped),
        (signals.response_received, _on_response),
    ):
        crawler.signals.connect(handler, signal)


def _on_response(response: Response, request: Request) -> None:
    request.meta.setdefault(OUTCOME, outcome_of_status(response.status))
    request.meta[STATUS] = response.status


def _on_callback_error(response: Response | Failure | None) -> None:
    _note(response, CALLBACK_ERROR)


def _on_item_error(response: Response | Failure | None) -> None:
    _note(response, ITEM_ERROR)


def _on_item_dropped(response: Response | Failure | None, exception: Exception) -> None:
    if isinstance(exception, NotStored):
        _note(response, Outcome.POSTPONED)  # not the page's fault: no attempt is counted


def _note(response: Response | Failure | None, outcome: str) -> None:
    """None comes from ``start``, a Failure from an errback."""
    request = getattr(response, "request", None)
    if request is not None:
        request.meta[OUTCOME] = outcome
