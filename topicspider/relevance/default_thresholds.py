"""The default thresholds of page scorers and link policies, with how each was found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from topicspider.topic.profile import Topic


@dataclass(frozen=True, slots=True)
class ScopeThresholds:
    """One threshold for each scope ((a) Li 2002): low for a broad topic (recall), high for a specific one (precision)."""

    broad: float
    specific: float

    def of(self, scope: str) -> float:
        """The threshold for a topic's scope."""
        return self.specific if scope == "specific" else self.broad


# Found on two sets of Chinese pages (14,000 pages of recorded sites, labelled by their own categories) and
# titles (20,000, 15 categories): broad is near the best F1, specific where precision reaches about .95.
PAGE_THRESHOLDS = {
    # broad: 3 topic words; specific: 5; one word more or less changes F1 by at most .08
    "boolean": ScopeThresholds(0.5, 0.62),
    # best F1 at .026 and .046 on pages, .01 to .02 on titles; from .02 to .06 F1 changes by less than .04
    "vsm": ScopeThresholds(0.03, 0.07),
    # best F1 at .049 for two topics; the thesis's own A > 2 keeps no page of theirs
    "a4bc": ScopeThresholds(0.05, 0.1),
    # best F1 at .42 and .43 on pages
    "bm25": ScopeThresholds(0.4, 0.6),
    # a probability. Broad: F1 is best at half of the best F1, which is .6 to .8. Specific: at least as likely on topic as not
    # (eight classes of the catalogue, in an encyclopedia: precision .99 and recall .53; at .6: .99 and .45; at .35: .96 and .65)
    "learned": ScopeThresholds(0.35, 0.5),
}

# With TOPICSPIDER_FAITHFUL. boolean: one word in common is enough; vsm: our choice, (a) leaves d to the user; a4bc: (b)'s A > 2, as A / 5.
PUBLISHED_PAGE_THRESHOLDS = {
    "boolean": ScopeThresholds(0.25, 0.25),
    "vsm": ScopeThresholds(0.3, 0.5),
    "a4bc": ScopeThresholds(0.4, 0.4),
}

# rw, ipagerank: c of formula 1 in (a), a grade of text.similarity. From .5 on ("near words") crawls of a broad topic ended
# with three fifths of its pages found, because every tunnel was pruned. At .3 ("distant words of the same branch") they lost
# no page, and still left out a sixth of the links; at .1 every link received rank.
LINK_THRESHOLDS = {
    "rw": ScopeThresholds(0.3, 0.5),
    "ipagerank": ScopeThresholds(0.3, 0.5),
    # by benchmarks/quality/stopping.py, with links that lose by their distance from the last hit: at .001 one of twelve topics loses a
    # quarter of its pages; on webs of sites from a directory the stop rule ends a crawl earlier
    "learned": ScopeThresholds(0.0001, 0.0001),
}
NO_THRESHOLD = ScopeThresholds(0.0, 0.0)
LOW_CHANCE = "low_chance"
"""The reason recorded for links whose value was below ``least_score`` when the crawl ended."""


FAR_OFF = 3.0
"""A topic's plain number that is more than this factor above or below the scorer's default was likely set for another scorer."""


def page_threshold(topic: Topic, scorer: str, option: float | None, *, faithful: bool = False) -> float:
    """The first that is set: the option (None or below 0: unset), the topic's for this scorer or for any, the default or the paper's."""
    own = topic.page_thresholds.get(scorer, topic.page_threshold)
    usual = PUBLISHED_PAGE_THRESHOLDS if faithful and scorer in PUBLISHED_PAGE_THRESHOLDS else PAGE_THRESHOLDS
    return _first(option, own, usual[scorer].of(topic.scope))


def link_threshold(topic: Topic, policy: str, option: float | None) -> float:
    """The first that is set: the option (None or below 0: unset), the topic's for this policy or for any, the policy's default."""
    own = topic.link_thresholds.get(policy, topic.link_threshold)
    return _first(option, own, LINK_THRESHOLDS.get(policy, NO_THRESHOLD).of(topic.scope))


def least_score(topics: Iterable[Topic], policy: str, option: float | None) -> float:
    """The least value with which a link leaves the queue: for ``learned`` the lowest link threshold of the topics, else -inf.

    Values of ``learned`` rise and fall while links wait. The other policies prune a link when it is found, or only order links.
    """
    return min(link_threshold(topic, policy, option) for topic in topics) if policy == "learned" else -math.inf


def page_threshold_doubt(topic: Topic, scorer: str, used: float) -> str:
    """A one-line warning when ``used`` is the topic's plain number and far from what is usual for this scorer; else ""."""
    usual = PAGE_THRESHOLDS[scorer].of(topic.scope)
    if scorer in topic.page_thresholds or topic.page_threshold is None or used != topic.page_threshold:
        return ""
    if usual / FAR_OFF <= used <= usual * FAR_OFF:
        return ""
    effect = "nearly every page is a hit" if used < usual else "hardly a page is a hit"
    return (
        f"{topic.name}: thresholds.page: {used:g} is far from the {usual:g} of the scorer {scorer}, {effect}: was it set for another? "
        f"allowed: 0 to 1 for any scorer, or by scorer, as page: {{{scorer}: {used:g}}}, which also says that it is meant"
    )


def _first(option: float | None, own: float | None, default: float) -> float:
    if option is not None and option >= 0.0:
        return option
    return default if own is None else own
