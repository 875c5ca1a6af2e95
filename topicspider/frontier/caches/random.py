"""RANDOM, (e) Broder 2003: when the cache is full, a URL drawn at random goes."""

from __future__ import annotations

from random import Random


class RandomCache:
    """See UrlCache. The only one whose answers depend on ``seed``; a use changes nothing."""

    def __init__(self, capacity: int, seed: int = 0) -> None:
        self.capacity = capacity
        self._kept: set[int] = set()
        self._places: list[int] = []
        self._draw = Random(seed).random

    def seen(self, fingerprint: int) -> bool:
        """See UrlCache."""
        return fingerprint in self._kept

    def add(self, fingerprint: int) -> None:
        """See UrlCache."""
        if fingerprint in self._kept:
            return
        if len(self._places) < self.capacity:
            self._places.append(fingerprint)
        else:
            place = int(self._draw() * self.capacity)
            self._kept.remove(self._places[place])
            self._places[place] = fingerprint
        self._kept.add(fingerprint)

    def __len__(self) -> int:
        return len(self._places)
