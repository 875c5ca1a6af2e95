"""Says once when a store goes away, once when it is back."""

from __future__ import annotations

import logging
import threading
import time

from topicspider.errors import StoreUnavailable

FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 5.0
"""Between two attempts to reach a store that is away: the first pause, and what it grows to."""

logger = logging.getLogger(__name__)


class Outage:
    """Whether the store is away, for all who write to it; safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._since: float | None = None

    @property
    def is_on(self) -> bool:
        """The last attempt to reach the store failed."""
        return self._since is not None

    def begin(self, error: StoreUnavailable, rows: int, kept_in: str = "") -> None:
        """An attempt failed; ``rows`` wait, in a file when that is named."""
        with self._lock:
            if self._since is None:
                self._since = time.monotonic()
                place = f" in {kept_in}" if kept_in else ""
                logger.warning("the store is away, %d row(s) wait for it%s: %s", rows, place, error)

    def end(self, rows: int) -> None:
        """An attempt succeeded; ``rows`` were waiting."""
        with self._lock:
            if self._since is not None:
                seconds, self._since = time.monotonic() - self._since, None
                logger.warning("the store is back after %.1f s, %d row(s) were waiting", seconds, rows)
