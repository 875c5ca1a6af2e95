"""Hard focus: links are followed only from pages that are on topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.relevance.judgement import LinkScore, Parent
from topicspider.relevance.links.order import Arrivals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.page.links.link import Link
    from topicspider.relevance.link_setup import LinkSetup


class HardFocusPolicy:
    """(b) thesis 2011: breadth-first among the links of on-topic pages; all others are pruned.

    As published it has no way through a tunnel, and a seed that is off topic (a directory) is a dead end.
    """

    name: str = "hard_focus"

    def __init__(self, setup: LinkSetup) -> None:
        self._arrivals = Arrivals()

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link; pruned ``off_topic_parent`` when the page is off topic."""
        if not parent.on_topic:
            return [LinkScore(0.0, "off_topic_parent", {"parent": parent.score}) for _ in links]
        parts = {"parent": parent.score}
        return [LinkScore(self._arrivals.oldest_first(parent.depth + 1), "", parts) for _ in links]

    def promotions(self) -> Sequence[tuple[int, float]]:
        """None: the first arrival counts."""
        return ()
