"""The cache of URLs already queued, in front of the frontier ((e) Broder 2003), by the rule that is asked for."""

from __future__ import annotations

from collections.abc import Mapping

from topicspider.frontier.protocol import Work
from topicspider.frontier.url_caches import CacheSetup, make_url_cache

NONE: Mapping[int, float] = {}


class SeenCache:
    """Fingerprints known to be in the frontier, with the best score each was queued with; ``rule``: a name of URL_CACHES.

    Only what the frontier has confirmed may be put in (promise F7: never a false "seen"). 50,000 entries
    answer about 80 % of the questions of a crawl ((e) Broder 2003); a miss costs one look-up, no page.
    ``asked``: questions so far, ``answered``: those for a URL that was kept.
    """

    def __init__(self, capacity: int = 50_000, rule: str = "lru", seed: int = 0) -> None:
        self._setup = (rule, CacheSetup(capacity, seed=seed))
        self.asked = self.answered = 0
        self.forget()

    def forget(self) -> None:
        """Drop all: the frontier may have lost what it had confirmed."""
        self._cache = make_url_cache(*self._setup)
        self._scores: dict[int, float] = {}

    def covers(self, fingerprint: int, score: float) -> bool:
        """True when the URL is queued (or done) already and ``score`` would not promote it."""
        self.asked += 1
        if not self._cache.seen(fingerprint):
            return False
        self.answered += 1
        return score <= self._scores[fingerprint]

    def remember(self, fingerprint: int, score: float) -> None:
        """Note that the frontier has confirmed this URL; the higher score stays."""
        self._scores[fingerprint] = max(score, self._scores.get(fingerprint, score))
        dropped = self._cache.add(fingerprint)
        if dropped is not None:
            self._scores.pop(dropped, None)

    def lower(self, fingerprint: int, score: float) -> None:
        """Note that the URL's score is being revised to ``score``: from now on no more than that is covered."""
        if score < self._scores.get(fingerprint, score):
            self._scores[fingerprint] = score

    def confirm(self, work: Work, revisions: Mapping[int, float] = NONE) -> None:
        """Note that the frontier has done ``work``; ``revisions``: newer ones, which it has not been told of yet."""
        for fingerprint, score in work.revisions:
            if fingerprint in self._scores:
                self._scores[fingerprint] = min(score, revisions.get(fingerprint, score))
        for entry in work.entries:
            self.remember(entry.fingerprint, min(entry.score, revisions.get(entry.fingerprint, entry.score)))

    def __len__(self) -> int:
        return len(self._scores)
