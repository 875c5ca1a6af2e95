"""RW alone: a link is worth what its own words promise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.relevance.judgement import LinkScore, Parent
from topicspider.relevance.link_weights import LinkWeights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.page.links.link import Link
    from topicspider.relevance.link_setup import LinkSetup


class RwPolicy:
    """(a) Li 2002, formula 1: the value is RW; links below the threshold are pruned (``low_rw``)."""

    name: str = "rw"

    def __init__(self, setup: LinkSetup) -> None:
        self._weights = LinkWeights(setup)

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link."""
        weights = self._weights.weigh(parent, links)
        return [LinkScore(one.rw, "" if one.rw > 0.0 else "low_rw", self._weights.parts(one)) for one in weights]

    def promotions(self) -> Sequence[tuple[int, float]]:
        """None: the frontier keeps the best RW a link was ever found with."""
        return ()
