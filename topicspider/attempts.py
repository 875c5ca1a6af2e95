"""Attempts: leased URLs with their requests, the outcome of each request, and the queue of URLs that share a host's lease."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from topicspider.download.outcome import Outcome, outcome_of_status
from topicspider.frontier.host_ranking import LONGEST_WAIT
from topicspider.frontier.protocol import Entry
from topicspider.meta import OUTCOME, STATUS
from topicspider.pipelines import NotStored

OUR_ERRORS = (Outcome.CALLBACK_ERROR, Outcome.ITEM_ERROR)  # the fetch succeeded, our code failed: worth another try


@dataclass(slots=True)
class Attempt:
    """A URL leased to this node, with its request."""

    entry: Entry
    token: int
    request: Request


class WaitingTurns:
    """URLs leased together with others of their host. Each waits until the one before it has ended and the host has rested.

    (c) Cao: a host's next URLs go over one connection, one after the other. ``now`` and returned times are seconds of one clock.
    """

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, int], deque[Attempt]] = {}  # by host and token
        self._due: dict[tuple[str, int], float] = {}

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def __iter__(self) -> Iterator[Attempt]:
        return (one for waiting in self._waiting.values() for one in waiting)

    def follow(self, attempts: Iterable[Attempt]) -> Iterator[Attempt]:
        """Queue ``attempts``; yields the first of each lease, which may start now."""
        for one in attempts:
            lease = (one.entry.host, one.token)
            if lease in self._waiting:
                self._waiting[lease].append(one)
            else:
                self._waiting[lease] = deque()
                yield one

    def ended(self, attempt: Attempt, rest_seconds: float, now: float) -> list[Attempt]:
        """``attempt`` has ended; the next of its lease is due after the rest. If the rest is too long, returns the others, to be
        released."""
        lease = (attempt.entry.host, attempt.token)
        if not self._waiting.get(lease) or rest_seconds > LONGEST_WAIT:
            return list(self._waiting.pop(lease, ()))
        self._due[lease] = now + rest_seconds
        return []

    def take_due(self, now: float) -> list[Attempt]:
        """Attempts that may start now, at most one per lease."""
        due = [lease for lease, at in self._due.items() if at <= now]
        for lease in due:
            del self._due[lease]
        return [self._waiting[lease].popleft() for lease in due if self._waiting.get(lease)]

    def seconds_to_next(self, now: float) -> float | None:
        """Seconds until the next attempt may start; None when none waits for a rest."""
        return max(0.0, min(self._due.values()) - now) if self._due else None

    def keep(self, is_held: Callable[[str, int], bool]) -> None:
        """Drop the attempts whose lease ``is_held`` (host, token) denies."""
        self._waiting = {lease: waiting for lease, waiting in self._waiting.items() if is_held(*lease)}

    def take_all(self) -> list[Attempt]:
        """Empty the queue and return what was in it."""
        waiting = list(self)
        self._waiting, self._due = {}, {}
        return waiting


def note_outcomes(crawler: Crawler) -> None:
    """Connect the signals that record in ``request.meta`` how each request ended."""
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
    _note(response, Outcome.CALLBACK_ERROR)


def _on_item_error(response: Response | Failure | None) -> None:
    _note(response, Outcome.ITEM_ERROR)


def _on_item_dropped(response: Response | Failure | None, exception: Exception) -> None:
    if isinstance(exception, NotStored):
        _note(response, Outcome.POSTPONED)  # not the page's fault: not counted as an attempt


def _note(response: Response | Failure | None, outcome: str) -> None:
    """``response`` is None for output of ``start``, a Failure for output of an errback."""
    request = getattr(response, "request", None)
    if request is not None:
        request.meta[OUTCOME] = outcome
