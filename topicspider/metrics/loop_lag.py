"""Remembers how late the event loop was lately: what it costs everybody when one callback takes long."""

from __future__ import annotations

from collections import deque

KEPT_SECONDS = 60.0  # as long as some let pass between two looks


class LoopLag:
    """Told at each beat of a clock that the loop itself should keep."""

    def __init__(self, beat_seconds: float, now: float) -> None:
        self._beat_seconds = beat_seconds
        self._last = now
        self._lags: deque[tuple[float, float]] = deque()

    def beat(self, now: float) -> None:
        """The loop has come round, ``beat_seconds`` after the last time if nothing held it up."""
        self._lags.append((now, max(0.0, now - self._last - self._beat_seconds)))
        self._last = now
        self._forget(now)

    def worst(self, now: float) -> float:
        """The longest delay of the last KEPT_SECONDS."""
        self._forget(now)
        return max((lag for _, lag in self._lags), default=0.0)

    def _forget(self, now: float) -> None:
        while self._lags and self._lags[0][0] < now - KEPT_SECONDS:
            self._lags.popleft()
