"""Hubs and authorities (Kleinberg 1999; the hub pages of (a) Li 2002): good hubs link to good authorities, which good hubs link to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from topicspider.relevance.interfaces import LinkScore
from topicspider.relevance.ipagerank import RelevanceWeights
from topicspider.relevance.rank_graph import MAX_EDGES

if TYPE_CHECKING:
    from topicspider.page.links import Link
    from topicspider.relevance.interfaces import Parent, PolicyContext

Node = TypeVar("Node", int, str)
SWEEPS = 30
SETTLED = 1e-4
LEAST = 1e-3
"""The value of a link whose target has no authority: above 0, so that it is fetched in the end."""
FIRST_PAGES, GROWTH = 25, 1.1
"""All scores are computed anew after 25 pages, then after each tenth more; in between, a page only adds authority to its own links."""


def hub_authority(
    edges: Mapping[Node, Mapping[Node, float]], hubs: Mapping[Node, float] | None = None
) -> tuple[dict[Node, float], dict[Node, float]]:
    """(hub, authority) by node, the largest of each is 1: authority(A) = Σ hub(T) · w(T→A), hub(T) = Σ authority(A) · w(T→A).

    ``edges``: page to its targets, each with its link's weight. ``hubs``: earlier hub scores, from which the new ones are found sooner.
    """
    known = hubs or {}
    hub = {page: known.get(page, 1.0) for page in edges}
    authority: dict[Node, float] = {}
    for _sweep in range(SWEEPS):
        authority = {}
        for page, links in edges.items():
            for target, weight in links.items():
                authority[target] = authority.get(target, 0.0) + hub[page] * weight
        authority = _scaled(authority)
        new = _scaled(
            {page: sum(authority[target] * w for target, w in links.items()) for page, links in edges.items()}
        )
        is_settled = all(abs(new[page] - hub[page]) < SETTLED for page in new)
        hub = new
        if is_settled:
            break
    return hub, authority


def _scaled(scores: dict[Node, float]) -> dict[Node, float]:
    most = max(scores.values(), default=0.0)
    return {node: score / most for node, score in scores.items()} if most > 0.0 else scores


class HitsPolicy:
    """The value of a link is its target's authority, with RW as link weight; prunes links of RW below the threshold, if any (``low_rw``).

    Incremental like IPageRank: each page adds its links at once; from time to time all scores are computed anew from the earlier ones.
    """

    name: str = "hits"

    def __init__(self, context: PolicyContext) -> None:
        self._weights = RelevanceWeights(context)
        self._edges: dict[int, dict[int, float]] = {}
        self._count = 0
        self._hubs: dict[int, float] = {}
        self._authorities: dict[int, float] = {}
        self._told: dict[int, float] = {}
        self._risen: list[tuple[int, float]] = []
        self._pages = 0
        self._next_look: float = FIRST_PAGES

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link."""
        weights = self._weights.weigh(parent, links)
        found: dict[int, float] = {}
        for (target, _), weight in zip(links, weights, strict=True):
            if target != parent.fingerprint and weight.rw > 0.0:
                found[target] = max(weight.rw, found.get(target, 0.0))
        self._expand(parent.fingerprint, found)
        scores = []
        for (target, _), weight in zip(links, weights, strict=True):
            value = max(LEAST, self._authorities.get(target, 0.0))
            reason = "" if weight.rw > 0.0 or not self._weights.threshold else "low_rw"
            self._told[target] = value
            scores.append(
                LinkScore(0.0 if reason else value, reason, {**self._weights.parts(weight), "authority": value})
            )
        return scores

    def promotions(self) -> Sequence[tuple[int, float]]:
        """Targets whose authority has risen by more than 1 % since it was last told."""
        risen, self._risen = self._risen, []
        return risen

    def _expand(self, page: int, links: dict[int, float]) -> None:
        self._count += len(links) - len(self._edges.pop(page, ()))
        self._edges[page] = links
        while self._count > MAX_EDGES and len(self._edges) > 1:
            self._count -= len(self._edges.pop(next(iter(self._edges))))
        self._pages += 1
        if self._pages >= self._next_look:
            self._look_anew()
        else:
            total = sum(links.values()) or 1.0
            hub = sum(self._authorities.get(target, 0.0) * weight for target, weight in links.items()) / total
            for target, weight in links.items():
                self._authorities[target] = min(1.0, self._authorities.get(target, 0.0) + max(hub, 0.01) * weight)

    def _look_anew(self) -> None:
        self._next_look = math.ceil(self._pages * GROWTH)
        self._hubs, self._authorities = hub_authority(self._edges, self._hubs)
        waiting = [target for target in self._told if target not in self._edges]
        self._told = {target: self._told[target] for target in waiting if target in self._authorities}
        self._risen = [
            (target, self._authorities[target])
            for target, told in self._told.items()
            if self._authorities[target] > told * 1.01
        ]
        self._told.update(self._risen)
