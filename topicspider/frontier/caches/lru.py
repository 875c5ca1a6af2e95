"""LRU, (e) Broder 2003: when the cache is full, the URL that was not asked for the longest time goes."""

from __future__ import annotations

from collections import OrderedDict


class LruCache:
    """See UrlCache. A larger one always holds all that a smaller one holds (inclusion)."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._uses: OrderedDict[int, None] = OrderedDict()

    def seen(self, fingerprint: int) -> bool:
        """See UrlCache."""
        if fingerprint in self._uses:
            self._uses.move_to_end(fingerprint)
            return True
        return False

    def add(self, fingerprint: int) -> None:
        """See UrlCache."""
        uses = self._uses
        if fingerprint in uses:
            uses.move_to_end(fingerprint)
            return
        if len(uses) >= self.capacity:
            uses.popitem(last=False)
        uses[fingerprint] = None

    def __len__(self) -> int:
        return len(self._uses)
