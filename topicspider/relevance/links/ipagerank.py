"""IPageRank: PageRank of a surfer who is interested in the topic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from topicspider.page.link import Link
from topicspider.relevance.judgement import LinkScore, Parent
from topicspider.relevance.link_setup import LinkSetup
from topicspider.relevance.link_weights import LinkWeights
from topicspider.relevance.rank_graph import RankGraph


class IPageRankPolicy:
    """(a) Li 2002, formula 3: IPR(A) = (1-d) + d · Σ IPR(T) · RW(T→A) / Σ_j RW(T→j), d = .85.

    Links of RW 0 are pruned (``low_rw``) and get nothing. Of several links from a page to one target
    the best RW counts. Ranks are exact to 1 % and go on rising: see ``promotions``.
    """

    name: ClassVar[str] = "ipagerank"

    def __init__(self, setup: LinkSetup) -> None:
        self._weights = LinkWeights(setup)
        self._graph = RankGraph()

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link: the rank of its target, with this page's links counted."""
        weights = self._weights.weigh(parent, links)
        best: dict[int, float] = {}
        for (target, _), weight in zip(links, weights, strict=True):
            if target != parent.fingerprint and weight.rw > best.get(target, 0.0):
                best[target] = weight.rw
        self._graph.expand(parent.fingerprint, best)
        ranks = self._graph.tell([target for target, _ in links])
        return [
            LinkScore(rank, "", {**self._weights.parts(weight), "ipagerank": rank})
            if weight.rw > 0.0
            else LinkScore(0.0, "low_rw", self._weights.parts(weight))
            for rank, weight in zip(ranks, weights, strict=True)
        ]

    def promotions(self) -> Sequence[tuple[int, float]]:
        """Targets whose rank rose by more than 1 % since it was last told."""
        return self._graph.risen()
