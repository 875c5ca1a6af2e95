"""Best-first: a link is worth what its page is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.relevance.judgement import LinkScore, Parent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.page.links.link import Link
    from topicspider.relevance.link_setup import LinkSetup


class BestFirstPolicy:
    """(b) thesis 2011: the value of a link is the relevance of the page it stands on.

    Prunes nothing by default; with a threshold, links of pages that score below it (``low_parent``). A
    link found again on a better page is promoted by the frontier, which keeps the best value.
    """

    name: str = "best_first"

    def __init__(self, setup: LinkSetup) -> None:
        self._threshold = setup.threshold

    def judge(self, parent: Parent, links: Sequence[tuple[int, Link]]) -> list[LinkScore]:
        """One LinkScore for each link."""
        reason = "low_parent" if parent.score < self._threshold else ""
        score = LinkScore(0.0 if reason else parent.score, reason, {"parent": parent.score})
        return [score for _ in links]

    def promotions(self) -> Sequence[tuple[int, float]]:
        """None: a page's score does not change."""
        return ()
