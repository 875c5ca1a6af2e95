"""The caches of seen URLs by name ((e) Broder 2003), and what each of them promises.

The promises are numbered; tests/frontier/test_url_caches.py runs them on every cache and cites the
number. Another cache is one file in caches/ and one line in URL_CACHES.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from topicspider.errors import ConfigError
from topicspider.frontier.caches.clock import ClockCache
from topicspider.frontier.caches.infinite import InfiniteCache
from topicspider.frontier.caches.lru import LruCache
from topicspider.frontier.caches.minimum import MinimumCache
from topicspider.frontier.caches.random import RandomCache
from topicspider.frontier.caches.static import StaticCache


class UrlCache(Protocol):
    """Which URLs, by fingerprint, are known to be in storage; asked before storage is.

    1. ``seen`` is True only for what was added before and not dropped since (STATIC: what it was built
       with). Who adds only what storage has confirmed never gets a false "seen" (F7).
    2. A "seen" counts as a use. A miss changes nothing: who wants the URL kept adds it.
    3. After ``add`` the URL is seen, unless the rule declines it: STATIC declines all, MIN what is of no use.
    4. ``add`` of what is kept counts as a use and drops nothing. Nothing is dropped before the cache is full.
    5. Never more than ``capacity`` URLs are kept.
    6. The same questions in the same order get the same answers, on every machine; RANDOM: with the same seed.
    7. A call takes about 0.3 µs, whatever the capacity (MIN: its logarithm), and does no I/O; one thread at a time.
    """

    @property
    def capacity(self) -> int:
        """The most URLs that are kept."""

    def seen(self, fingerprint: int) -> bool:
        """Whether the URL is kept; counts as a use."""

    def add(self, fingerprint: int) -> None:
        """Keep the URL, which storage has confirmed."""

    def __len__(self) -> int:
        """How many URLs are kept."""


@dataclass(frozen=True, slots=True)
class CacheSetup:
    """What a cache may be built with.

    ``capacity``: URLs, 1 or more; INFINITE has its own. ``trace``: for STATIC the links of a first pass, for
    MIN all questions to come, in order. ``seed``: for RANDOM.
    """

    capacity: int
    trace: Sequence[int] = ()
    seed: int = 0


URL_CACHES: dict[str, Callable[[CacheSetup], UrlCache]] = {
    "lru": lambda setup: LruCache(setup.capacity),
    "clock": lambda setup: ClockCache(setup.capacity),
    "random": lambda setup: RandomCache(setup.capacity, setup.seed),
    "static": lambda setup: StaticCache(setup.capacity, setup.trace),
    "min": lambda setup: MinimumCache(setup.capacity, setup.trace),
    "infinite": lambda _: InfiniteCache(),
}


def make_url_cache(name: str, setup: CacheSetup) -> UrlCache:
    """The cache called ``name``; ConfigError for another name, or for a capacity below 1."""
    if name not in URL_CACHES:
        raise ConfigError("URL cache", name, ", ".join(URL_CACHES))
    if setup.capacity < 1:
        raise ConfigError("capacity of a URL cache", setup.capacity, "1 or more")
    return URL_CACHES[name](setup)
