"""The page judge that needs no labels: a prior of words and meaning, as a probability that says what it is made of."""

from __future__ import annotations

from dataclasses import replace
from math import exp
from typing import TYPE_CHECKING

from topicspider.relevance.learner.page_features import features, trust, weight_of_words
from topicspider.relevance.learner.page_learner import Learned, PageLearner
from topicspider.relevance.learner.teacher import OF_PRIOR
from topicspider.relevance.pages.counting import TopicCounts, count_words
from topicspider.relevance.pages.prior import Evidence, Prior
from topicspider.topic.profile import TopicModel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topicspider.relevance.judgement import PageWords
    from topicspider.relevance.pages.prior import Floats
    from topicspider.topic.profile import TopicProfile

NOTHING = Learned()
ENCODER = "sentence encoder"
START = "prior"
"""The part that a page has before any of its words is looked at: how likely a page is on topic at all."""


class LearnedScorer:
    """A PageScorer over a compiled topic; made of a profile alone it is of tier lite, without word vectors.

    score = σ(start + Σ evidence), less what negative words take. A page of which nothing is known scores 0. ``learner``: what the pages
    of the crawl have taught so far; without one the score is the prior's.
    """

    name: str = "learned"

    def __init__(self, topic: TopicModel | TopicProfile, learner: PageLearner | None = None) -> None:
        model = topic if isinstance(topic, TopicModel) else TopicModel(topic)
        self._profile = model.profile
        self._prior = Prior(model)
        self.learner = learner
        self.together: Mapping[
            PageWords, Evidence
        ] = {}  # the prior's evidence of pages that are judged together: found once, used thrice
        self.opinions: Mapping[PageWords, float] = {}  # the sentence encoder's, of pages that are judged together
        self._latest: tuple[PageWords, Evidence] | None = None

    def score(self, words: PageWords) -> float:
        """Relevance in [0, 1]."""
        return self.verdict(words, count_words(words, self._profile))[self.name]

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        """Named parts that sum to ``score(words)`` (R1), largest first; what speaks against the topic is negative."""
        evidence, counts = self._with_learned(self.prior(words), words), count_words(words, self._profile)
        if evidence.is_silent:
            return []
        parts = {START: sigmoid(evidence.start), **shares_of(evidence.start, evidence.shares)}
        total = sum(parts.values())
        taken = {f"-{word}": -total * share for word, share in counts.negative.items()}
        return sorted({**parts, **taken}.items(), key=lambda part: (-part[1], part[0]))

    def verdict(self, words: PageWords, counts: TopicCounts) -> dict[str, float]:
        """``learned``, the score, and the measures that it comes from, which are stored beside it."""
        prior = self.prior(words)
        evidence = self._with_learned(prior, words)
        return {
            self.name: 0.0 if evidence.is_silent else sigmoid(evidence.log_odds) * (1.0 - counts.penalty),
            "prior": 0.0 if prior.is_silent else sigmoid(prior.log_odds),
            "bm25": prior.bm25 / (prior.bm25 + 1.0),
            "semantic": max(0.0, prior.semantic_title, prior.semantic_body),
        }

    def prior(self, words: PageWords) -> Evidence:
        """What speaks for the page and against it before anything is learned."""
        known = self.together.get(words) if self.together else None
        if known is not None:
            return known
        if self._latest is None or self._latest[0] is not words:  # who learns from a page asks again
            self._latest = (words, self._prior.evidence(words))
        return self._latest[1]

    def meaning(self, words: PageWords) -> Floats | None:
        """Where a page stands among the word vectors; None in tier lite."""
        return self.prior(words).meaning

    def _with_learned(self, prior: Evidence, words: PageWords) -> Evidence:
        """The prior's evidence, the learned words' and the encoder's opinion together, each by its weight."""
        evidence, opinion = self._with_words(prior, words), self.opinions.get(words)
        if opinion is None or prior.is_silent:
            return evidence
        shares = {name: OF_PRIOR * share for name, share in evidence.shares.items()}
        return replace(
            evidence, start=OF_PRIOR * evidence.start, shares={**shares, ENCODER: (1.0 - OF_PRIOR) * opinion}
        )

    def _with_words(self, prior: Evidence, words: PageWords) -> Evidence:
        learned = self.learner.learned if self.learner is not None else NOTHING
        if not learned.share:
            return prior
        meant = bool(learned.meaning) and prior.meaning is not None and len(learned.meaning) == len(prior.meaning)
        part = learned.share * trust(words, meant=meant)
        of_words = part * weight_of_words(words, meant=meant)
        weights = learned.words
        shares = {name: (1.0 - part) * share for name, share in prior.shares.items()}
        # sorted: sums are the same to the last bit in every process
        known = [(w, weights[w], x) for w, x in features(words).items() if w in weights]
        shares |= {f"learned:{w}": of_words * weight * x for w, weight, x in sorted(known)}
        start = (1.0 - part) * prior.start + of_words * learned.start + learned.share * learned.shift
        if meant and prior.meaning is not None:
            start += (part - of_words) * learned.meaning_start
            # rounded as cosines are
            shares["learned meaning"] = (part - of_words) * round(learned.of_meaning(prior.meaning), 6)
            if learned.told:
                shares["labels"] = round(learned.of_labels(prior.meaning), 6)
        return replace(prior, start=start, shares=shares)


def sigmoid(log_odds: float) -> float:
    """The probability of ``log_odds``, without overflow."""
    if log_odds >= 0:
        return 1.0 / (1.0 + exp(-log_odds))
    return exp(log_odds) / (1.0 + exp(log_odds))


def shares_of(start: float, terms: Mapping[str, float]) -> dict[str, float]:
    """What each term adds to σ(start + Σ terms) beyond σ(start): exactly, by integrated gradients from none of them to all.

    Along that way every term grows at its own constant rate, so each share is in proportion to the term.
    """
    end = start + sum(terms.values())
    distance = end - start
    middle = sigmoid((start + end) / 2)
    rate = (sigmoid(end) - sigmoid(start)) / distance if abs(distance) > 1e-6 else middle * (1.0 - middle)
    return {name: term * rate for name, term in terms.items()}
