"""The values that put links in order of depth and arrival."""

from __future__ import annotations

DEEPEST = 1 << 12
_ARRIVALS = 1 << 30
_STEP = 1e-6  # frontiers keep scores to 1e-6; so the values lie below 4.4e6


class Arrivals:
    """Values > 0 in order of depth, then arrival; exact in millionths for 2^30 links and depths below 4,096."""

    def __init__(self) -> None:
        self._count = 0

    def oldest_first(self, depth: int) -> float:
        """Lower for deeper, then for later links."""
        return ((DEEPEST - min(depth, DEEPEST - 1)) * _ARRIVALS - self._next()) * _STEP

    def newest_first(self, depth: int) -> float:
        """Higher for deeper, then for later links."""
        return (min(depth, DEEPEST - 1) * _ARRIVALS + self._next()) * _STEP

    def _next(self) -> int:
        self._count = min(self._count + 1, _ARRIVALS - 1)
        return self._count
