"""A leased URL from its turn to its end: how its request ended, and which wait for the one before them on their host."""

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

OUR_ERRORS = (Outcome.CALLBACK_ERROR, Outcome.ITEM_ERROR)  # the fetch was good, our side failed: worth another try


@dataclass(slots=True)
class Attempt:
    """A URL that is leased to us, and its request."""

    entry: Entry
    token: int
    request: Request


class Followers:
    """URLs leased with others of their host: each waits for the one before it, and for the host's rest; times are seconds of one clock.

    (c) Cao: a host's next URLs go over one connection, one after the other.
    """

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, int], deque[Attempt]] = {}  # by host and token
        self._due: dict[tuple[str, int], float] = {}

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def __iter__(self) -> Iterator[Attempt]:
        return (one for waiting in self._waiting.values() for one in waiting)

    def follow(self, attempts: Iterable[Attempt]) -> Iterator[Attempt]:
        """The first of each lease among ``attempts``, which may begin; the others wait."""
        for one in attempts:
            lease = (one.entry.host, one.token)
            if lease in self._waiting:
                self._waiting[lease].append(one)
            else:
                self._waiting[lease] = deque()
                yield one

    def ended(self, attempt: Attempt, rest_seconds: float, now: float) -> list[Attempt]:
        """The one before has ended; returns those that need not wait: their host rests for too long."""
        lease = (attempt.entry.host, attempt.token)
        if not self._waiting.get(lease) or rest_seconds > LONGEST_WAIT:
            return list(self._waiting.pop(lease, ()))
        self._due[lease] = now + rest_seconds
        return []

    def take_due(self, now: float) -> list[Attempt]:
        """Those that may begin now, one a lease."""
        due = [lease for lease, at in self._due.items() if at <= now]
        for lease in due:
            del self._due[lease]
        return [self._waiting[lease].popleft() for lease in due if self._waiting.get(lease)]

    def seconds_to_next(self, now: float) -> float | None:
        """Until one may begin; None when none waits for a rest."""
        return max(0.0, min(self._due.values()) - now) if self._due else None

    def keep(self, is_held: Callable[[str, int], bool]) -> None:
        """Forget those whose lease is lost."""
        self._waiting = {lease: waiting for lease, waiting in self._waiting.items() if is_held(*lease)}

    def take_all(self) -> list[Attempt]:
        """All that wait, in no order that matters."""
        waiting = list(self)
        self._waiting, self._due = {}, {}
        return waiting


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
    _note(response, Outcome.CALLBACK_ERROR)


def _on_item_error(response: Response | Failure | None) -> None:
    _note(response, Outcome.ITEM_ERROR)


def _on_item_dropped(response: Response | Failure | None, exception: Exception) -> None:
    if isinstance(exception, NotStored):
        _note(response, Outcome.POSTPONED)  # not the page's fault: no attempt is counted


def _note(response: Response | Failure | None, outcome: str) -> None:
    """None comes from ``start``, a Failure from an errback."""
    request = getattr(response, "request", None)
    if request is not None:
        request.meta[OUTCOME] = outcome
