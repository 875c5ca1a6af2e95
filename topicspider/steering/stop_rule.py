"""When a crawl has found enough: its last pages brought too little."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

LOW_YIELD = "low_yield"
LAST_PAGES = 300
"""Pages that the rule looks at: fewer make a share of a few hits uncertain, more make the crawl end late."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Why the crawl stops: the short ``reason`` of its record, and what was seen."""

    reason: str
    finds: int
    pages: int


class StopRule:
    """Looks at the last LAST_PAGES pages; a find is a hit that is no copy of an earlier one.

    ``least_percent``: stop when fewer of the last pages are finds; 0: never.
    """

    def __init__(self, least_percent: float = 0.0) -> None:
        self._least_percent = least_percent
        self._finds: deque[bool] = deque(maxlen=LAST_PAGES)

    def note(self, is_find: bool) -> None:
        self._finds.append(is_find)

    def verdict(self) -> Stop | None:
        """Why to stop now, None to go on."""
        pages, finds = len(self._finds), sum(self._finds)
        is_over = pages == self._finds.maxlen and 100 * finds < self._least_percent * pages
        return Stop(LOW_YIELD, finds, pages) if is_over else None
