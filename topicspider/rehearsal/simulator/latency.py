"""How long a download takes in virtual time: constant, drawn for each host and page, or as it was recorded."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.errors import ConfigError
from topicspider.rehearsal.replay.conditions import Latency

if TYPE_CHECKING:
    from topicspider.rehearsal.archive.page_features import Answer

RECORDED = "recorded"
UNKNOWN_SECONDS = 0.2
"""What a download counts as of which no time was recorded."""
CONNECT_SHARE = 0.5
"""A connection takes one round trip, a response one and the server's work: half is what is left of both on an idle server."""
HOST_SIGMA, PAGE_SIGMA = 1.0, 0.4
"""Of ``lognormal:MEDIAN`` alone: hosts differ more from each other than the pages of one."""
_ALLOWED = "seconds (0.2 or constant:0.2), lognormal:MEDIAN[:SIGMA] (lognormal:0.2:0.8), or recorded"


@dataclass(frozen=True, slots=True)
class HostLatency:
    """Seconds by host and page, drawn from ``seed`` and their names only: the order of requests does not matter.

    ``host``: the distribution of the hosts' medians; a page's time varies around its host's with ``page_sigma``.
    ``is_recorded``: the recorded time of an answer counts where there is one.
    """

    host: Latency
    page_sigma: float = 0.0
    is_recorded: bool = False
    seed: int = 0

    @classmethod
    def read(cls, text: str, seed: int = 0) -> HostLatency:
        """``0.2``, ``constant:0.2``, ``lognormal:0.2[:SIGMA]``, ``recorded``; raises ConfigError."""
        if text == RECORDED:
            return cls(Latency(UNKNOWN_SECONDS), is_recorded=True, seed=seed)
        try:
            latency = Latency.read(text if text.startswith("lognormal:") else _seconds(text))
        except ConfigError:
            raise ConfigError("--latency", text, _ALLOWED) from None
        if latency.sigma and text.count(":") == 1:
            latency = Latency(latency.median, HOST_SIGMA)
        return cls(latency, PAGE_SIGMA if latency.sigma else 0.0, seed=seed)

    def connect_seconds(self, host: str) -> float:
        """How long ``host`` takes to accept a connection."""
        return CONNECT_SHARE * self._median(host)

    def response_seconds(self, host: str, answer: Answer) -> float:
        """How long ``host`` takes to send this answer over an open connection."""
        if self.is_recorded and answer.seconds is not None:
            return answer.seconds
        median = self._median(host)
        if not self.page_sigma:
            return median
        return median * math.exp(random.Random(f"{self.seed} {answer.url}").gauss(0.0, self.page_sigma))

    def _median(self, host: str) -> float:
        return self.host.draw(random.Random(f"{self.seed} {host}")) if self.host.sigma else self.host.median


def _seconds(text: str) -> str:
    """What stands for a constant; anything else is refused by whoever reads it."""
    seconds = text.removeprefix("constant:")
    return "" if seconds.startswith("lognormal:") else seconds
