"""When a crawl has found enough: its last pages brought too little."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

LOW_YIELD = "low_yield"
LAST_PAGES = 300
"""Pages that the rule looks at: fewer make a share of a few hits uncertain, more make the crawl end late."""
DRY_PAGES = 1_000
"""By default a crawl ends when so many pages in a row gave no hit (benchmarks/quality/stopping.py; docs/experiments.md has other numbers)."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Why the crawl stops: the short ``reason`` of its record, and what was seen."""

    reason: str
    finds: int
    pages: int


class StopRule:
    """Looks at the last pages; a find is a hit that is no copy of an earlier one.

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
    """The rule of a setting. Below 0, the usual one, is not for crawls that fetch links of any score, or that ``wait`` for more seeds."""
    return StopRule(0.0 if stop_yield < 0 and (waits or least_score <= 0) else stop_yield)
