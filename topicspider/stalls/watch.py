"""Decides when a crawl counts as slow or standing, and what is said of it: each cause once, and once that it is over."""

from __future__ import annotations

from collections import deque

from topicspider.stalls.causes import QUIET_SECONDS, Cause

# without a sign of trouble until it is over: a host that rests 30 s after each page is one stall, not many
CALM_SECONDS = 10.0
USUAL_LOOKS, RECENT_LOOKS = 60, 8


class Pace:
    """Pages by look, of which there is one about each second.

    A pace has dropped when the last RECENT_LOOKS brought less than a quarter of what those before promised; that
    pace stays the measure until half of it is reached again.
    """

    def __init__(self, now: float, pages: int = 0) -> None:
        self._last_page_at, self._pages = now, pages
        self._new: deque[int] = deque(maxlen=USUAL_LOOKS + RECENT_LOOKS)
        self._usual = 0.0  # pages a look before a drop that still lasts

    def look(self, now: float, pages: int) -> None:
        self._new.append(pages - self._pages)
        if pages != self._pages:
            self._last_page_at, self._pages = now, pages
        looks = list(self._new)
        before, recent = looks[:-RECENT_LOOKS], sum(looks[-RECENT_LOOKS:]) / RECENT_LOOKS
        usual = sum(before) / len(before) if len(before) >= RECENT_LOOKS else 0.0
        if self._usual:
            self._usual = self._usual if recent < self._usual / 2 else 0.0
        elif usual * RECENT_LOOKS >= 16 and recent < usual / 4:  # fewer pages come or stay away by chance
            self._usual = usual

    def quiet_seconds(self, now: float) -> float:
        return now - self._last_page_at

    def is_slow(self, now: float) -> bool:
        """No page for QUIET_SECONDS, or the pace has dropped."""
        return self.quiet_seconds(now) >= QUIET_SECONDS or self._usual > 0


class StallWatch:
    """One stall at a time, with one cause after the other.

    1. A cause is said when it is first seen in a stall, and not again in it, whatever its numbers become and whatever came between.
    2. A stall is over when there was no sign of it for CALM_SECONDS; that is said once, and never of a stall that was not said.
    """

    def __init__(self) -> None:
        self._began = self._seen_at = 0.0
        self._said: set[tuple[str, str]] = set()

    def look(self, now: float, cause: Cause | None) -> Cause | float | None:
        """What is to be said now: a cause that has begun; after how many seconds all is over; or nothing.

        ``cause`` is None while the crawl is as fast as it was.
        """
        if cause is None:
            if not self._said or now - self._seen_at < CALM_SECONDS:
                return None
            self._said.clear()
            return self._seen_at - self._began
        if not self._said:
            self._began = now
        self._seen_at = now
        if cause.identity in self._said:
            return None
        self._said.add(cause.identity)
        return cause
