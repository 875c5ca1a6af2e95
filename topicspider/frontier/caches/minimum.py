"""MIN, Belady's rule, in (e) Broder 2003 the lower limit: it knows the future and drops what is asked for last."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappush, heapreplace

_NEVER = -1


class MinimumCache:
    """See UrlCache. No cache that begins empty misses fewer of the questions ``future``, in whatever way it keeps.

    ``seen`` must be asked exactly the questions of ``future``, in their order; ``add`` is for the URL asked
    last. A URL that is asked for later than all that is kept, or never, is not taken in: that is at least as
    good as Belady's rule for caches that must take everything.
    """

    def __init__(self, capacity: int, future: Sequence[int]) -> None:
        self.capacity = capacity
        self._future = future
        self._next_uses = _next_uses(future)
        self._asked = 0
        self._kept: set[int] = set()
        self._latest: list[int] = []  # next uses, negated, of what is kept: a heap; those gone by sink to its end

    def seen(self, fingerprint: int) -> bool:
        """See UrlCache; ValueError for a question that ``future`` does not have here."""
        now = self._asked
        if now >= len(self._future) or self._future[now] != fingerprint:
            raise ValueError(f"question {now} of MIN is not the one it was told of: {fingerprint}")
        self._asked = now + 1
        if fingerprint not in self._kept:
            return False
        if (use := self._next_uses[now]) == _NEVER:
            self._kept.remove(fingerprint)
        else:
            heappush(self._latest, -use)
            self._forget_past()
        return True

    def add(self, fingerprint: int) -> None:
        """See UrlCache; ValueError for a URL that was not asked for last."""
        now = self._asked - 1
        if now < 0 or self._future[now] != fingerprint:
            raise ValueError(f"MIN takes only the URL asked for last: {fingerprint}")
        use = self._next_uses[now]
        if use == _NEVER or fingerprint in self._kept:
            return
        if len(self._kept) < self.capacity:
            heappush(self._latest, -use)
        elif -self._latest[0] > use:
            self._kept.remove(self._future[-heapreplace(self._latest, -use)])
        else:
            return
        self._kept.add(fingerprint)

    def _forget_past(self) -> None:
        """Keep the heap no longer than needed; each URL kept has one use in it that is still to come."""
        if len(self._latest) > 2 * len(self._kept) + 64:
            self._latest = [use for use in self._latest if -use >= self._asked]
            heapify(self._latest)

    def __len__(self) -> int:
        return len(self._kept)


def _next_uses(trace: Sequence[int]) -> list[int]:
    """For each question, the number of the next one for the same URL, _NEVER where there is none."""
    uses = [_NEVER] * len(trace)
    known: dict[int, int] = {}
    for number in range(len(trace) - 1, -1, -1):
        uses[number] = known.get(trace[number], _NEVER)
        known[trace[number]] = number
    return uses
