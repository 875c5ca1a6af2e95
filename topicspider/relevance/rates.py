"""Rates of hits among the links followed so far: of a crawl, its sites, URL patterns and lists, and by distance from the last hit."""

from __future__ import annotations

import math
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from topicspider.errors import one_line

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

UNKNOWN_RATE = 0.15
"""What is expected of a link before anything is known; a hundred links later it no longer matters."""
_LEAST_RATE = 0.003
"""Rates are kept this far from 0 and 1, so that their log-odds stay finite."""
_MOST_RATES = 20_000
"""Of each kind; the oldest go first."""
REFRESHED_AT_ONCE = 1_000
"""A millisecond."""


class SmoothedRate:
    """rate = (total + prior_strength · parent's rate) / (count + prior_strength): the mean outcome of the links of one group.

    With few links the rate of the group's ``parent`` fills in. ``decay``: every new link leaves the earlier ones so much of their
    weight. ``log_odds_gain``: by how much the log-odds of the rate exceed the parent's, as of the last ``add`` or ``refresh``.
    ``members``: queued links of the group, as far as somebody keeps them. ``tries``: how often one of them explored.
    """

    __slots__ = ("count", "decay", "log_odds_gain", "members", "parent", "prior_strength", "rate", "total", "tries")

    def __init__(self, parent: SmoothedRate | None, prior_strength: float, decay: float = 1.0) -> None:
        self.parent, self.prior_strength, self.decay = parent, prior_strength, decay
        self.count = self.total = self.log_odds_gain = 0.0
        self.tries = 0
        self.members: list[int] = []
        self.rate: float = UNKNOWN_RATE if parent is None else parent.rate

    def add(self, outcome: float) -> None:
        """One more link was followed; ``outcome`` in [0, 1]."""
        self.count = self.count * self.decay + 1.0
        self.total = self.total * self.decay + outcome
        self.refresh()

    def refresh(self) -> None:
        """Follow the parent's present rate."""
        expected = UNKNOWN_RATE if self.parent is None else self.parent.rate
        self.rate = (self.total + self.prior_strength * expected) / (self.count + self.prior_strength)
        self.log_odds_gain = log_odds(self.rate) - log_odds(expected) if self.count else 0.0

    def state(self) -> tuple[float, float, float, float]:
        """What ``adopt`` takes; rate and gain too, for the parent may have moved on since they were computed."""
        return self.count, self.total, self.rate, self.log_odds_gain

    def adopt(self, count: float, total: float, rate: float, log_odds_gain: float) -> None:
        """Take the numbers of another process."""
        self.count, self.total, self.rate, self.log_odds_gain = count, total, rate, log_odds_gain

    def forget(self) -> None:
        """Know nothing any more: the parent's rate holds."""
        self.adopt(0.0, 0.0, UNKNOWN_RATE if self.parent is None else self.parent.rate, 0.0)


def log_odds(rate: float) -> float:
    """log(rate / (1 - rate)), with the rate kept off 0 and 1."""
    rate = min(1.0 - _LEAST_RATE, max(_LEAST_RATE, rate))
    return math.log(rate / (1.0 - rate))


class RateTables:
    """The rates of one crawl, each made when it is first asked for.

    Prior strengths and decays are those of the first versions, and flat: with decay 1 or one strength for all the harvest is the same
    within noise (benchmarks/quality/leave_one_out.py).
    """

    def __init__(self) -> None:
        self.global_rate = SmoothedRate(None, prior_strength=10.0, decay=0.998)
        self._sites: OrderedDict[str, SmoothedRate] = OrderedDict()
        self._patterns: OrderedDict[tuple[str, str], SmoothedRate] = OrderedDict()
        self._lists: OrderedDict[Hashable, SmoothedRate] = OrderedDict()

    def site(self, name: str) -> SmoothedRate:
        """Of links to pages of a site; a site is judged by about its last hundred links."""
        rate = self._sites.get(name)
        return rate or _add(self._sites, name, SmoothedRate(self.global_rate, prior_strength=6.0, decay=0.99))

    def pattern(self, site: str, pattern: str) -> SmoothedRate:
        """Of links to URLs of this pattern on the site."""
        key = (site, pattern)
        rate = self._patterns.get(key)
        return rate or _add(self._patterns, key, SmoothedRate(self.site(site), prior_strength=4.0, decay=0.99))

    def group(self, key: Hashable, parent: SmoothedRate) -> SmoothedRate:
        """Of links in one list, in one group of a list, or in one menu of a site, as ``key`` says."""
        return self._lists.get(key) or _add(self._lists, key, SmoothedRate(parent, prior_strength=4.0))

    def refresh(self) -> Iterator[None]:
        """Have sites and patterns follow their parents, some at a time."""
        for number, rate in enumerate([*self._sites.values(), *self._patterns.values()], 1):
            rate.refresh()
            if number % REFRESHED_AT_ONCE == 0:
                yield

    def state(self) -> dict[str, Any]:
        """The latest rates that another process can use too, as plain data."""
        sites = [[name, *rate.state()] for name, rate in list(self._sites.items())[-2_000:]]
        patterns = [[*key, *rate.state()] for key, rate in list(self._patterns.items())[-2_000:] if rate.count]
        return {"global": [*self.global_rate.state()], "sites": sites, "patterns": patterns}

    def adopt(self, state: Mapping[str, Any]) -> None:
        """Take what ``state`` gave, and forget what it does not know: both score alike (R5). ValueError for anything else."""
        try:
            whole = _numbers(state["global"])
            sites = {str(name): _numbers(numbers) for name, *numbers in state["sites"]}
            patterns = {(str(name), str(form)): _numbers(numbers) for name, form, *numbers in state["patterns"]}
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"no rates: {one_line(str(error))}") from None
        self.global_rate.adopt(*whole)
        _forget(self._sites.values())
        for name, numbers in sites.items():
            self.site(name).adopt(*numbers)
        _forget(self._patterns.values())
        for key, numbers in patterns.items():
            self.pattern(*key).adopt(*numbers)


def _forget(rates: Iterable[SmoothedRate]) -> None:
    for rate in rates:
        rate.forget()


def _numbers(given: Sequence[object]) -> tuple[float, float, float, float]:
    count, total, rate, gain = map(float, given)  # type: ignore[arg-type]
    if not all(map(math.isfinite, (count, total, rate, gain))):
        raise ValueError("out of range")
    return count, total, rate, gain


def _add(table: OrderedDict[Any, SmoothedRate], key: Hashable, rate: SmoothedRate) -> SmoothedRate:
    table[key] = rate
    if len(table) > _MOST_RATES:
        table.popitem(last=False)
    return rate
