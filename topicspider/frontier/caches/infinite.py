"""INFINITE, (e) Broder 2003: nothing ever goes; only the first link to a URL misses."""

from __future__ import annotations

import sys


class InfiniteCache:
    """See UrlCache; ``capacity`` is more than fits in any memory."""

    capacity = sys.maxsize

    def __init__(self) -> None:
        self._kept: set[int] = set()

    def seen(self, fingerprint: int) -> bool:
        """See UrlCache."""
        return fingerprint in self._kept

    def add(self, fingerprint: int) -> None:
        """See UrlCache."""
        self._kept.add(fingerprint)

    def __len__(self) -> int:
        return len(self._kept)
