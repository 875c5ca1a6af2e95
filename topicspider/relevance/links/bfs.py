"""Breadth-first: nearest to the seeds first, then first come, first served."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from topicspider.page.link import Link
from topicspider.relevance.judgement import LinkScore, Parent
from topicspider.relevance.link_setup import LinkSetup
from topicspider.relevance.links.order import Arrivals


class BfsPolicy:
    """(a), (b), (c), (d): the baseline; prunes nothing. After a restart arrival counts anew within a depth."""

    name: ClassVar[str] = "bfs"

    def __init__(self, setup: LinkSetup) -> None:
        self._arrivals = Arrivals()

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link, falling with depth, then arrival."""
        return [LinkScore(self._arrivals.oldest_first(parent.depth + 1)) for _ in links]

    def promotions(self) -> Sequence[tuple[int, float]]:
        """None: the first arrival counts."""
        return ()
