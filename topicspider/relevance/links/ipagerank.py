"""IPageRank: PageRank of a surfer who is interested in the topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.relevance.judgement import LinkScore, Parent
from topicspider.relevance.link_weights import LinkWeights, Weight
from topicspider.relevance.rank_graph import MAX_EDGES, RankGraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.page.links.link import Link
    from topicspider.relevance.link_setup import LinkSetup


class IPageRankPolicy:
    """(a) Li 2002, formula 3: IPR(A) = (1-d) + d · Σ IPR(T) · RW(T→A) / Σ_j RW(T→j), d = .85.

    Links of RW 0 are pruned (``low_rw``) and get nothing. Of several links from a page to one target
    the best RW counts. Ranks are exact to 1 % and go on rising: see ``promotions``.

    A link's value is IPR · best RW of the links to its target; the rank alone when ``setup.faithful``
    (docs/adr/0005).
    """

    name: str = "ipagerank"

    def __init__(self, setup: LinkSetup) -> None:
        self._weights = LinkWeights(setup)
        self._graph = RankGraph()
        self._best_rw: dict[int, float] | None = None if setup.faithful else {}

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link: the rank of its target, with this page's links counted."""
        weights = self._weights.weigh(parent, links)
        self._graph.expand(parent.fingerprint, self._shares(parent, links, weights))
        return [self._score(target, weight) for (target, _), weight in zip(links, weights, strict=True)]

    def _score(self, target: int, weight: Weight) -> LinkScore:
        parts = self._weights.parts(weight)
        if weight.rw <= 0.0:
            return LinkScore(0.0, "low_rw", parts)
        rank = self._graph.tell(target)
        return LinkScore(rank * self._interest(target, weight.rw), "", {**parts, "ipagerank": rank})

    def _interest(self, target: int, rw: float) -> float:
        """The best RW of a link to ``target`` so far; 1 when only the rank counts. Bounded: the oldest go."""
        if self._best_rw is None:
            return 1.0
        best = max(rw, self._best_rw.pop(target, 0.0))
        self._best_rw[target] = best
        if len(self._best_rw) > MAX_EDGES:
            del self._best_rw[next(iter(self._best_rw))]
        return best

    def _shares(self, parent: Parent, links: Sequence[tuple[int, Link]], weights: Sequence[Weight]) -> dict[int, float]:
        """Target to its best RW among this page's links; a page does not recommend itself."""
        best: dict[int, float] = {}
        for (target, _), weight in zip(links, weights, strict=True):
            if target != parent.fingerprint:
                best[target] = max(weight.rw, best.get(target, 0.0))
        return best

    def rank(self, page: int) -> float:
        """The IPageRank of a page (by fingerprint) as the links found so far have it."""
        return self._graph.rank(page)

    def promotions(self) -> Sequence[tuple[int, float]]:
        """Targets whose rank rose by more than 1 % since it was last told, with their new values."""
        if self._best_rw is None:
            return self._graph.risen()
        return [(target, rank * self._best_rw.get(target, 0.0)) for target, rank in self._graph.risen()]
