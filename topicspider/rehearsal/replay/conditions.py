"""How well a replayed network works: its latency and its faults, drawn from a seed."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass

from topicspider.errors import ConfigError

_LATENCY = "seconds (0.2), or lognormal:MEDIAN or lognormal:MEDIAN:SIGMA (lognormal:0.2:0.8)"
_LONGEST = 3600.0


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds before each answer: ``median``, spread lognormally with ``sigma``; sigma 0 is constant."""

    median: float = 0.0
    sigma: float = 0.0

    @classmethod
    def read(cls, text: str) -> Latency:
        """``0.2``, ``lognormal:0.2`` or ``lognormal:0.2:0.8``; raises ConfigError."""
        name, _, numbers = text.rpartition("lognormal:")
        parts = numbers.split(":")
        is_lognormal = text.startswith("lognormal:")
        try:
            median = float(parts[0])
            sigma = float(parts[1]) if len(parts) > 1 else 0.8
        except ValueError:
            raise ConfigError("--latency", text, _LATENCY) from None
        if name or len(parts) > (2 if is_lognormal else 1) or not (0 <= median <= _LONGEST and 0 <= sigma <= 5):
            raise ConfigError("--latency", text, _LATENCY)
        return cls(median, sigma if is_lognormal else 0.0)

    def draw(self, rng: random.Random) -> float:
        """The seconds of one answer."""
        if not self.median or not self.sigma:
            return self.median
        return min(self.median * math.exp(rng.gauss(0.0, self.sigma)), _LONGEST)


AT_ONCE = Latency()


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
