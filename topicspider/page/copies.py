"""Remembers the pages that a crawl keeps, so that a copy of one of them is not counted again."""

from __future__ import annotations

import numpy as np

from topicspider.page.near_duplicate import NEAR

CAPACITY = 100_000  # pages; 16 bytes each, and a look-up compares with all of them: 0.1 ms


class CopyMemory:
    """Simhashes of the last ``capacity`` originals with the fingerprints of their URLs; a copy is not kept beside its original."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._hashes = np.zeros(min(capacity, 1024), dtype=np.uint64)
        self._owners = np.zeros(min(capacity, 1024), dtype=np.int64)
        self._count = 0  # ever remembered; the place of the next is this modulo the capacity

    def is_copy(self, simhash: int, mark: int) -> bool:
        """Whether a page of another URL than that of the fingerprint ``mark`` is near ``simhash``; if none is, this one is an original.

        The same URL fetched again is no copy of itself; 0 (a page too short to tell) is a copy of nothing.
        """
        if not simhash:
            return False
        known = min(self._count, self._capacity)
        differing = self._hashes[:known] ^ np.uint64(simhash & (2**64 - 1))
        owners = self._owners[:known][np.bitwise_count(differing) <= NEAR]
        if owners.size:
            return not bool((owners == mark).any())
        self._remember(simhash, mark)
        return False

    def _remember(self, simhash: int, mark: int) -> None:
        if self._count == len(self._hashes) < self._capacity:
            size = min(self._capacity, 2 * len(self._hashes))
            self._hashes, self._owners = np.resize(self._hashes, size), np.resize(self._owners, size)
        place = self._count % self._capacity
        self._hashes[place], self._owners[place] = simhash & (2**64 - 1), mark
        self._count += 1
