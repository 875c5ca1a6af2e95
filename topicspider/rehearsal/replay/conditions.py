"""How well a replayed or simulated network works: its latency and its faults, drawn from a seed."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.errors import ConfigError

if TYPE_CHECKING:
    from topicspider.rehearsal.archive.feature_file import Answer

_SECONDS = "seconds (0.2), or lognormal:MEDIAN or lognormal:MEDIAN:SIGMA (lognormal:0.2:0.8)"
_HOST_SECONDS = "seconds (0.2 or constant:0.2), lognormal:MEDIAN[:SIGMA] (lognormal:0.2:0.8), or recorded"
_LONGEST = 3600.0

_HOST_SIGMA, _PAGE_SIGMA = 1.0, 0.4
"""Of ``lognormal:MEDIAN`` in a simulation: hosts differ more from each other than the pages of one."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds before each answer: ``median``, spread lognormally with ``sigma``; sigma 0 is constant."""

    median: float = 0.0
    sigma: float = 0.0

    @classmethod
    def read(cls, text: str) -> Latency:
        """``0.2``, ``lognormal:0.2`` or ``lognormal:0.2:0.8``; raises ConfigError."""
        numbers = text.removeprefix("lognormal:")
        parts = numbers.split(":")
        try:
            median = float(parts[0])
            sigma = float(parts[1]) if len(parts) > 1 else 0.8
        except ValueError:
            raise ConfigError("--latency", text, _SECONDS) from None
        is_lognormal = numbers != text
        if len(parts) > (2 if is_lognormal else 1) or not (0 <= median <= _LONGEST and 0 <= sigma <= 5):
            raise ConfigError("--latency", text, _SECONDS)
        return cls(median, sigma if is_lognormal else 0.0)

    def draw(self, rng: random.Random) -> float:
        """The seconds of one answer."""
        if not self.median or not self.sigma:
            return self.median
        return min(self.median * math.exp(rng.gauss(0.0, self.sigma)), _LONGEST)


AT_ONCE = Latency()


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
        if text == "recorded":
            return cls(Latency(0.2), is_recorded=True, seed=seed)
        number = text.removeprefix("constant:")
        try:
            if number != text and number.startswith("lognormal:"):
                raise ConfigError("--latency", text, _HOST_SECONDS)
            latency = Latency.read(number)
        except ConfigError:
            raise ConfigError("--latency", text, _HOST_SECONDS) from None
        if latency.sigma and text.count(":") == 1:
            latency = Latency(latency.median, _HOST_SIGMA)
        return cls(latency, _PAGE_SIGMA if latency.sigma else 0.0, seed=seed)

    def connect_seconds(self, host: str) -> float:
        """How long ``host`` takes to accept a connection."""
        # A connection takes one round trip, a response one and the server's work: half is what is left of both on an
        # idle server.
        return 0.5 * self._median(host)

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


class HostSpread:
    """How much slower or faster a host is than the usual one: a factor drawn lognormally from the seed and its name."""

    def __init__(self, sigma: float, seed: int) -> None:
        if not 0 <= sigma <= 5:
            raise ConfigError("--host-spread", sigma, "0 to 5: the sigma of a lognormal distribution")
        self.sigma = sigma
        self._seed = seed

    def factor(self, host: str) -> float:
        """By what the latency of this host's answers is multiplied."""
        return math.exp(random.Random(f"{self._seed} {host}").gauss(0.0, self.sigma)) if self.sigma else 1.0


class Faults:
    """Which requests fail: a share of all, half by 503 and half by a reset connection.

    Drawn from the seed, the URL and how often it was asked before, so that the order of requests does not matter.
    """

    def __init__(self, share: float, seed: int) -> None:
        if not 0 <= share <= 1:
            raise ConfigError("--errors", share, "a share of all requests, from 0 to 1")
        self._share = share
        self._seed = seed
        self._asked: Counter[str] = Counter()

    def draw(self, url: str) -> str:
        """``503``, ``reset``, or empty when this request is answered."""
        if not self._share:
            return ""
        self._asked[url] += 1
        rng = random.Random(f"{self._seed} {url} {self._asked[url]}")
        if rng.random() >= self._share:
            return ""
        return "503" if rng.random() < 0.5 else "reset"
