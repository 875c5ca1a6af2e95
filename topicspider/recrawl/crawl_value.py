"""Estimates how often a page changes, and the value of another visit to it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

USUAL_RATE = 1 / 30
"""Changes per day of a page of which nothing is known: in published studies (Cho and Garcia-Molina 2000, Fetterly 2003) most pages
change less than once a month, and few far more often."""
SHAPE = 0.5
"""Shape of the Gamma prior: so many observed changes weigh as much as the prior. Rates differ by orders of magnitude, so it is low."""
GROUP_STRENGTH = 3.0
"""So many pages of a group weigh as much as the rate of pages in general."""
SEEN_VISITS = 30
"""Only so many last visits count: older ones say little about the present, and cost time."""

Visits = Sequence[tuple[float, bool]]
"""(days since the previous visit, whether the page had changed), for each visit but the first."""


def change_rate(visits: Visits, usual: float = USUAL_RATE) -> float:
    """Changes per day: the most likely rate of a Poisson process under a Gamma prior with mean ``usual``.

    A visit after ``d`` days sees a change with probability 1 - exp(-rate d), however many changes there were (Cho and Garcia-Molina 2003,
    "Estimating frequency of change"). If every visit sees a change, the rate grows with their number but stays finite.
    """
    seen = [(days, changed) for days, changed in visits[-SEEN_VISITS:] if days > 0]
    calm = SHAPE / usual + sum(days for days, changed in seen if not changed)
    moved = [days for days, changed in seen if changed]
    low, high = SHAPE / calm, (SHAPE + len(moved)) / calm
    for _ in range(24 if moved else 0):
        middle = math.sqrt(low * high)
        # at the maximum: rate * calm = shape + sum of d rate / (exp(d rate) - 1); the right side decreases with the rate
        if middle * calm < SHAPE + sum(_expected(days * middle) for days in moved):
            low = middle
        else:
            high = middle
    return math.sqrt(low * high)


def _expected(x: float) -> float:
    return x / math.expm1(x) if x < 50 else 0.0


@dataclass(frozen=True, slots=True)
class UsualRates:
    """The usual change rate of pages of a group (a site's lists, its other pages), learned from revisited pages."""

    overall: float = USUAL_RATE
    by_group: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, seen: Iterable[tuple[str, Visits]]) -> UsualRates:
        """From (group, visits) of pages; rates are averaged as logarithms, as a few are far higher than the rest."""
        logs: dict[str, list[float]] = {}
        for group, visits in seen:
            if visits:
                logs.setdefault(group, []).append(math.log(change_rate(visits)))
        overall = _middle([one for some in logs.values() for one in some], USUAL_RATE)
        return cls(overall, {group: _middle(some, overall) for group, some in sorted(logs.items())})

    def of_group(self, group: str) -> float:
        """The expected changes per day of a page of ``group``."""
        return self.by_group.get(group, self.overall)


def _middle(logs: Sequence[float], usual: float) -> float:
    return math.exp((GROUP_STRENGTH * math.log(usual) + math.fsum(logs)) / (GROUP_STRENGTH + len(logs)))


SHORTEST_CYCLE = 1 / 24
LONGEST_CYCLE = 180.0
"""Bounds of the update cycle, in days: no page is revisited more than hourly or never, even if it changes too fast to be kept fresh."""
NEW_HIT = 0.5
"""Value of finding a new hit, for each day that it has waited to be found; keeping a fully relevant page fresh for a day is worth 1."""
# table of x over the square root of 1 - (1 + x) exp(-x), which is nearly linear at first
_X = np.linspace(0.0, 30.0, 6001)
_ROOT = np.sqrt(-np.expm1(-_X) - _X * np.exp(-_X))


@dataclass(frozen=True, slots=True)
class Prospect:
    """What a fetch of a page may bring: ``weight``: its relevance; ``rate``: its changes per day; ``hits_a_day``: new hits it leads to."""

    weight: float
    rate: float
    hits_a_day: float = 0.0

    def value(self, days: float) -> float:
        """The value of a fetch ``days`` after the last one; unit: one fully relevant page kept fresh for one day.

        If a copy is stale with probability 1 - exp(-rate d) after d days, the value is (weight / rate) (1 - (1 + x) exp(-x)) with x = rate
        days: always fetching the page of highest value keeps the most relevance fresh for a budget (Azar et al. 2018, "Tractable
        near-optimal policies for crawling"). It is bounded by weight / rate: a page that changes all the time is never worth much. For a
        hub the same calculation gives NEW_HIT hits_a_day days² / 2, without a bound. A page has the higher of both values, as what changes
        on a hub is mostly its links.
        """
        x = self.rate * days
        fresh = self.weight / self.rate * (-math.expm1(-x) - x * math.exp(-x))
        return round(max(fresh, NEW_HIT * self.hits_a_day * days * days / 2), 9)

    def cycle(self, level: float) -> float:
        """The update cycle in days: when the value of a fetch reaches ``level``."""
        return float(_cycles(np.array([[self.weight, self.rate, self.hits_a_day]]), level)[0])


def level_of(prospects: Sequence[Prospect], fetches_a_day: float) -> float:
    """The value at which the cycles of all ``prospects`` together need ``fetches_a_day``."""
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
        share = level * rate / weight  # of the largest value possible
        fresh = np.where(share < 1.0, np.interp(np.sqrt(np.minimum(share, 1.0)), _ROOT, _X) / rate, np.inf)
        found = np.sqrt(2.0 * level / (NEW_HIT * hits_a_day))
        # wait until a change or a new hit has a probability of 1 in 20: a large budget is no reason for useless visits
        rest = -math.log(0.95) / (rate + hits_a_day)
    sooner = np.minimum(fresh, np.nan_to_num(found, nan=np.inf, posinf=np.inf))
    cycles: NDArray[np.float64] = np.clip(np.maximum(sooner, rest), SHORTEST_CYCLE, LONGEST_CYCLE)
    return cycles
