"""The vector space model of (a) Li 2002: the cosine of a page and its topic."""

from __future__ import annotations

from heapq import nlargest
from math import log, sqrt
from typing import TYPE_CHECKING

from topicspider.relevance.pages.scorer import CountingScorer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topicspider.relevance.pages.counting import TopicCounts
    from topicspider.topic.profile import TopicProfile

# The page's own words are cut to so many; 30 and 60 rank equally well.
PAGE_WORDS = 60


def frequency_weight(count: int) -> float:
    """1 + ln(count), 0 for 0: the tenth mention of a word says less than the first."""
    return 1.0 + log(count) if count > 0 else 0.0


def cosine(left: Mapping[str, float], right: Mapping[str, float]) -> float:
    """(a) formula 4: Σ w1k·w2k / sqrt(Σ w1k² · Σ w2k²), in [0, 1] for weights ≥ 0; 0 for an empty vector (R3)."""
    if len(right) < len(left):
        left, right = right, left
    dot = sum(weight * right[word] for word, weight in left.items() if word in right)
    norms = sqrt(sum(w * w for w in left.values()) * sum(w * w for w in right.values()))
    return min(1.0, dot / norms) if norms > 0.0 else 0.0


class VsmScorer(CountingScorer):
    """(a) Li 2002, formula 4. Topic vector: TopicProfile.weights. Page vector: see ``page_vector``.

    The paper "cuts and extends the page's words by the topic's feature vector". Read as "only the topic's
    words", the cosine would forget how much else a page says: one mention in 5,000 words would score like
    a page of one word. So the page keeps its own PAGE_WORDS most frequent words (cut), and every feature
    word that stands on it (extended); the norm runs over all of them.
    """

    name: str = "vsm"

    def __init__(self, profile: TopicProfile) -> None:
        super().__init__(profile)
        self._norm = sqrt(sum(weight * weight for weight in profile.weights.values()))

    def contributions(self, counts: TopicCounts) -> dict[str, float]:
        features = {word: frequency_weight(count) for word, count in counts.raised().items()}
        own = nlargest(PAGE_WORDS, counts.other.values())
        squares = sum(w * w for w in features.values()) + sum(frequency_weight(count) ** 2 for count in own)
        norms = sqrt(squares) * self._norm
        weights = self._profile.weights
        return {word: value * weights[word] / norms for word, value in features.items()} if norms > 0.0 else {}
