"""Breadth-first: nearest to the seeds first, then first come, first served."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.relevance.judgement import LinkScore, Parent
from topicspider.relevance.links.order import Arrivals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.page.links.link import Link
    from topicspider.relevance.link_setup import LinkSetup


class BfsPolicy:
    """(a), (b), (c), (d): the baseline; prunes nothing. After a restart arrival counts anew within a depth."""

    name: str = "bfs"

    def __init__(self, setup: LinkSetup) -> None:
        self._arrivals = Arrivals()

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link, falling with depth, then arrival."""
        return [LinkScore(self._arrivals.oldest_first(parent.depth + 1)) for _ in links]

    def promotions(self) -> Sequence[tuple[int, float]]:
        """None: the first arrival counts."""
        return ()
