"""Weighs links of which nothing is known but their own texts and addresses, each by itself: no page, no neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.relevance.learner.page_links import PageLinks
from topicspider.relevance.learner.yield_tables import YieldTables

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from topicspider.page.links.link import Link
    from topicspider.relevance.judgement import LinkScore
    from topicspider.relevance.learner.link_texts import LinkTexts
    from topicspider.relevance.learner.weights import Weights

AT_ONCE = 2_000
"""On a copy of the yields: the sites of many links would drive out those that the crawl knows."""
_NO_PAGE = (0.0, 0.0, 0)


def weighed_alone(
    links: Sequence[Link], texts: LinkTexts, yields: YieldTables, weights: Weights
) -> Iterator[LinkScore]:
    """What ``weights`` say of each of ``links``, in their order; ``yields`` stay as they are."""
    for start in range(0, len(links), AT_ONCE):
        copy = YieldTables()
        copy.adopt(yields.state())
        for place, link in enumerate(links[start : start + AT_ONCE]):
            page = PageLinks([(place, link)], texts, copy, "", place, _NO_PAGE)
            page.expect([0])
            one = page.read(0, None)
            one.value = weights.weigh(one)
            yield one.score()
