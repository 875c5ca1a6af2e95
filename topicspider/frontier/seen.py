"""A cache of URLs already queued, in front of the frontier ((e) Broder 2003): least recently used."""

from __future__ import annotations

from collections import OrderedDict


class SeenCache:
    """Fingerprints known to be in the frontier, with the best score each was queued with.

    Only what the frontier has confirmed may be put in (F7: never a false "seen"). 50,000 entries
    answer about 80 % of the questions of a crawl ((e) Broder 2003); a miss costs one look-up, no page.
    """

    def __init__(self, capacity: int = 50_000) -> None:
        self._capacity = capacity
        self._scores: OrderedDict[int, float] = OrderedDict()
        self.hits = 0
        self.misses = 0

    def covers(self, fingerprint: int, score: float) -> bool:
        """True when the URL is queued (or done) already and ``score`` would not promote it."""
        known = self._scores.get(fingerprint)
        if known is None:
            self.misses += 1
            return False
        self.hits += 1
        self._scores.move_to_end(fingerprint)
        return score <= known

    def remember(self, fingerprint: int, score: float) -> None:
        """Note that the frontier has confirmed this URL; the higher score stays."""
        known = self._scores.pop(fingerprint, score)
        self._scores[fingerprint] = max(known, score)
        if len(self._scores) > self._capacity:
            self._scores.popitem(last=False)

    def __len__(self) -> int:
        return len(self._scores)
