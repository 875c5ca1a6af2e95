"""Judges pages: counts the words once, asks every scorer whose part is stored, and compares with the threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.relevance.judgement import PageScore, PageWords
from topicspider.relevance.page_scorers import make_page_scorer
from topicspider.relevance.pages.a4bc import A4bcScorer
from topicspider.relevance.pages.boolean import BooleanScorer
from topicspider.relevance.pages.counting import count_words
from topicspider.relevance.pages.vsm import VsmScorer
from topicspider.relevance.thresholds import page_threshold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.topic.profile import TopicProfile


class PageJudge:
    """One topic's verdicts on pages by the scorer called ``scorer_name``.

    ``threshold``: the option; None (or below 0) leaves it to the topic, then to the scorer's default.
    """

    def __init__(self, profile: TopicProfile, scorer_name: str, threshold: float | None = None) -> None:
        self._profile = profile
        self._scorer = make_page_scorer(scorer_name, profile)
        self._boolean, self._vsm, self._a4bc = BooleanScorer(profile), VsmScorer(profile), A4bcScorer(profile)
        self.scorer_name = scorer_name
        self.threshold = page_threshold(profile.topic, scorer_name, threshold)

    def judge(self, words: PageWords) -> PageScore:
        """The verdict; a page without one word of the topic (score 0) is never on topic."""
        counts = count_words(words, self._profile)
        a, b, c = self._a4bc.measures(counts)
        parts = {"boolean": self._boolean.value(counts), "vsm": self._vsm.value(counts), "A": a, "B": b, "C": c}
        known = parts.get(self.scorer_name)
        value = self._scorer.value(counts) if known is None else known
        parts.setdefault(self.scorer_name, value)
        return PageScore(value, value > 0.0 and value >= self.threshold, self.threshold, parts)

    def explain(self, words: PageWords) -> Sequence[tuple[str, float]]:
        """Named parts that sum to the verdict's value (R1), largest first."""
        return self._scorer.explain(words)
