"""Judges pages by the scorer that the options name: its score, the measures that are stored beside it, and the threshold."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from topicspider.errors import ConfigError
from topicspider.relevance.default_thresholds import page_threshold
from topicspider.relevance.interfaces import PageScore, PageScorer, PageWords
from topicspider.relevance.learned_page_model import PageLearner, page_evidence, word_values
from topicspider.relevance.page_prior import Prior, shares_of, sigmoid
from topicspider.relevance.published_page_scorers import (
    A4bcScorer,
    Bm25Scorer,
    BooleanScorer,
    CountingScorer,
    PublishedVsmScorer,
    TopicCounts,
    VsmScorer,
    as_published,
    count_words,
    less_negative,
)
from topicspider.topic.profile import TopicModel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from topicspider.relevance.interfaces import FitExecutor
    from topicspider.relevance.learned_page_model import Label
    from topicspider.relevance.page_prior import Evidence
    from topicspider.topic.profile import TopicProfile

MOST_TOGETHER = 20_000
"""``judge_all`` learns from all of at most this many pages, and from a sample of more."""
ROUNDING = 1e-12
START = "prior"
"""Name of the part of a score that a page has before its words are read: how likely any page is on topic."""


class LearnedScorer:
    """score = σ(log-odds of ``page_evidence``) · (1 - share of negative words); 0 for a page of which nothing is known.

    Made from a profile alone it uses no word vectors. ``learner``: has the model that the crawl's pages have taught; without one the score
    is the prior's.
    """

    name: str = "learned"

    def __init__(self, topic: TopicModel | TopicProfile) -> None:
        model = topic if isinstance(topic, TopicModel) else TopicModel(topic)
        self._profile = model.profile
        self._prior = Prior(model)
        self.learner: PageLearner | None = None
        self.priors: Mapping[PageWords, Evidence] = {}  # of the pages of judge_all: computed once, used thrice
        self.latest: tuple[PageWords, Evidence] | None = None

    def score(self, words: PageWords) -> float:
        """Relevance in [0, 1]."""
        return self.parts(words, count_words(words, self._profile).penalty)[self.name]

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        """Named parts that sum to ``score(words)`` (promise R1), largest first; what speaks against the topic is negative."""
        evidence, counts = self._evidence(words), count_words(words, self._profile)
        if evidence.is_empty:
            return []
        parts = {START: sigmoid(evidence.start), **shares_of(evidence.start, evidence.shares)}
        return less_negative(parts, counts)

    def parts(self, words: PageWords, penalty: float) -> dict[str, float]:
        """``learned``, the score, and the measures stored beside it. ``penalty``: the share that negative words take off, in [0, 1]."""
        prior, evidence = self.prior(words), self._evidence(words)
        return {
            self.name: 0.0 if evidence.is_empty else sigmoid(evidence.log_odds) * (1.0 - penalty),
            "prior": 0.0 if prior.is_empty else sigmoid(prior.log_odds),
            "bm25": prior.bm25 / (prior.bm25 + 1.0),
            "semantic": max(0.0, prior.measured.title, prior.measured.body),
            **prior.filed,
        }

    def _evidence(self, words: PageWords) -> Evidence:
        """The evidence that gives the score: the prior, what was learned, and the site's filing."""
        prior = self.prior(words)
        evidence = prior if self.learner is None else page_evidence(self.learner.model, prior, words)
        return evidence.as_filed

    def prior(self, words: PageWords) -> Evidence:
        """The evidence for and against the page before anything is learned."""
        known = self.priors.get(words) if self.priors else None
        if known is not None:
            return known
        if self.latest is None or self.latest[0] is not words:  # learning from a page asks again
            self.latest = (words, self._prior.evidence(words))
        return self.latest[1]


PAGE_SCORERS: dict[str, Callable[[TopicProfile], PageScorer]] = {
    "boolean": BooleanScorer,
    "vsm": VsmScorer,
    "a4bc": A4bcScorer,
    "bm25": Bm25Scorer,
    "learned": LearnedScorer,
}


def make_page_scorer(name: str, profile: TopicProfile, *, faithful: bool = False) -> PageScorer:
    """The page scorer called ``name``, for the topic of ``profile``; ConfigError for another name. ``faithful``: as published."""
    if name not in PAGE_SCORERS:
        raise ConfigError("TOPICSPIDER_PAGE_SCORER", name, ", ".join(PAGE_SCORERS))
    if not faithful:
        return PAGE_SCORERS[name](profile)
    return (PublishedVsmScorer if name == "vsm" else PAGE_SCORERS[name])(as_published(profile, name))


class PageJudge:
    """One topic's verdicts on pages by the scorer called ``scorer_name``; a Learner and SharingLearner when that scorer learns.

    ``threshold``: the option; None (or below 0) leaves it to the topic, then to the scorer's default. ``model``, ``fits`` and ``labels``
    are for the scorer that learns: the compiled topic (None: it uses words alone), what runs its fits (None: at once), and the pages that
    the user has judged, which weigh most. ``faithful``: scorer and threshold as published; A of (b) must then exceed its threshold, while
    other scores pass from their threshold on.
    """

    def __init__(
        self,
        profile: TopicProfile,
        scorer_name: str,
        threshold: float | None = None,
        *,
        model: TopicModel | None = None,
        fits: FitExecutor | None = None,
        labels: Sequence[Label] = (),
        faithful: bool = False,
    ) -> None:
        self.model: TopicModel | None = None  # of the scorer that learns
        self._profile = profile = as_published(profile, scorer_name) if faithful else profile
        self._labels = labels
        if scorer_name == LearnedScorer.name:
            self.model = TopicModel(profile) if model is None else model
            self._scorer: PageScorer = LearnedScorer(self.model)
            self._scorer.learner = PageLearner(self._scorer.prior, fits, labels, topic=profile.topic.name)
        else:
            self._scorer = make_page_scorer(scorer_name, profile, faithful=faithful)
        self._boolean, self._a4bc = BooleanScorer(profile), A4bcScorer(profile)
        self._vsm = self._scorer if isinstance(self._scorer, VsmScorer) else VsmScorer(profile)
        self.scorer_name = scorer_name
        self._must_exceed = faithful and scorer_name == "a4bc"
        self.threshold = page_threshold(profile.topic, scorer_name, threshold, faithful=faithful)

    def judge(self, words: PageWords) -> PageScore:
        """The verdict; a page of score 0, without any word of the topic, is never on topic."""
        scorer = self._scorer
        if isinstance(scorer, LearnedScorer):
            published, penalty = scorer.prior(words).measures or self._measured(words)
            parts = published | scorer.parts(words, penalty)
        else:
            counts = count_words(words, self._profile)
            parts = self._published(counts)
            if self.scorer_name not in parts:  # counted already: a counting scorer need not count again
                value = scorer.value(counts) if isinstance(scorer, CountingScorer) else scorer.score(words)
                parts[self.scorer_name] = value
        value = parts[self.scorer_name]
        return PageScore(value, value > 0.0 and self._passes(value), self.threshold, parts)

    def _published(self, counts: TopicCounts) -> dict[str, float]:
        a, b, c = self._a4bc.measures(counts)
        return {"boolean": self._boolean.value(counts), "vsm": self._vsm.value(counts), "A": a, "B": b, "C": c}

    def _measured(self, words: PageWords) -> tuple[dict[str, float], float]:
        counts = count_words(words, self._profile)
        return self._published(counts), counts.penalty

    def evidence(self, words: PageWords) -> Evidence:
        """The prior of a page, with all else that the learned scorer needs of its words; another process passes it to ``foresee``."""
        assert isinstance(self._scorer, LearnedScorer)
        return replace(self._scorer.prior(words), words=word_values(words), measures=self._measured(words))

    def foresee(self, words: PageWords, evidence: Evidence) -> None:
        """Use ``evidence``, computed by another process, for the page that is judged next."""
        if isinstance(self._scorer, LearnedScorer):
            self._scorer.latest = words, evidence

    def _passes(self, value: float) -> bool:
        if self._must_exceed:  # a sum of shares has rounding errors
            return value > self.threshold + ROUNDING
        return value >= self.threshold

    def judge_all(self, pages: Sequence[PageWords]) -> list[PageScore]:
        """The verdicts on a batch of pages: a scorer that learns first learns from all of them, and else only from labelled pages."""
        scorer = self._scorer
        if not isinstance(scorer, LearnedScorer):
            return [self.judge(words) for words in pages]
        before = scorer.learner
        scorer.priors = {words: scorer.prior(words) for words in pages}
        try:
            sample = (MOST_TOGETHER, len(pages))
            scorer.learner = PageLearner(scorer.prior, labels=self._labels, sample=sample, first_fit=len(pages) + 1)
            for words in pages:
                scorer.learner.observe(words)
            scorer.learner.refit()
            return [self.judge(words) for words in pages]
        finally:
            scorer.learner, scorer.priors = before, {}

    def observe(self, words: PageWords) -> None:
        """Learn from a page that was judged; to be called once for each page. Only the scorer ``learned`` learns."""
        if self._learner is not None:
            self._learner.observe(words)

    def explain(self, words: PageWords) -> Sequence[tuple[str, float]]:
        """Named parts that sum to the verdict's value (promise R1), largest first."""
        return self._scorer.explain(words)

    @property
    def has_run_away(self) -> bool:
        """Whether what the crawl's pages taught is left out because it contradicted the topic."""
        return self._learner is not None and self._learner.model.has_run_away

    @property
    def version(self) -> str:
        """See Learner; "" for a scorer that does not learn."""
        return self._learner.model.version if self._learner is not None else ""

    def state(self) -> bytes:
        """See Learner."""
        return self._learner.model.state() if self._learner is not None else b"null"

    def adopt(self, state: bytes) -> None:
        """See Learner."""
        if self._learner is not None:
            self._learner.adopt(state)

    def drain_examples(self) -> Sequence[str]:
        """See SharingLearner."""
        return self._learner.drain_examples() if self._learner is not None else ()

    def add_examples(self, examples: Sequence[str]) -> None:
        """See SharingLearner."""
        if self._learner is not None:
            self._learner.add_examples(examples)

    @property
    def _learner(self) -> PageLearner | None:
        return self._scorer.learner if isinstance(self._scorer, LearnedScorer) else None
