"""Says once when a store goes away, once when it is back."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from topicspider.errors import StoreUnavailable

FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 5.0
"""Between two attempts to reach a store that is away: the first pause, and what it grows to."""

STEADY_SECONDS = 5.0
"""A server whose disk is full takes a small row now and then. It is back when it has taken all that waited, or all for so long."""

logger = logging.getLogger(__name__)


class Outage:
    """Whether the store is away, for all who write to it; safe from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._since: float | None = None
        self._well_since: float | None = None  # of the attempts since the last that failed, when the first was
        self._rows = 0  # that waited then
        self._times = 0
        self._seconds = 0.0  # of outages that are over

    @property
    def is_on(self) -> bool:
        """The store went away, and has not come back for good."""
        return self._since is not None

    @property
    def so_far(self) -> tuple[int, float]:
        """How often the store was away, and for how many seconds in all."""
        with self._lock:
            since = 0.0 if self._since is None else self._clock() - self._since
            return self._times, self._seconds + since

    def begin(self, error: StoreUnavailable, rows: int, kept_in: str = "") -> None:
        """An attempt failed; ``rows`` wait, in a file when that is named."""
        with self._lock:
            self._well_since = None
            if self._since is None:
                self._since = self._clock()
                self._times += 1
                place = f" in {kept_in}" if kept_in else ""
                logger.warning("the store is away, %d row(s) wait for it%s: %s", rows, place, error)

    def end(self, rows: int, left: int = 0) -> None:
        """An attempt succeeded; ``rows`` were waiting, ``left`` of them still are."""
        with self._lock:
            if self._since is None:
                return
            now = self._clock()
            if self._well_since is None:
                self._well_since, self._rows = now, rows
            if left and now - self._well_since < STEADY_SECONDS:
                return
            seconds, self._since = self._well_since - self._since, None
            self._seconds += seconds
            logger.warning("the store is back after %.1f s, %d row(s) were waiting", seconds, self._rows)
