"""STATIC, (e) Broder 2003: the most frequent URLs of a first pass, for ever."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


class StaticCache:
    """See UrlCache. It is full from the start, so it alone answers True to a first question.

    ``first_pass``: links of an earlier crawl, each confirmed by storage (F7); of URLs that are equally
    frequent, those that came first are kept.
    """

    def __init__(self, capacity: int, first_pass: Iterable[int]) -> None:
        self.capacity = capacity
        self._kept = frozenset(fingerprint for fingerprint, _ in Counter(first_pass).most_common(capacity))

    def seen(self, fingerprint: int) -> bool:
        """See UrlCache."""
        return fingerprint in self._kept

    def add(self, fingerprint: int) -> None:
        """Nothing: what is kept never changes."""

    def __len__(self) -> int:
        return len(self._kept)
