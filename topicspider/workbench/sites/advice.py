"""What to do with a site after what it has given: keep, drop or raise it."""

from __future__ import annotations

import math
from dataclasses import dataclass

KEEP, DROP, RAISE = "keep", "drop", "raise"

CERTAINTY = 1.96
"""Standard deviations of a normal distribution: 95 % of it lies within."""

LEAST_FETCHES = 10
"""Nothing is said of fewer. Where one page in twenty is a hit, one hit of one page is above that by the interval alone."""

DROP_SHARE = 0.25
"""Half of all sites are surely below the crawl's hit rate once there are enough pages, and most of them still worth it: less than a quarter is too little."""


@dataclass(frozen=True, slots=True)
class Advice:
    """``word`` is keep, drop or raise; ``reason`` one of few_fetches, no_hits_yet, above, below, leads, lower, usual."""

    word: str
    reason: str


def interval(hits: int, fetches: int) -> tuple[float, float]:
    """Between which shares the true hit rate of a site lies, by ``hits`` in ``fetches``: Wilson's interval; (0, 1) when nothing was fetched."""
    if not fetches:
        return 0.0, 1.0
    share, squared = hits / fetches, CERTAINTY**2 / fetches
    middle = (share + squared / 2) / (1 + squared)
    reach = CERTAINTY * math.sqrt((share * (1 - share) + squared / 4) / fetches) / (1 + squared)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def advise(hits: int, leads: int, fetches: int, crawl_rate: float) -> Advice:
    """What to do with a site that gave ``hits`` in ``fetches``, and whose links led to ``leads`` hits of other sites.

    Raise: even the least that its rate may be is above ``crawl_rate``. Drop: even the most that it may be is below, what was seen
    is less than a quarter of it, and both stay so when each hit it led to counts as its own: a hub or a tunnel ((a) Li 2002) pays elsewhere.
    """
    if fetches < LEAST_FETCHES:
        return Advice(KEEP, "few_fetches")
    if not crawl_rate:
        return Advice(KEEP, "no_hits_yet")
    lowest, highest = interval(hits, fetches)
    if lowest > crawl_rate:
        return Advice(RAISE, "above")
    if highest >= crawl_rate:
        return Advice(KEEP, "usual")
    if not _is_poor(hits, fetches, crawl_rate):
        return Advice(KEEP, "lower")
    return Advice(DROP, "below") if _is_poor(min(fetches, hits + leads), fetches, crawl_rate) else Advice(KEEP, "leads")


def _is_poor(hits: int, fetches: int, crawl_rate: float) -> bool:
    return interval(hits, fetches)[1] < crawl_rate and hits / fetches < DROP_SHARE * crawl_rate
