"""The measure A = 4·B + C of (b) thesis 2011."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

from topicspider.relevance.pages.scorer import CountingScorer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topicspider.relevance.pages.counting import TopicCounts
    from topicspider.topic.profile import TopicProfile

TITLE_FACTOR = 4.0
LARGEST_A = TITLE_FACTOR + 1.0


class Measures(NamedTuple):
    """A in [0, 5]; B and C in [0, 1]."""

    a: float
    b: float
    c: float


class A4bcScorer(CountingScorer):
    """B = cos(topic, title), C = cos(topic, body), A = 4·B + C; the score is A / 5.

    Topic vector α = (w1 … wn). Page vector: the topic word that stands there most often has x = 1, the
    others in ratio to it; component xi·wi. The cosine runs over the topic's n words, so its norm is the
    page's part within them, as in the thesis. It calls a page on topic when A > 2.
    """

    name: str = "a4bc"

    def __init__(self, profile: TopicProfile) -> None:
        super().__init__(profile)
        self._norm = sqrt(sum(weight * weight for weight in profile.weights.values()))

    def measures(self, counts: TopicCounts) -> Measures:
        """A, B and C, before negative words are looked at."""
        b, c = sum(self._cosine(counts.title).values()), sum(self._cosine(counts.body).values())
        b, c = min(1.0, b), min(1.0, c)
        return Measures(TITLE_FACTOR * b + c, b, c)

    def contributions(self, counts: TopicCounts) -> dict[str, float]:
        title = {f"title:{word}": TITLE_FACTOR * x / LARGEST_A for word, x in self._cosine(counts.title).items()}
        body = {f"body:{word}": x / LARGEST_A for word, x in self._cosine(counts.body).items()}
        return {**title, **body}

    def _cosine(self, frequencies: Mapping[str, int]) -> dict[str, float]:
        """Each word's share of the cosine."""
        if not frequencies:
            return {}
        weights, most = self._profile.weights, max(frequencies.values())
        vector = {word: count / most * weights[word] for word, count in frequencies.items()}
        norms = sqrt(sum(x * x for x in vector.values())) * self._norm
        return {word: x * weights[word] / norms for word, x in vector.items()}
