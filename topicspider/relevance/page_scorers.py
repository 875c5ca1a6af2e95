"""The short names of the page scorers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.errors import ConfigError
from topicspider.relevance.pages.a4bc import A4bcScorer
from topicspider.relevance.pages.bm25 import Bm25Scorer
from topicspider.relevance.pages.boolean import BooleanScorer
from topicspider.relevance.pages.vsm import VsmScorer

if TYPE_CHECKING:
    from topicspider.relevance.pages.scorer import CountingScorer
    from topicspider.topic.profile import TopicProfile

PAGE_SCORERS: dict[str, type[CountingScorer]] = {
    scorer.name: scorer for scorer in (BooleanScorer, VsmScorer, A4bcScorer, Bm25Scorer)
}


def make_page_scorer(name: str, profile: TopicProfile) -> CountingScorer:
    """The page scorer called ``name``, for the topic of ``profile``; ConfigError for another name."""
    if name not in PAGE_SCORERS:
        raise ConfigError("TOPICSPIDER_PAGE_SCORER", name, ", ".join(PAGE_SCORERS))
    return PAGE_SCORERS[name](profile)
