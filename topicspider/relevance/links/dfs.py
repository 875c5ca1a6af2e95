"""Depth-first: farthest from the seeds first, then the link found last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.relevance.judgement import LinkScore, Parent
from topicspider.relevance.links.order import Arrivals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.page.links.link import Link
    from topicspider.relevance.link_setup import LinkSetup


class DfsPolicy:
    """(b) thesis 2011, which warns of its trap: one deep site can hold it for ever; prunes nothing."""

    name: str = "dfs"

    def __init__(self, setup: LinkSetup) -> None:
        self._arrivals = Arrivals()

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link, rising with depth, then arrival."""
        return [LinkScore(self._arrivals.newest_first(parent.depth + 1)) for _ in links]

    def promotions(self) -> Sequence[tuple[int, float]]:
        """None: a link found again keeps its place."""
        return ()
