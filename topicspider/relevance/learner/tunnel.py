"""How far a crawl may go on without a hit: learned from how far its hits lay from one another."""

from __future__ import annotations

DEEPEST = 32
ENOUGH = 300
"""Links followed in vain: by the rule of three fewer than 1 % of such links lead to a hit, at 95 %."""


class Tunnel:
    """Counts links followed and hits among them by the steps since the last hit, and says from where on links are not worth following."""

    def __init__(self) -> None:
        self.followed = [0] * (DEEPEST + 1)
        self.hits = [0] * (DEEPEST + 1)
        self.limit: int | None = None

    def add(self, steps: int, *, is_hit: bool) -> None:
        """A link ``steps`` after the last hit was followed."""
        steps = min(steps, DEEPEST)
        self.followed[steps] += 1
        self.hits[steps] += is_hit
        self.limit = self._limit()

    def _limit(self) -> int | None:
        """The fewest steps of which ENOUGH links or more, with all that lay deeper, led to nothing; None while nobody knows."""
        if not any(self.hits):
            return None
        deepest = max(steps for steps, hits in enumerate(self.hits) if hits)
        for steps in range(deepest + 1, DEEPEST + 1):
            if sum(self.followed[steps:]) < ENOUGH:
                return None
            return steps
        return None
