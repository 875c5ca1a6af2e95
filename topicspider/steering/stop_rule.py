"""When a crawl has found enough: its last pages brought too little, or too little is estimated to be left."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicspider.options import Options

LOW_YIELD = "low_yield"
FEW_LEFT = "few_left"
LAST_PAGES = 300
"""Pages that both rules look at: fewer make estimates of a few hits uncertain, more make the crawl end late."""
# As if a few more had been found on both stretches: a decline that rests on few finds is believed less. On made streams that thin out
# (200 finds, a third of them less each hundred pages) rules of 5, 10 and 20 hits then stop with 6, 12 and 15 left, mean of 12 streams.
_CAUTION = 3.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """How many hits are still to be found: ``low`` to ``high``, and ``about`` in between."""

    about: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Stop:
    """Why the crawl stops: the short ``reason`` of its record, and what was seen."""

    reason: str
    finds: int
    pages: int
    left: Estimate


class StopRule:
    """Looks at the last ``pages`` pages, and at as many before them; ``finds`` are hits that are no copies of earlier ones.

    ``least_percent``: stop when fewer of the last pages are finds. ``least_left``: stop when fewer are estimated to be left, page after page for half of
    ``pages``. 0: never.
    """

    def __init__(self, pages: int, least_percent: float = 0.0, least_left: float = 0.0) -> None:
        self._pages = pages
        self._least_percent = least_percent
        self._least_left = least_left
        self._finds: deque[bool] = deque(maxlen=2 * pages)
        self._looks_below = 0  # in a row: chance alone makes one estimate small now and then

    @classmethod
    def of(cls, options: Options) -> StopRule:
        """The rule that the settings ask for."""
        return cls(LAST_PAGES, options.stop_yield, options.stop_remaining)

    def note(self, is_find: bool) -> None:
        """One more page was judged."""
        self._finds.append(is_find)

    def verdict(self, queued: int) -> Stop | None:
        """Why to stop now, None to go on; ``queued``: how many URLs wait."""
        if not (self._least_percent or self._least_left) or len(self._finds) < self._pages:
            return None
        before, last = self._halves()
        left = estimate(before, last, self._pages, queued)
        if self._least_percent and 100 * last < self._least_percent * self._pages:
            return Stop(LOW_YIELD, last, self._pages, left)
        is_known = len(self._finds) == 2 * self._pages
        self._looks_below = self._looks_below + 1 if is_known and left.about < self._least_left else 0
        if self._looks_below > self._pages // 2:
            return Stop(FEW_LEFT, last, self._pages, left)
        return None

    def _halves(self) -> tuple[int, int]:
        finds = list(self._finds)
        return sum(finds[: -self._pages]), sum(finds[-self._pages :])


def estimate(before: int, last: int, pages: int, queued: int) -> Estimate:
    """How many finds are left after ``before`` and then ``last`` of them on ``pages`` pages each, with ``queued`` URLs waiting.

    The best links go first, so finds thin out; the model of Goel and Okumoto (1979, for the errors left in a program under test) has
    their rate fall by a fixed share with effort. Each further stretch of ``pages`` pages then brings ``q = last / before`` of the one
    before it, together ``last · q / (1 - q)``; and never more than the present rate over all that is queued. The interval is that of
    ``last`` as a Poisson count.
    """
    # standard deviations: nineteen intervals of twenty hold the truth, if finds come by chance
    spread = 1.96 * math.sqrt(last + 0.5)
    about, low, high = (_left(before, count, pages, queued) for count in (last, max(0.0, last - spread), last + spread))
    return Estimate(about, low, high)


def _left(before: float, last: float, pages: int, queued: int) -> float:
    at_most = queued * min(1.0, (last + 0.5) / (pages + 1))
    share = (last + _CAUTION) / (before + _CAUTION)
    return at_most if share >= 1 else min(at_most, (last + 0.5) * share / (1 - share))
