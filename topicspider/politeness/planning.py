"""What politeness allows: how many pages hosts give in a time, and how long so many pages take; only arithmetic."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from topicspider.politeness.host_clock import delay_seconds


@dataclass(frozen=True, slots=True)
class Delays:
    """How long hosts are left alone: the settings of that name."""

    factor: float
    low: float
    high: float

    def cycle_seconds(self, download_seconds: float = 0.0, asked_seconds: float = 0.0) -> float:
        """From one page of a host to its next: a download, and the rest after it."""
        return download_seconds + delay_seconds(download_seconds, asked_seconds, self.factor, self.low, self.high)


@dataclass(frozen=True, slots=True)
class HostBudget:
    """What one host gives: a page each ``cycle_seconds``, ``urls`` pages at most; None is without end."""

    cycle_seconds: float
    urls: int | None = None


class Allowance:
    """What some hosts give together, asked by as many nodes as you like: a host is asked by one at a time."""

    def __init__(self, hosts: Iterable[HostBudget]) -> None:
        alike = Counter((round(host.cycle_seconds, 3), host.urls) for host in hosts)
        self._alike = [(cycle, math.inf if urls is None else urls, count) for (cycle, urls), count in alike.items()]

    @property
    def hosts(self) -> int:
        """How many hosts."""
        return sum(count for _, _, count in self._alike)

    def pages_in(self, seconds: float) -> int | None:
        """Whole pages within ``seconds``: hosts x seconds / cycle, while they have any; None when nothing limits them."""
        pages = sum(count * min(urls, _turns(seconds, cycle)) for cycle, urls, count in self._alike)
        return None if pages == math.inf else int(pages)

    def seconds_for(self, pages: int) -> float | None:
        """How long so many pages take; None when the hosts do not have so many."""
        if pages <= 0:
            return 0.0
        longest = max((cycle for cycle, _, _ in self._alike), default=0.0) * pages
        if not self._gives(longest, pages):
            return None
        low, high = 0.0, longest
        for _ in range(60):  # halvings: down to a microsecond of a thousand years
            middle = (low + high) / 2
            low, high = (low, middle) if self._gives(middle, pages) else (middle, high)
        return round(high, 3)

    def _gives(self, seconds: float, pages: int) -> bool:
        given = self.pages_in(seconds)
        return given is None or given >= pages


def _turns(seconds: float, cycle: float) -> float:
    """How many cycles are over after ``seconds``; a thousandth of a millionth is forgiven, as 7200 / .1 is no whole number."""
    return math.inf if cycle <= 0 else math.floor(seconds / cycle + 1e-9)
