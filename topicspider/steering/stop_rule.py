"""When a crawl ends because its last pages brought too few hits."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

LOW_YIELD = "low_yield"
LAST_PAGES = 300
"""Pages that the rule looks at: with fewer a low share of hits is uncertain, with more the crawl ends late."""
DRY_PAGES = 1_000
"""By default a crawl ends after this many pages without a hit (benchmarks/quality/stopping.py; docs/experiments.md has other numbers)."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Why the crawl stops: the short ``reason`` in its record, and how many of the last ``pages`` were finds."""

    reason: str
    finds: int
    pages: int


class StopRule:
    """Stops when too few of the last pages are finds: hits that are no copies of earlier ones.

    ``least_percent``: stop when fewer of the last LAST_PAGES pages are finds; 0: never; below 0: when none of the last DRY_PAGES is one.
    """

    def __init__(self, least_percent: float) -> None:
        is_usual = least_percent < 0
        self._finds: deque[bool] = deque(maxlen=DRY_PAGES if is_usual else LAST_PAGES)
        self._least_percent = 100 / DRY_PAGES if is_usual else least_percent

    def note(self, is_find: bool) -> None:
        self._finds.append(is_find)

    def verdict(self) -> Stop | None:
        """Why to stop now, None to go on."""
        pages, finds = len(self._finds), sum(self._finds)
        is_over = pages == self._finds.maxlen and 100 * finds < self._least_percent * pages
        return Stop(LOW_YIELD, finds, pages) if is_over else None


def stop_rule_of(stop_yield: float, least_score: float, *, waits: bool = False) -> StopRule:
    """The rule of the setting. Below 0 (the usual rule) becomes 0 for crawls that fetch links of any score, or that wait for more seeds."""
    return StopRule(0.0 if stop_yield < 0 and (waits or least_score <= 0) else stop_yield)
