"""The scheduler's last exchange with the frontier (grant, counts, trouble), kept to explain why a crawl stands still."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from topicspider.frontier.protocol import Counts, Grant


@dataclass(frozen=True, slots=True)
class Ended:
    """One attempt that ended without a page; ``outcome`` is the short name of the reason."""

    host: str
    outcome: str


class FrontierStatus:
    """Updated on the event loop, ``counts`` also in the frontier's thread. ``trouble``: why the frontier does not answer, or ""."""

    def __init__(self) -> None:
        self._call_began: float | None = None
        self._granted_at = time.monotonic()
        self.grant = Grant((), 0.0)
        self.counts = Counts()
        self.trouble = ""
        self.calls = 0
        self.spent_seconds = 0.0  # in calls that are over
        self.failures: deque[Ended] = deque(maxlen=200)
        """The attempts that ended without a page since the last page."""

    @contextmanager
    def call(self) -> Iterator[None]:
        began = self._call_began = time.monotonic()
        try:
            yield
        finally:
            self._call_began = None
            self.calls += 1
            self.spent_seconds += time.monotonic() - began

    def granted(self, grant: Grant) -> None:
        self.grant, self._granted_at = grant, time.monotonic()

    def ended(self, host: str, reason: str) -> None:
        """An attempt at a URL of ``host`` has ended; ``reason`` is "" for a page."""
        if reason:
            self.failures.append(Ended(host, reason))
        else:
            self.failures.clear()

    @property
    def call_seconds(self) -> float:
        """How many seconds the present call has taken so far; 0 if there is none."""
        return 0.0 if self._call_began is None else time.monotonic() - self._call_began

    @property
    def granted_seconds(self) -> float:
        """How many seconds ago the frontier answered last."""
        return time.monotonic() - self._granted_at

    @property
    def wait_seconds(self) -> float | None:
        """How many seconds are left of the wait that the frontier asked for; None if it asked for none."""
        wait = self.grant.wait_seconds
        return None if wait is None else max(0.0, self._granted_at + wait - time.monotonic())


def frontier_status_of(crawler: Any) -> FrontierStatus | None:
    """The status of our scheduler; None with another scheduler."""
    status = getattr(getattr(crawler.engine, "scheduler", None), "frontier_status", None)
    return status if isinstance(status, FrontierStatus) else None
