"""Judges pages: counts the words once, asks every scorer whose part is stored, and compares with the threshold."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from topicspider.relevance.judgement import PageScore, PageScorer, PageWords
from topicspider.relevance.learner.page_learner import WATERSHED, PageLearner
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

    from topicspider.relevance.learner.refits import Refits
    from topicspider.relevance.learner.teacher import Teacher
    from topicspider.relevance.pages.counting import TopicCounts
    from topicspider.topic.profile import TopicModel, TopicProfile

MOST_TOGETHER = 20_000
"""Of more pages at once a sample is learned from."""
LARGEST_ODDS = 9.0


class PageJudge:
    """One topic's verdicts on pages by the scorer called ``scorer_name``.

    ``threshold``: the option; None (or below 0) leaves it to the topic, then to the scorer's default. ``model``: the compiled topic,
    for the scorer that learns; without one it knows of words alone. ``refits``: where that scorer is fitted anew (at once, when
    None). ``labels``: pages that the user has judged, which weigh most there. ``teacher``: the sentence encoder, in tier semantic.
    """

    def __init__(
        self,
        profile: TopicProfile,
        scorer_name: str,
        threshold: float | None = None,
        *,
        model: TopicModel | None = None,
        refits: Refits | None = None,
        labels: Sequence[tuple[PageWords, bool]] = (),
        teacher: Teacher | None = None,
    ) -> None:
        self._profile = profile
        self._teacher = teacher
        if scorer_name == LearnedScorer.name:
            self._scorer: PageScorer = LearnedScorer(profile if model is None else model)
            self._labels = [(words, label, self._scorer.prior(words).log_odds) for words, label in labels]
            self._scorer.learner = PageLearner(refits, self._labels, teacher=teacher, meaning=self._scorer.meaning)
        else:
            self._scorer = make_page_scorer(scorer_name, profile)
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

    def judge_all(self, pages: Sequence[PageWords]) -> list[PageScore]:
        """The verdicts on pages that are there together: a scorer that learns does so from all of them first, and from nothing else."""
        if not isinstance(self._scorer, LearnedScorer):
            return [self.judge(words) for words in pages]
        before = self._scorer.learner
        batch = PageLearner(
            labels=self._labels,
            most_pages=MOST_TOGETHER,
            first_refit=len(pages) + 1,
            all_of=len(pages),
            meaning=self._scorer.meaning,
        )
        priors = [self._scorer.prior(words) for words in pages]
        self._scorer.together = dict(zip(pages, priors, strict=True))
        thought = [-LARGEST_ODDS if one.is_silent else one.log_odds for one in priors]
        try:
            opinions = None if self._teacher is None else self._teacher.of_pages(pages, thought, WATERSHED)
            for words, odds in zip(pages, thought if opinions is None else opinions, strict=True):
                batch.observe(words, odds)
            batch.refit()
            self._scorer.learner = batch
            self._scorer.opinions = {} if opinions is None else dict(zip(pages, opinions, strict=True))
            return [self.judge(words) for words in pages]
        finally:
            self._scorer.learner, self._scorer.opinions, self._scorer.together = before, {}, {}

    def observe(self, words: PageWords, score: PageScore) -> None:
        """Learn from a page that was judged, once; only the scorer ``learned`` does."""
        learner = self._learner
        if learner is not None and LearnedScorer.name in score.parts:
            prior = min(max(score.parts["prior"], 1e-4), 1.0 - 1e-4)
            learner.observe(words, log(prior / (1.0 - prior)))

    @property
    def version(self) -> str:
        """Names what was learned: how many refits, and a digest of what they gave."""
        return self._learner.learned.version if self._learner is not None else ""

    def state(self) -> bytes:
        """What was learned, as JSON: enough for another process to score alike."""
        return self._learner.learned.state() if self._learner is not None else b"null"

    def adopt(self, state: bytes) -> None:
        """Score by what another process has learned from now on; ValueError for anything but a state."""
        if self._learner is not None:
            self._learner.adopt(state)

    def news(self) -> Sequence[str]:
        """Pages that other processes' judges of the same topic can learn from, since the last call."""
        return self._learner.news() if self._learner is not None else ()

    def learn(self, examples: Sequence[str]) -> None:
        """Take in what other processes' judges gave as ``news``."""
        if self._learner is not None:
            self._learner.learn(examples)

    @property
    def _learner(self) -> PageLearner | None:
        return self._scorer.learner if isinstance(self._scorer, LearnedScorer) else None

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
