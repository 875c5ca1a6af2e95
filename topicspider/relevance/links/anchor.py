"""Anchor text alone: a link is worth what its own text says of the topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.relevance.judgement import LinkScore, Parent
from topicspider.relevance.text_relevance import TextRelevance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.page.links.link import Link
    from topicspider.relevance.link_setup import LinkSetup


class AnchorPolicy:
    """A baseline for rehearsals: the value is the cosine of topic and anchor (its text or image's alt, and title).

    Prunes nothing. A link found again under a better anchor is promoted by the frontier, which keeps the best value.
    """

    name: str = "anchor"

    def __init__(self, setup: LinkSetup) -> None:
        self._relevance = TextRelevance(setup.profile, setup.segmenter)

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link."""
        values = [self._relevance.of(words_of(link)) for _, link in links]
        return [LinkScore(value, "", {"anchor": value}) for value in values]

    def promotions(self) -> Sequence[tuple[int, float]]:
        """None: an anchor's relevance does not change."""
        return ()


def words_of(link: Link) -> str:
    """The anchor and its title; a title that repeats the anchor says nothing more."""
    return link.anchor if link.title in ("", link.anchor) else f"{link.anchor} {link.title}"
