"""RW of all links of one page: formula 1 with its threshold, and what pagination inherits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.relevance.link_relevance import LinkRelevance, Match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.page.links.link import Link
    from topicspider.relevance.judgement import Parent
    from topicspider.relevance.link_setup import LinkSetup


_WITHIN = frozenset({"up", "level", "cross"})
_SLASHES_OF_A_HOME = 3  # http://www.example.cn/


@dataclass(frozen=True, slots=True)
class Weight:
    """RW of one link (0 is pruned) and the match it comes from."""

    rw: float
    match: Match


class LinkWeights:
    """RW(url) = max(M(url)) if that is ≥ c, else 0 ((a) Li 2002, formula 1); c is the threshold.

    One addition, off when ``setup.faithful``: a link to the next or previous page of a list leads to more
    of the same, and one to the site's own home page to what the site is about (the paper's site topics: a site has one
    or a few). So its RW is at least its page's standing: 1 for a page on topic, else the mean of
    max(M) over the page's other links in its main part (a hub's links speak for the hub).
    """

    def __init__(self, setup: LinkSetup) -> None:
        self._relevance = LinkRelevance(setup.profile, setup.segmenter)
        self._threshold = setup.threshold
        self._faithful = setup.faithful

    def weigh(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[Weight]:
        """A Weight for each link, in order."""
        matches = [self._relevance.match(link) for _, link in links]
        heirs = [] if self._faithful else [_heir(link) for _, link in links]
        if any(heirs):
            standing = 1.0 if parent.on_topic else _mean_of_others(links, matches)
            matches = [
                Match(standing, "", heir) if heir and standing > match.similarity else match
                for heir, match in zip(heirs, matches, strict=True)
            ]
        return [Weight(m.similarity if m.similarity >= self._threshold else 0.0, m) for m in matches]

    def parts(self, weight: Weight) -> dict[str, float]:
        """For explanations: max(M) by the field it was found in, and by the pair of words that met."""
        match = weight.match
        if not match.word:
            return {"rw": weight.rw, match.field: match.similarity} if match.field else {"rw": weight.rw}
        return {"rw": weight.rw, match.field: match.similarity, self._relevance.pair(match.word): match.similarity}


def _heir(link: Link) -> str:
    """As what a link inherits its page's standing: pagination, home, or "" for not at all."""
    if link.is_pagination:
        return "pagination"
    return (
        "home" if link.kind in _WITHIN and link.url.count("/") == _SLASHES_OF_A_HOME and link.url.endswith("/") else ""
    )


def _mean_of_others(links: Sequence[tuple[int, Link]], matches: Sequence[Match]) -> float:
    others = [
        m.similarity
        for (_, link), m in zip(links, matches, strict=True)
        if link.block == "main" and not link.is_pagination
    ]
    return sum(others) / len(others) if others else 0.0
