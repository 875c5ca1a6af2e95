"""PageRank of the part of the web that was seen so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.relevance.judgement import LinkScore, Parent
from topicspider.relevance.rank_graph import RankGraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.page.links.link import Link
    from topicspider.relevance.link_setup import LinkSetup


class PageRankPolicy:
    """(a) Li 2002, formula 2: PR(A) = (1-d) + d · Σ PR(T)/C(T), d = .85; prunes nothing.

    C(T) counts different targets; a page's link to itself is no recommendation. Ranks are exact to 1 %,
    and go on rising while pages are found: see ``promotions``.
    """

    name: str = "pagerank"

    def __init__(self, setup: LinkSetup) -> None:
        self._graph = RankGraph()

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link: the rank of its target, with this page's links counted."""
        targets = dict.fromkeys((target for target, _ in links if target != parent.fingerprint), 1.0)
        self._graph.expand(parent.fingerprint, targets)
        ranks = [self._graph.tell(target) for target, _ in links]
        return [LinkScore(rank, "", {"pagerank": rank}) for rank in ranks]

    def promotions(self) -> Sequence[tuple[int, float]]:
        """Targets whose rank rose by more than 1 % since it was last told."""
        return self._graph.risen()
