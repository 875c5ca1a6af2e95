"""Remembers how fast each host connects and answers, as moving averages."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

# (c) Cao: a new average is .8 of the old one and .2 of the new measurement
OLD_SHARE, NEW_SHARE = 0.8, 0.2


@dataclass(frozen=True, slots=True)
class HostSpeed:
    """Averages in seconds; None while nothing was measured."""

    connect_seconds: float | None = None
    response_seconds: float | None = None


def smoothed(average: float | None, measured: float | None) -> float | None:
    """The exponentially weighted average after one more measurement ((c) Cao); None counts as none."""
    if measured is None:
        return average
    return measured if average is None else OLD_SHARE * average + NEW_SHARE * measured


class HostSpeeds:
    """Averages of at most ``capacity`` hosts; those not measured for the longest time are forgotten."""

    def __init__(self, capacity: int = 100_000) -> None:
        self._capacity = capacity
        self._speeds: OrderedDict[str, HostSpeed] = OrderedDict()

    def of(self, host: str) -> HostSpeed:
        """What is known of ``host``."""
        return self._speeds.get(host, HostSpeed())

    def measured(self, host: str, connect_seconds: float | None, response_seconds: float | None) -> HostSpeed:
        """Take in one fetch; None for what it did not tell (a connection that was kept alive)."""
        known = self.of(host)
        speed = HostSpeed(
            smoothed(known.connect_seconds, connect_seconds), smoothed(known.response_seconds, response_seconds)
        )
        self._speeds[host] = speed
        self._speeds.move_to_end(host)
        if len(self._speeds) > self._capacity:
            self._speeds.popitem(last=False)
        return speed
