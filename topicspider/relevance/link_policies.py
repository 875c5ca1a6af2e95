"""The short names of the link policies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.errors import ConfigError
from topicspider.relevance.learner.refits import InlineRefits, Refits
from topicspider.relevance.link_setup import LinkSetup, WordCutter
from topicspider.relevance.links.best_first import BestFirstPolicy
from topicspider.relevance.links.bfs import BfsPolicy
from topicspider.relevance.links.dfs import DfsPolicy
from topicspider.relevance.links.hard_focus import HardFocusPolicy
from topicspider.relevance.links.ipagerank import IPageRankPolicy
from topicspider.relevance.links.learned import LearnedPolicy
from topicspider.relevance.links.opic import OpicPolicy
from topicspider.relevance.links.pagerank import PageRankPolicy
from topicspider.relevance.links.random import RandomPolicy
from topicspider.relevance.links.rw import RwPolicy
from topicspider.relevance.links.shark import SharkPolicy
from topicspider.relevance.thresholds import link_threshold

if TYPE_CHECKING:
    from collections.abc import Callable

    from topicspider.relevance.judgement import LinkPolicy
    from topicspider.topic.profile import TopicModel, TopicProfile

LINK_POLICIES: dict[str, Callable[[LinkSetup], LinkPolicy]] = {
    "bfs": BfsPolicy,
    "dfs": DfsPolicy,
    "random": RandomPolicy,
    "hard_focus": HardFocusPolicy,
    "best_first": BestFirstPolicy,
    "shark": SharkPolicy,
    "rw": RwPolicy,
    "pagerank": PageRankPolicy,
    "opic": OpicPolicy,
    "ipagerank": IPageRankPolicy,
    "learned": LearnedPolicy,
}


def make_link_policy(
    name: str,
    profile: TopicProfile,
    segmenter: WordCutter,
    *,
    threshold: float | None = None,
    seed: int = 0,
    faithful: bool = False,
    model: TopicModel | None = None,
    refits: Refits | None = None,
) -> LinkPolicy:
    """The link policy called ``name``; ConfigError for another name.

    ``threshold``: the option; None (or below 0) leaves it to the topic, then to the policy's default.
    ``faithful`` switches off what we added to the published methods (docs/relevance.md). ``model`` and ``refits`` (at once, when
    None) are for policies that learn.
    """
    if name not in LINK_POLICIES:
        raise ConfigError("TOPICSPIDER_LINK_POLICY", name, ", ".join(LINK_POLICIES))
    limit = link_threshold(profile.topic, name, threshold)
    return LINK_POLICIES[name](LinkSetup(profile, segmenter, limit, seed, faithful, model, refits or InlineRefits()))
