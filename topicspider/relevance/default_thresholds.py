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
    """(a) Li 2002: a broad topic takes a low threshold (recall), a specific one a high one (precision)."""

    broad: float
    specific: float

    def of(self, scope: str) -> float:
        """The threshold for a topic's scope."""
        return self.specific if scope == "specific" else self.broad


# Found on two sets of Chinese pages (14,000 pages of recorded sites, labelled by their own categories) and
# titles (20,000, 15 categories): broad is near the best F1, specific where precision reaches about .95.
PAGE_THRESHOLDS = {
    # 3 topic words, and 5; one more or less moves F1 by at most .08
    "boolean": ScopeThresholds(0.5, 0.62),
    # best F1 at .026 and .046 on pages, .01 to .02 on titles; from .02 to .06 F1 changes by less than .04
    "vsm": ScopeThresholds(0.03, 0.07),
    # best F1 at .049 for two topics; the thesis's own A > 2 keeps no page of theirs
    "a4bc": ScopeThresholds(0.05, 0.1),
    # best F1 at .42 and .43 on pages
    "bm25": ScopeThresholds(0.4, 0.6),
    # a probability: F1 is best where it is half of the F1 that can be had, which is .6 to .8; a specific topic's pages are more likely on it than
    # not (eight classes of the catalogue, an encyclopedia: precision .99 and recall .53, with .6 .99 and .45, with .35 .96 and .65)
    "learned": ScopeThresholds(0.35, 0.5),
}

# With TOPICSPIDER_FAITHFUL: (b)'s A > 2 as A / 5; one word in common is an intersection; (a) leaves d to the user.
PUBLISHED_PAGE_THRESHOLDS = {
    "boolean": ScopeThresholds(0.25, 0.25),
    "vsm": ScopeThresholds(0.3, 0.5),
    "a4bc": ScopeThresholds(0.4, 0.4),
}

# c of formula 1, in the grades of text.similarity. From .5 on ("near words") the crawls of a broad topic
# ended by themselves with three fifths of its pages found: every tunnel was pruned. At .3 ("distant words of the same
# branch") they lost none, and still left out a sixth of the links; at .1 rank went to everything.
LINK_THRESHOLDS = {
    "rw": ScopeThresholds(0.3, 0.5),
    "ipagerank": ScopeThresholds(0.3, 0.5),
    # by benchmarks/quality/stopping.py: of .005, .003, .002 and .001 the only one that loses less than 2 % of the pages of seven topics of an
    # encyclopedia, where one topic's hits are worth .002; on webs of sites the stop rule ends a crawl before
    "learned": ScopeThresholds(0.001, 0.001),
}
NO_THRESHOLD = ScopeThresholds(0.0, 0.0)
LOW_CHANCE = "low_chance"
"""Why links were pruned that were worth less than ``least_score`` when the crawl ended."""


FAR_OFF = 3.0
"""A plain number that is so many times a scorer's default, or goes into it so many times, was likely set for another scorer."""


def page_threshold(topic: Topic, scorer: str, option: float | None, *, faithful: bool = False) -> float:
    """The option (None is unset) before the topic's own for this scorer or for any, before the scorer's default, or its paper's."""
    own = topic.page_thresholds.get(scorer, topic.page_threshold)
    usual = PUBLISHED_PAGE_THRESHOLDS if faithful and scorer in PUBLISHED_PAGE_THRESHOLDS else PAGE_THRESHOLDS
    return _first(option, own, usual[scorer].of(topic.scope))


def link_threshold(topic: Topic, policy: str, option: float | None) -> float:
    """The option (None is unset) before the topic's own for this policy or for any, before the policy's default."""
    own = topic.link_thresholds.get(policy, topic.link_threshold)
    return _first(option, own, LINK_THRESHOLDS.get(policy, NO_THRESHOLD).of(topic.scope))


def least_score(topics: Iterable[Topic], policy: str, option: float | None) -> float:
    """What a link must be worth to leave the queue: the link threshold of ``learned``, whose values rise and fall while links wait.

    The other policies prune as links come, or only order them: -inf.
    """
    return min(link_threshold(topic, policy, option) for topic in topics) if policy == "learned" else -math.inf


def page_threshold_doubt(topic: Topic, scorer: str, used: float) -> str:
    """In a line why the threshold ``used`` may be none for this scorer; "" when the topic's plain number is not used, or likely."""
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
