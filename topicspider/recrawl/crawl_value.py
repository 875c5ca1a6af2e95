"""How often a page changes, and what another visit to it is worth."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

USUAL_RATE = 1 / 30
"""Changes a day of a page of which nothing is known: most pages of published studies (Cho and Garcia-Molina 2000, Fetterly 2003)
change less than once a month, few far more often."""
SHAPE = 0.5
"""Of the Gamma prior: how many changes seen weigh as much as what is expected. Rates differ by orders of magnitude, so it is low."""
GROUP_STRENGTH = 3.0
"""How many pages of a group weigh as much as what is known of pages in general."""
SEEN_VISITS = 30
"""Older visits say little about now, and cost time."""

Visits = Sequence[tuple[float, bool]]
"""For each visit but the first: days since the one before, and whether the page had changed."""


def change_rate(visits: Visits, usual: float = USUAL_RATE) -> float:
    """Changes a day: the likeliest rate of a Poisson process under a Gamma prior with mean ``usual``.

    A visit after ``d`` days sees a change with probability 1 - exp(-rate d), however many there were (Cho and Garcia-Molina 2003,
    "Estimating frequency of change"): visits that always see one give a rate that grows with their number, not an infinite one.
    """
    seen = [(days, changed) for days, changed in visits[-SEEN_VISITS:] if days > 0]
    calm = SHAPE / usual + sum(days for days, changed in seen if not changed)
    moved = [days for days, changed in seen if changed]
    low, high = SHAPE / calm, (SHAPE + len(moved)) / calm
    for _ in range(24 if moved else 0):
        middle = math.sqrt(low * high)
        # where the likelihood has its top: rate * calm = shape + sum of d rate / (exp(d rate) - 1), the right side falls
        if middle * calm < SHAPE + sum(_expected(days * middle) for days in moved):
            low = middle
        else:
            high = middle
    return math.sqrt(low * high)


def _expected(x: float) -> float:
    return x / math.expm1(x) if x < 50 else 0.0


@dataclass(frozen=True, slots=True)
class UsualRates:
    """What is usual for pages of a group (a site's lists, its other pages), learned from those that were visited again."""

    overall: float = USUAL_RATE
    by_group: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, seen: Iterable[tuple[str, Visits]]) -> UsualRates:
        """From (group, visits) of pages; the middle of a group is that of its rates' logarithms, for a few are far higher than the rest."""
        logs: dict[str, list[float]] = {}
        for group, visits in seen:
            if visits:
                logs.setdefault(group, []).append(math.log(change_rate(visits)))
        overall = _middle([one for some in logs.values() for one in some], USUAL_RATE)
        return cls(overall, {group: _middle(some, overall) for group, some in sorted(logs.items())})

    def of_group(self, group: str) -> float:
        """Changes a day to be expected of a page of ``group``."""
        return self.by_group.get(group, self.overall)


def _middle(logs: Sequence[float], usual: float) -> float:
    return math.exp((GROUP_STRENGTH * math.log(usual) + math.fsum(logs)) / (GROUP_STRENGTH + len(logs)))


SHORTEST_CYCLE = 1 / 24
LONGEST_CYCLE = 180.0
"""Days. No page is asked for more often than hourly, and none is forgotten for good, even if it changes too fast to be kept fresh."""
NEW_HIT = 0.5
"""What a new hit is worth, beside the relevance of a hit that is kept fresh for as long as the new one waits to be found."""
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
    for _ in range(60 if len(table) else 0):
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
        # until it has changed, or a hub has something new, with a chance of 1 in 20: a large budget is no reason to ask in vain
        rest = -math.log(0.95) / (rate + hits_a_day)
    sooner = np.minimum(fresh, np.nan_to_num(found, nan=np.inf, posinf=np.inf))
    cycles: NDArray[np.float64] = np.clip(np.maximum(sooner, rest), SHORTEST_CYCLE, LONGEST_CYCLE)
    return cycles
