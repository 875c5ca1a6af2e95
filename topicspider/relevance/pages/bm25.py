"""Okapi BM25 with the topic's words as a weighted query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.relevance.pages.counting import TITLE_WEIGHT, TopicCounts
from topicspider.relevance.pages.scorer import CountingScorer

if TYPE_CHECKING:
    from topicspider.topic.profile import TopicProfile

K1 = 1.2
B = 0.75
# The mean length of a page is not known before a crawl; Chinese articles have 200 to 500 words. Any value
# from 100 to 1,000 ranks alike.
MEAN_LENGTH = 300
# So many of the topic's strongest words, each standing once in a page of mean length, give a score of one half.
HALF_WORDS = 2.0


class Bm25Scorer(CountingScorer):
    """s = Σ over topic words of weight · idf · tf·(k1+1) / (tf + k1) (Robertson and Zaragoza 2009).

    tf adds the body's count, divided by 1 - b + b·length/mean, and TITLE_WEIGHT times the title's (BM25F:
    a title's length is not held against it). The score is the saturating map s / (s + h) into [0, 1), with
    h = HALF_WORDS times the largest weight · idf of the topic, so that topics compare.
    """

    name: str = "bm25"

    def __init__(self, profile: TopicProfile) -> None:
        super().__init__(profile)
        self._query = {word: weight * profile.idf.get(word, 1.0) for word, weight in profile.weights.items()}
        self._half = HALF_WORDS * max(self._query.values(), default=1.0)

    def contributions(self, counts: TopicCounts) -> dict[str, float]:
        stretch = 1.0 - B + B * counts.body_length / MEAN_LENGTH
        terms = {}
        for word in counts.title.keys() | counts.body.keys():
            frequency = counts.body.get(word, 0) / stretch + TITLE_WEIGHT * counts.title.get(word, 0)
            terms[word] = self._query[word] * frequency * (K1 + 1.0) / (frequency + K1)
        total = sum(terms.values()) + self._half
        return {word: term / total for word, term in terms.items()} if total > 0.0 else {}
