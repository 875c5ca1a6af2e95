"""The short names of the page scorers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from topicspider.errors import ConfigError
from topicspider.relevance.pages.a4bc import A4bcScorer
from topicspider.relevance.pages.bm25 import Bm25Scorer
from topicspider.relevance.pages.boolean import BooleanScorer
from topicspider.relevance.pages.learned import LearnedScorer
from topicspider.relevance.pages.vsm import VsmScorer

if TYPE_CHECKING:
    from topicspider.relevance.judgement import PageScorer
    from topicspider.topic.profile import TopicProfile

PAGE_SCORERS: dict[str, Callable[[TopicProfile], PageScorer]] = {
    "boolean": BooleanScorer,
    "vsm": VsmScorer,
    "a4bc": A4bcScorer,
    "bm25": Bm25Scorer,
    "learned": LearnedScorer,
}


def make_page_scorer(name: str, profile: TopicProfile) -> PageScorer:
    """The page scorer called ``name``, for the topic of ``profile``; ConfigError for another name.

    ``learned`` without a compiled topic is of tier lite (PageJudge gives it one).
    """
    if name not in PAGE_SCORERS:
        raise ConfigError("TOPICSPIDER_PAGE_SCORER", name, ", ".join(PAGE_SCORERS))
    return PAGE_SCORERS[name](profile)
