"""Says what another look at a page is worth now, and after how long it is worth a fetch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHORTEST_CYCLE = 1 / 24
LONGEST_CYCLE = 180.0
"""Days. No page is asked for more often than hourly, and none is forgotten for good, even if it changes too fast to be kept fresh."""
LEAST_CHANCE = 0.05
"""A page rests until it has changed, or a hub has something new, with at least this chance: a large budget is no reason to ask in vain."""
NEW_HIT = 0.5
"""What a new hit is worth, beside the relevance of a hit that is kept fresh for as long as the new one waits to be found."""
_STEPS = 60
# x by the square root of 1 - (1 + x) exp(-x), which is nearly straight at first
_X = np.linspace(0.0, 30.0, 6001)
_ROOT = np.sqrt(-np.expm1(-_X) - _X * np.exp(-_X))


@dataclass(frozen=True, slots=True)
class Prospect:
    """What a fetch of a page may bring: ``weight`` is its relevance, ``rate`` its changes a day, ``hits_a_day`` the new hits that it leads to."""

    weight: float
    rate: float
    hits_a_day: float = 0.0

    def value(self, days: float) -> float:
        """What a fetch is worth ``days`` after the last, in days of one wholly relevant page kept fresh.

        Of a page whose copy is stale with probability 1 - exp(-rate d) after d days, a fetch is worth (weight / rate) (1 - (1 + x)
        exp(-x)) with x = rate days: to fetch always the page of highest value keeps the most relevance fresh for a budget (Azar et al.
        2018, "Tractable near-optimal policies for crawling"). It rises to weight / rate and no further: a page that changes all the time
        is never worth much. Of a hub the same reckoning gives hits_a_day days² / 2, without an end. A page has the higher of both:
        what changes on a hub is mostly its links.
        """
        x = self.rate * days
        fresh = self.weight / self.rate * (-math.expm1(-x) - x * math.exp(-x))
        return round(max(fresh, NEW_HIT * self.hits_a_day * days * days / 2), 9)

    def cycle(self, level: float) -> float:
        """After how many days a fetch is worth ``level``: the update cycle."""
        return float(_cycles(np.array([[self.weight, self.rate, self.hits_a_day]]), level)[0])


def level_of(prospects: Sequence[Prospect], fetches_a_day: float) -> float:
    """The level at which all ``prospects`` together want ``fetches_a_day``."""
    table = np.array([[one.weight, one.rate, one.hits_a_day] for one in prospects], dtype=float)
    low, high = 1e-9, 1e6
    for _ in range(_STEPS if len(table) else 0):
        middle = math.sqrt(low * high)
        if float(np.sum(1.0 / _cycles(table, middle))) > fetches_a_day:
            low = middle
        else:
            high = middle
    return math.sqrt(low * high)


def _cycles(table: NDArray[np.float64], level: float) -> NDArray[np.float64]:
    weight, rate, hits_a_day = table.T
    with np.errstate(divide="ignore", invalid="ignore"):
        share = level * rate / weight  # of all that it can ever be worth
        fresh = np.where(share < 1.0, np.interp(np.sqrt(np.minimum(share, 1.0)), _ROOT, _X) / rate, np.inf)
        found = np.sqrt(2.0 * level / (NEW_HIT * hits_a_day))
        rest = -math.log1p(-LEAST_CHANCE) / (rate + hits_a_day)
    sooner = np.minimum(fresh, np.nan_to_num(found, nan=np.inf, posinf=np.inf))
    cycles: NDArray[np.float64] = np.clip(np.maximum(sooner, rest), SHORTEST_CYCLE, LONGEST_CYCLE)
    return cycles
