"""Shark-search: a link is worth what its page hands down, its anchor, and the words around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.relevance.judgement import LinkScore, Parent
from topicspider.relevance.links.anchor import words_of
from topicspider.relevance.rank_graph import MAX_EDGES
from topicspider.relevance.text_relevance import TextRelevance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.page.links.link import Link
    from topicspider.relevance.link_setup import LinkSetup

INHERITED_DECAY = 0.5  # δ
ANCHOR_SHARE = 0.8  # β, of the neighbourhood
INHERITED_SHARE = 0.5  # γ, of the potential score


class SharkPolicy:
    """Hersovici et al. 1998, "The shark-search algorithm. An application: tailored Web site mapping".

    inherited = δ · sim(topic, page) if that is > 0, else δ · the page's own inherited score;
    context = 1 if anchor > 0, else sim(topic, words around the link);
    neighbourhood = β · anchor + (1-β) · context;
    potential = γ · inherited + (1-γ) · neighbourhood, with δ = .5, β = .8, γ = .5.

    sim of a page is its score by the crawl's page scorer, sim of a text the cosine of ``vsm``. Prunes nothing: the
    paper's limits (depth, time, number of pages) are the crawl's. Of several ways to a target the best inherited score
    is remembered, for the last ``remembered`` targets; the frontier keeps the best potential, as the paper does.
    """

    name: str = "shark"

    def __init__(self, setup: LinkSetup, remembered: int = MAX_EDGES) -> None:
        self._relevance = TextRelevance(setup.profile, setup.segmenter)
        self._remembered = remembered
        self._inherited: dict[int, float] = {}  # by target, oldest first

    def __len__(self) -> int:
        """How many inherited scores are remembered."""
        return len(self._inherited)

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link; its parts are the weighted terms of the potential score, and sum to it."""
        above = parent.score if parent.score > 0.0 else self._inherited.get(parent.fingerprint, 0.0)
        inherited = INHERITED_DECAY * above
        if inherited > 0.0:
            for target, _ in links:
                self._remember(target, inherited)
        return [self._score(inherited, link) for _, link in links]

    def _score(self, inherited: float, link: Link) -> LinkScore:
        anchor = self._relevance.of(words_of(link))
        context = 1.0 if anchor > 0.0 else self._relevance.of(f"{link.before} {link.after}".strip())
        parts = {
            "inherited": INHERITED_SHARE * inherited,
            "anchor": (1.0 - INHERITED_SHARE) * ANCHOR_SHARE * anchor,
            "context": (1.0 - INHERITED_SHARE) * (1.0 - ANCHOR_SHARE) * context,
        }
        return LinkScore(sum(parts.values()), "", parts)

    def _remember(self, target: int, inherited: float) -> None:
        self._inherited[target] = max(inherited, self._inherited.pop(target, 0.0))
        if len(self._inherited) > self._remembered:
            del self._inherited[next(iter(self._inherited))]

    def promotions(self) -> Sequence[tuple[int, float]]:
        """None: a score handed down goes to links that are judged in the same call."""
        return ()
