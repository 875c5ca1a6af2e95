"""Counts how long things took, in buckets as Prometheus has them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

# seconds: a page of a fast host takes .05 to .5, the default limits are 10 for a silence and 60 for a page
BOUNDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)


class Durations:
    """Buckets with an upper bound each, which belongs to its bucket; the last has none."""

    def __init__(self, bounds: Sequence[float] = BOUNDS) -> None:
        self._bounds = tuple(bounds)
        self._counts = [0] * (len(self._bounds) + 1)
        self.total_seconds = 0.0

    def add(self, seconds: float) -> None:
        """One more."""
        self._counts[bisect_left(self._bounds, seconds)] += 1
        self.total_seconds += seconds

    def cumulative(self) -> list[tuple[float, int]]:
        """For each bound how many took as long or less; infinity is the last bound."""
        reached, counts = 0, []
        for bound, count in zip((*self._bounds, float("inf")), self._counts, strict=True):
            reached += count
            counts.append((bound, reached))
        return counts
