"""Caches of URLs already queued, by name, with their promises ((e) Broder 2003), and the cache in front of a crawl's frontier."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Protocol

from topicspider.frontier.protocol import Work


class UrlCache(Protocol):
    """A cache of URLs, by fingerprint, that are known to be in storage; it is asked before storage is.

    1. ``seen`` is True only for a URL that was added before and not dropped since (STATIC: or that it was built with). A caller that adds
        only what storage has confirmed never gets a false "seen" (promise F7).
    2. A "seen" counts as a use. A miss changes nothing: the caller must add the URL.
    3. After ``add`` the URL is seen, unless the cache declines it: STATIC declines what is not of its first pass (without a first pass:
        what comes when it is full). ``add`` returns the URL that was dropped or declined, None if there is none.
    4. ``add`` of a URL in the cache counts as a use and drops nothing. Nothing is dropped before the cache is full.
    5. The cache never holds more than ``capacity`` URLs.
    6. The same calls in the same order get the same answers, on every machine (RANDOM: with the same seed).
    7. A call takes about 0.3 µs, whatever the capacity, and does no I/O; one thread at a time.
    """

    @property
    def capacity(self) -> int:
        """The largest number of URLs in the cache."""

    def seen(self, fingerprint: int) -> bool:
        """Whether the URL is in the cache; counts as a use."""

    def add(self, fingerprint: int) -> int | None:
        """Add a URL that storage has confirmed; returns the URL that was dropped or declined, see 3."""

    def __len__(self) -> int:
        """How many URLs are in the cache."""


URL_CACHES: dict[str, Callable[[int, Sequence[int], int], UrlCache]] = {
    "lru": lambda capacity, _trace, _seed: LruCache(capacity),
    "clock": lambda capacity, _trace, _seed: ClockCache(capacity),
    "random": lambda capacity, _trace, seed: RandomCache(capacity, seed),
    "static": lambda capacity, trace, _seed: StaticCache(capacity, trace),
}
"""Factories by name; arguments: capacity, trace (for STATIC: the links of a first pass), seed (for RANDOM)."""


class LruCache:
    """Drops the least recently used URL; see UrlCache. A larger cache always holds all that a smaller one holds (inclusion)."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._uses: OrderedDict[int, None] = OrderedDict()

    def seen(self, fingerprint: int) -> bool:
        if fingerprint in self._uses:
            self._uses.move_to_end(fingerprint)
            return True
        return False

    def add(self, fingerprint: int) -> int | None:
        uses = self._uses
        if fingerprint in uses:
            uses.move_to_end(fingerprint)
            return None
        dropped = uses.popitem(last=False)[0] if len(uses) >= self.capacity else None
        uses[fingerprint] = None
        return dropped

    def __len__(self) -> int:
        return len(self._uses)


class ClockCache:
    """Nearly LRU (see UrlCache), but a use only sets a mark and moves nothing. A new URL is marked, because it was just asked for."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._places: dict[int, int] = {}
        self._circle: list[int] = []
        self._marks = bytearray()
        self._hand = 0

    def seen(self, fingerprint: int) -> bool:
        place = self._places.get(fingerprint)
        if place is None:
            return False
        self._marks[place] = 1
        return True

    def add(self, fingerprint: int) -> int | None:
        if self.seen(fingerprint):
            return None
        if len(self._circle) < self.capacity:
            self._places[fingerprint] = len(self._circle)
            self._circle.append(fingerprint)
            self._marks.append(1)
            return None
        place = self._unmarked()
        dropped = self._circle[place]
        del self._places[dropped]
        self._places[fingerprint] = place
        self._circle[place] = fingerprint
        self._marks[place] = 1
        return dropped

    def _unmarked(self) -> int:
        """Advance the hand to the first place without a mark, and behind it; returns the place. Marks that it passes are removed."""
        place = self._marks.find(0, self._hand)
        if place < 0:
            self._unmark(self._hand, self.capacity)
            self._hand = 0
            place = self._marks.find(0)  # found at the latest where the hand began
        self._unmark(self._hand, place)
        self._hand = (place + 1) % self.capacity
        return place

    def _unmark(self, start: int, end: int) -> None:
        self._marks[start:end] = bytes(end - start)

    def __len__(self) -> int:
        return len(self._circle)


class _SetCache:
    """Common base of the caches that keep a set."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._kept: set[int] = set()

    def seen(self, fingerprint: int) -> bool:
        return fingerprint in self._kept

    def __len__(self) -> int:
        return len(self._kept)


class RandomCache(_SetCache):
    """Drops a random URL; see UrlCache. The only cache whose answers depend on ``seed``; a use changes nothing."""

    def __init__(self, capacity: int, seed: int = 0) -> None:
        super().__init__(capacity)
        self._places: list[int] = []
        self._draw = Random(seed).random

    def add(self, fingerprint: int) -> int | None:
        if fingerprint in self._kept:
            return None
        self._kept.add(fingerprint)
        if len(self._places) < self.capacity:
            self._places.append(fingerprint)
            return None
        place = int(self._draw() * self.capacity)
        dropped, self._places[place] = self._places[place], fingerprint
        self._kept.remove(dropped)
        return dropped


class StaticCache(_SetCache):
    """Never drops a URL; see UrlCache. Built from a first pass, it is full from the start, so it alone may answer True to a first question.

    ``first_pass``: links of an earlier crawl, each confirmed by storage (promise F7); the most frequent are kept, and of equally frequent
    ones the first. Without a first pass, as in a crawl, it keeps the URLs that come first.
    """

    def __init__(self, capacity: int, first_pass: Iterable[int] = ()) -> None:
        super().__init__(capacity)
        self._kept = {fingerprint for fingerprint, _ in Counter(first_pass).most_common(capacity)}
        self._is_whole = bool(self._kept)

    def add(self, fingerprint: int) -> int | None:
        if not self._is_whole and fingerprint not in self._kept:
            self._kept.add(fingerprint)
            self._is_whole = len(self._kept) >= self.capacity
        return None if fingerprint in self._kept else fingerprint


NONE: Mapping[int, float] = {}


class SeenCache:
    """Fingerprints known to be in the frontier, with the best score each was queued with. ``rule``: a name in URL_CACHES.

    Only what the frontier has confirmed may be added (promise F7: never a false "seen"). 50,000 entries answer about 80 % of the questions
    of a crawl ((e) Broder 2003); a miss costs one look-up, no page.
    """

    def __init__(self, capacity: int = 50_000, rule: str = "lru", seed: int = 0) -> None:
        self._capacity, self._rule, self._seed = capacity, rule, seed
        self.forget()

    def forget(self) -> None:
        """Empty the cache: the frontier may have lost what it had confirmed."""
        self._cache = URL_CACHES[self._rule](self._capacity, (), self._seed)
        self._scores: dict[int, float] = {}

    def covers(self, fingerprint: int, score: float) -> bool:
        """True when the URL is queued (or done) already and ``score`` would not promote it."""
        return self._cache.seen(fingerprint) and score <= self._scores[fingerprint]

    def remember(self, fingerprint: int, score: float) -> None:
        """Record that the frontier has confirmed this URL; the higher score is kept."""
        self._scores[fingerprint] = max(score, self._scores.get(fingerprint, score))
        dropped = self._cache.add(fingerprint)
        if dropped is not None:
            self._scores.pop(dropped, None)

    def lower(self, fingerprint: int, score: float) -> None:
        """Record that the URL's score is being revised to ``score``: from now on only scores up to that are covered."""
        if score < self._scores.get(fingerprint, score):
            self._scores[fingerprint] = score

    def confirm(self, work: Work, revisions: Mapping[int, float] = NONE) -> None:
        """Record that the frontier has applied ``work``. ``revisions``: newer ones that it has not been told yet."""
        for fingerprint, score in work.revisions:
            if fingerprint in self._scores:
                self._scores[fingerprint] = min(score, revisions.get(fingerprint, score))
        for entry in work.entries:
            self.remember(entry.fingerprint, min(entry.score, revisions.get(entry.fingerprint, entry.score)))

    def __len__(self) -> int:
        return len(self._scores)
