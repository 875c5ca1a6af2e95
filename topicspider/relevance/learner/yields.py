"""What came of the links followed so far, by site, by form of address and by list: shares, drawn to those of the larger group."""

from __future__ import annotations

import math

_SURE = 0.003
"""Shares are kept so far from 0 and 1: certainty stays finite."""
UNKNOWN_SHARE = 0.15
"""What is expected of a link before anything came of any; a hundred links later it no longer matters."""


class Yield:
    """The mean outcome of the links of one group; of few it says little, and the group ``above`` fills in.

    ``pull``: the group above counts as so many links. ``fade``: what came earlier counts so much of what it did
    with every new link, so that a site that is exhausted falls. ``lead``: by how much the log-odds of ``share``
    exceed those of the group above, as they were when ``add`` or ``refresh`` was called. ``members``: links of the group that
    wait, as far as somebody keeps them. ``tries``: how often one of them explored.
    """

    __slots__ = ("above", "count", "fade", "lead", "members", "pull", "share", "total", "tries")

    def __init__(self, above: Yield | None, pull: float, fade: float = 1.0) -> None:
        self.above, self.pull, self.fade = above, pull, fade
        self.count = self.total = 0.0
        self.lead = 0.0
        self.tries = 0
        self.members: list[int] = []
        self.share: float = UNKNOWN_SHARE if above is None else above.share

    def add(self, outcome: float) -> None:
        """One more link was followed."""
        self.count = self.count * self.fade + 1.0
        self.total = self.total * self.fade + outcome
        self.refresh()

    def refresh(self) -> None:
        """Look at the group above again."""
        above = UNKNOWN_SHARE if self.above is None else self.above.share
        self.share = (self.total + self.pull * above) / (self.count + self.pull)
        self.lead = log_odds(self.share) - log_odds(above) if self.count else 0.0

    def state(self) -> tuple[float, float, float, float]:
        """What ``adopt`` takes; share and lead too, for the group above may have moved on since they were told."""
        return self.count, self.total, self.share, self.lead

    def adopt(self, count: float, total: float, share: float, lead: float) -> None:
        """Stand where another process stands."""
        self.count, self.total, self.share, self.lead = count, total, share, lead


def log_odds(share: float) -> float:
    """Bounded, so that certainty stays finite."""
    share = min(1.0 - _SURE, max(_SURE, share))
    return math.log(share / (1.0 - share))
