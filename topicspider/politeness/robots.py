"""Keeps the robots.txt of many hosts, each for a limited time, and says what to fetch next."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from urllib.parse import urljoin

from topicspider.politeness.rest import backoff_seconds
from topicspider.politeness.robots_rules import ALLOW_ALL, Rules, read_rules
from topicspider.url.host import host_key

MAX_HOPS = 5  # RFC 9309, 2.3.1.2
CAPACITY = 10_000
# Parsed rules take some 25 times their text: this bounds them to about 100 MB, however hostile.
TOTAL_SIZE = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Known:
    rules: Rules | None = None  # None: not yet, or unreachable
    until: float = 0.0
    failures: int = 0
    next_url: str = ""  # where a redirect of the same host led
    hops: int = 0


class RobotsCache:
    """Rules by host key (``host:port``), least recently used out first.

    ============================  ==============================================================
    2xx                           its rules, for ``ttl_seconds``
    4xx except 429                everything is allowed, for ``ttl_seconds`` (RFC 9309, 2.3.1.3)
    redirect on the same host     followed, up to five times
    redirect to another host      that host's rules if they are known, else as 4xx: fetching there
                                  would break that host's own turn and rest
    5xx, 429, unreachable         nothing is allowed for a short while, then it is tried again;
                                  the while doubles with each failure (RFC 9309, 2.3.1.4)
    ============================  ==============================================================
    """

    def __init__(
        self, agent: str, ttl_seconds: float, *, capacity: int = CAPACITY, total_size: int = TOTAL_SIZE
    ) -> None:
        self._agent = agent
        self._ttl = ttl_seconds
        self._capacity, self._total_size = capacity, total_size
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._size = 0

    def rules(self, host: str, now: float) -> Rules | None:
        """The host's rules, or None: fetch ``url_for`` first, unless ``closed_seconds`` is above 0."""
        known = self._known.get(host)
        if known is None or known.rules is None or known.until <= now:
            return None
        self._known.move_to_end(host)
        return known.rules

    def closed_seconds(self, host: str, now: float) -> float:
        """How long nothing may be fetched since robots.txt could not be had; 0 if that is not so."""
        known = self._known.get(host)
        return max(0.0, known.until - now) if known and known.rules is None and known.failures else 0.0

    def url_for(self, url: str, now: float) -> str:
        """Where to fetch the robots.txt for the host of ``url``."""
        known = self._known.get(host_key(url))
        if known and known.next_url and known.until <= now:
            return known.next_url
        return urljoin(url, "/robots.txt")

    def answered(
        self, host: str, url: str, status: int, body: bytes, location: str, now: float, retry_after: float | None = None
    ) -> None:
        """``url`` was asked for the rules of ``host`` and answered with ``status``."""
        if status >= 500 or status == 429:
            self.failed(host, now, retry_after)
        elif 300 <= status < 400 and location:
            self._redirected(host, urljoin(url, location), now)
        elif 200 <= status < 300:
            self._learn(host, read_rules(body, self._agent), now)
        else:
            self._learn(host, ALLOW_ALL, now)

    def failed(self, host: str, now: float, retry_after: float | None = None) -> float:
        """robots.txt could not be had; returns for how many seconds nothing may be fetched."""
        known = self._known.get(host, _Known())
        seconds = backoff_seconds(known.failures + 1, retry_after)
        self._put(host, _Known(None, now + seconds, known.failures + 1))
        return seconds

    def _redirected(self, host: str, target: str, now: float) -> None:
        known = self._known.get(host, _Known())
        other = host_key(target)
        if other != host:
            self._learn(host, self.rules(other, now) or ALLOW_ALL, now)
        elif known.hops + 1 >= MAX_HOPS:
            self._learn(host, ALLOW_ALL, now)
        else:
            self._put(host, replace(known, rules=None, until=now, failures=0, next_url=target, hops=known.hops + 1))

    def _learn(self, host: str, rules: Rules, now: float) -> None:
        self._put(host, _Known(rules, now + self._ttl))

    def _put(self, host: str, known: _Known) -> None:
        self._drop(host)
        self._known[host] = known
        self._size += _size(known)
        while len(self._known) > self._capacity or (self._size > self._total_size and len(self._known) > 1):
            self._drop(next(iter(self._known)))

    def _drop(self, host: str) -> None:
        old = self._known.pop(host, None)
        if old is not None:
            self._size -= _size(old)


def _size(known: _Known) -> int:
    return known.rules.size if known.rules else 0
