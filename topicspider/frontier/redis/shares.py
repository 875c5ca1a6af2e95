"""``max_pages`` of a crawl that is spread over several parts: each part has a share of it, and never gives more (F8).

A share that one part has used up is filled from what the others have left. For that every part is frozen at
what it has given, then what remains is given out anew; whatever happens in between, the shares never add up to
more than the limit. What a node that died on the way had not given out yet is found by the next allotment.
"""

from __future__ import annotations

from collections.abc import Sequence

from topicspider.errors import FrontierUnavailable
from topicspider.frontier.redis.frontier import RedisFrontier
from topicspider.frontier.redis.program import lua

_LIMIT = "all_pages"  # of all parts; kept with each, as any may be new


class PageShares:
    """The limit of the crawl, that of the node that was started last."""

    def __init__(self, parts: Sequence[RedisFrontier]) -> None:
        self._parts = parts
        self._text = lua("share")
        self._given: int | None = None

    def begin(self, max_pages: int | None) -> None:
        """The limit from now on; every part must answer."""
        self._given = max_pages
        self._tell("HSET", max_pages)
        self.allot()

    def restore(self) -> None:
        """Have every part know the limit again, one that was emptied, too; every part must answer."""
        self._tell("HSETNX", self.limit())
        self.allot()

    def limit(self) -> int | None:
        """The limit of the crawl, as the first part that knows it says; raises FrontierUnavailable when none can be asked that may."""
        trouble: FrontierUnavailable | None = None
        for part in self._parts:
            try:
                told = part.run("HGET", "totals", _LIMIT)
            except FrontierUnavailable as error:
                trouble = error
                continue
            if told is not None:  # one that was emptied does not know it
                return None if int(told) < 0 else int(told)
        if trouble is not None:
            raise FrontierUnavailable(trouble.what, trouble.why, trouble.hint)
        return self._given

    def allot(self) -> bool:
        """Give out anew what remains; False when another node does so just now. Every part must answer."""
        limit = self.limit()
        if limit is None:
            return False
        number = 1 + max(int(part.run("HGET", "totals", "allotment") or 0) for part in self._parts)
        frozen = []
        for part in self._parts:  # in one order on every node: who has the first has them all
            told = part.script(self._text, "freeze", number)
            if told is None:
                return False
            frozen.append(told)
        remaining = max(0, limit - sum(used for used, _, _ in frozen))
        for part, pages in zip(self._parts, divided(remaining, frozen), strict=True):
            part.script(self._text, "add", number, pages)
        return True

    def _tell(self, command: str, limit: int | None) -> None:
        for part in self._parts:
            part.run(command, "totals", _LIMIT, -1 if limit is None else limit)


def divided(remaining: int, parts: Sequence[Sequence[int]]) -> list[int]:
    """``remaining`` among parts of (used, queued, hosts ready): to those that can use it now, else to those that can later."""
    able = [at for at, (_, _, ready) in enumerate(parts) if ready]
    able = able or [at for at, (_, queued, _) in enumerate(parts) if queued > 0] or list(range(len(parts)))
    able.sort(key=lambda at: -parts[at][2])  # what cannot be halved goes where most hosts are ready
    shares = [0] * len(parts)
    for place, at in enumerate(able):
        shares[at] = remaining // len(able) + (place < remaining % len(able))
    return shares
