"""Decides when a crawl counts as slow or standing, and what is said of it: each cause once, and once that it is over."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from topicspider.stalls.causes import QUIET_SECONDS, Cause

CALM_SECONDS = (
    10.0  # without a sign of trouble until it is over: a host that rests 30 s after each page is one stall, not many
)
RECENT_SECONDS = 8.0


class Pace:
    """Pages by time, looked at about once a second.

    A pace has dropped when the last RECENT_SECONDS brought less than a quarter of what the minute before promised; that
    minute's pace stays the measure until half of it is reached again.
    """

    def __init__(self, now: float, pages: int = 0) -> None:
        self._looks: deque[tuple[float, int]] = deque([(now, pages)])
        self._last_page_at = now
        self._measure: float | None = None  # pages a second before the drop

    def look(self, now: float, pages: int) -> None:
        """There are ``pages`` by now."""
        if pages != self._looks[-1][1]:
            self._last_page_at = now
        self._looks.append((now, pages))
        while len(self._looks) > 2 and self._looks[1][0] <= now - 60.0 - RECENT_SECONDS:
            self._looks.popleft()
        self._measure_drop(now)

    def quiet_seconds(self, now: float) -> float:
        """How long no page has come."""
        return now - self._last_page_at

    def is_slow(self, now: float) -> bool:
        """No page for QUIET_SECONDS, or the pace has dropped."""
        return self.quiet_seconds(now) >= QUIET_SECONDS or self._measure is not None

    def _measure_drop(self, now: float) -> None:
        began, first = self._looks[0]
        at, count = next(
            look for look in reversed(self._looks) if look[0] <= now - RECENT_SECONDS or look is self._looks[0]
        )
        recent = (self._looks[-1][1] - count) / max(now - at, 0.001)
        if self._measure is not None:
            self._measure = None if recent >= self._measure / 2 else self._measure
        elif at - began >= RECENT_SECONDS:
            usual = (count - first) / (at - began)
            # fewer pages come or stay away by chance
            if usual * RECENT_SECONDS >= 16 and recent < usual / 4:
                self._measure = usual


@dataclass(frozen=True, slots=True)
class News:
    """What is to be said now: ``cause`` has begun, or, with ``over_after`` seconds, it is over, and it was the last cause."""

    cause: Cause
    over_after: float | None = None


class StallWatch:
    """One stall at a time, with one cause after the other.

    1. A cause is said when it is first seen in a stall, and not again in it, whatever its numbers become and whatever came between.
    2. A stall is over when there was no sign of it for CALM_SECONDS; that is said once, and never of a stall that was not said.
    """

    def __init__(self) -> None:
        self._began = 0.0
        self._calm_since: float | None = None
        self._said: set[tuple[str, str]] = set()
        self._last: Cause | None = None

    def look(self, now: float, cause: Cause | None) -> News | None:
        """What is to be said now, if anything; ``cause`` is None while the crawl is as fast as it was."""
        if cause is None:
            return self._calm(now)
        if self._last is None:
            self._began = now
        self._calm_since, self._last = None, cause
        if cause.identity in self._said:
            return None
        self._said.add(cause.identity)
        return News(cause)

    def _calm(self, now: float) -> News | None:
        if self._last is None:
            return None
        self._calm_since = now if self._calm_since is None else self._calm_since
        if now - self._calm_since < CALM_SECONDS:
            return None
        news = News(self._last, self._calm_since - self._began)
        self._calm_since, self._last = None, None
        self._said.clear()
        return news
