"""Estimates how often a page changes from what its visits saw: changed since the one before, or not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

USUAL_RATE = 1 / 30
"""Changes a day of a page of which nothing is known: most pages of published studies (Cho and Garcia-Molina 2000, Fetterly 2003)
change less than once a month, few far more often."""
SHAPE = 0.5
"""Of the Gamma prior: how many changes seen weigh as much as what is expected. Rates differ by orders of magnitude, so it is low."""
GROUP_STRENGTH = 3.0
"""How many pages of a group weigh as much as what is known of pages in general."""
SEEN_VISITS = 30
"""Older visits say little about now, and cost time."""
_HALVINGS = 24

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
    for _ in range(_HALVINGS if moved else 0):
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
