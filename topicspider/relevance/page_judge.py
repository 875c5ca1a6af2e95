"""Judges pages: counts the words once, asks every scorer whose part is stored, and compares with the threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.relevance.judgement import PageScore, PageWords
from topicspider.relevance.page_scorers import make_page_scorer
from topicspider.relevance.pages.a4bc import A4bcScorer
from topicspider.relevance.pages.boolean import BooleanScorer
from topicspider.relevance.pages.counting import count_words
from topicspider.relevance.pages.learned import LearnedScorer
from topicspider.relevance.pages.scorer import CountingScorer
from topicspider.relevance.pages.vsm import VsmScorer
from topicspider.relevance.thresholds import page_threshold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.relevance.pages.counting import TopicCounts
    from topicspider.topic.model import TopicModel
    from topicspider.topic.profile import TopicProfile


class PageJudge:
    """One topic's verdicts on pages by the scorer called ``scorer_name``.

    ``threshold``: the option; None (or below 0) leaves it to the topic, then to the scorer's default. ``model``: the compiled topic,
    for the scorer that learns; without one it knows of words alone.
    """

    def __init__(
        self,
        profile: TopicProfile,
        scorer_name: str,
        threshold: float | None = None,
        *,
        model: TopicModel | None = None,
    ) -> None:
        self._profile = profile
        is_learned = scorer_name == LearnedScorer.name and model is not None
        self._scorer = LearnedScorer(model) if is_learned and model else make_page_scorer(scorer_name, profile)
        self._boolean, self._vsm, self._a4bc = BooleanScorer(profile), VsmScorer(profile), A4bcScorer(profile)
        self.scorer_name = scorer_name
        self.threshold = page_threshold(profile.topic, scorer_name, threshold)

    def judge(self, words: PageWords) -> PageScore:
        """The verdict; a page without one word of the topic (score 0) is never on topic."""
        counts = count_words(words, self._profile)
        a, b, c = self._a4bc.measures(counts)
        parts = {"boolean": self._boolean.value(counts), "vsm": self._vsm.value(counts), "A": a, "B": b, "C": c}
        value = self._value(words, counts, parts)
        return PageScore(value, value > 0.0 and value >= self.threshold, self.threshold, parts)

    def _value(self, words: PageWords, counts: TopicCounts, parts: dict[str, float]) -> float:
        """The scorer's score; what else is worth storing of it is added to ``parts``."""
        if isinstance(self._scorer, LearnedScorer):
            verdict = self._scorer.verdict(words, counts)
            parts.update(verdict)
            return verdict[self.scorer_name]
        if isinstance(self._scorer, CountingScorer):
            known = parts.get(self.scorer_name)
            value = self._scorer.value(counts) if known is None else known
        else:
            value = self._scorer.score(words)
        parts.setdefault(self.scorer_name, value)
        return value

    def explain(self, words: PageWords) -> Sequence[tuple[str, float]]:
        """Named parts that sum to the verdict's value (R1), largest first."""
        return self._scorer.explain(words)
