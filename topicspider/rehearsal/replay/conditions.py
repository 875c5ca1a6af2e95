"""Latency and faults of a replayed or simulated network, drawn from a seed."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass

from topicspider.errors import ConfigError
from topicspider.rehearsal.archive.feature_file import Answer

_ALLOWED = "seconds (0.2 or constant:0.2), lognormal:MEDIAN[:SIGMA] (lognormal:0.2:0.8), or recorded"
_LONGEST = 3600.0


@dataclass(frozen=True, slots=True)
class HostLatency:
    """Latency in seconds by host and page. It depends on ``seed`` and their names only, so the order of requests does not matter.

    Each host's median is drawn from a lognormal distribution (``median``, ``sigma``), and its pages' times around that. With ``sigma`` 0,
    every time is ``median``. ``is_recorded``: an answer with a recorded time takes that time.
    """

    median: float = 0.0
    sigma: float = 0.0
    is_recorded: bool = False
    seed: int = 0

    @classmethod
    def read(cls, text: str, seed: int = 0) -> HostLatency:
        """Read ``0.2``, ``constant:0.2``, ``lognormal:0.2[:SIGMA]`` or ``recorded``; raises ConfigError."""
        if text == "recorded":
            return cls(0.2, is_recorded=True, seed=seed)
        is_lognormal = text.startswith("lognormal:")
        parts = text.removeprefix("lognormal:" if is_lognormal else "constant:").split(":")
        try:
            median, sigma = float(parts[0]), float(parts[1] if len(parts) > 1 else is_lognormal)
        except ValueError:
            median = sigma = math.nan
        if len(parts) > 1 + is_lognormal or not (0 <= median <= _LONGEST and 0 <= sigma <= 5):
            raise ConfigError("--latency", text, _ALLOWED)
        return cls(median, sigma, seed=seed)

    def connect_seconds(self, host: str) -> float:
        # a connection takes one round trip; a response takes one and the server's work
        return 0.5 * self._drawn(self.median, self.sigma, host)

    def response_seconds(self, host: str, answer: Answer) -> float:
        if self.is_recorded and answer.seconds is not None:
            return answer.seconds
        median = self._drawn(self.median, self.sigma, host)
        # the pages of a host differ less from each other than hosts do
        return self._drawn(median, 0.4 if self.sigma else 0.0, answer.url)

    def _drawn(self, median: float, sigma: float, name: str) -> float:
        if not sigma:
            return median
        return min(median * math.exp(random.Random(f"{self.seed} {name}").gauss(0.0, sigma)), _LONGEST)


class Faults:
    """Which requests fail: a share of all, half by 503 and half by a reset connection.

    Drawn from the seed, the URL and how often it was asked before, so that the order of requests does not matter.
    """

    def __init__(self, share: float, seed: int) -> None:
        self._share = share
        self._seed = seed
        self._asked: Counter[str] = Counter()

    @classmethod
    def read(cls, text: str, seed: int) -> Faults:
        """Faults for the share in ``text`` (0 to 1); raises ConfigError."""
        try:
            share = float(text)
        except ValueError:
            share = math.nan
        if not 0 <= share <= 1:
            raise ConfigError("--errors", text, "a share of all requests, from 0 to 1")
        return cls(share, seed)

    def draw(self, url: str) -> str:
        """``503``, ``reset``, or "" when this request is answered."""
        if not self._share:
            return ""
        self._asked[url] += 1
        rng = random.Random(f"{self._seed} {url} {self._asked[url]}")
        if rng.random() >= self._share:
            return ""
        return "503" if rng.random() < 0.5 else "reset"
