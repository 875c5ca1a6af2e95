"""What all page scorers share: a score is the sum of named contributions, less what negative words take."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from topicspider.relevance.pages.counting import TopicCounts, count_words

if TYPE_CHECKING:
    from topicspider.relevance.judgement import PageWords
    from topicspider.topic.profile import TopicProfile


class CountingScorer(ABC):
    """A PageScorer over TopicCounts; a method states only its contributions."""

    name: str

    def __init__(self, profile: TopicProfile) -> None:
        self._profile = profile

    @abstractmethod
    def contributions(self, counts: TopicCounts) -> dict[str, float]:
        """Part name to its share of the score, all ≥ 0, with a sum in [0, 1]; negative words left out."""

    def value(self, counts: TopicCounts) -> float:
        """Relevance in [0, 1] of a page that is counted already."""
        total = min(1.0, sum(self.contributions(counts).values()))
        return max(0.0, total * (1.0 - counts.penalty))

    def score(self, words: PageWords) -> float:
        """Relevance in [0, 1]."""
        return self.value(count_words(words, self._profile))

    def explain(self, words: PageWords) -> list[tuple[str, float]]:
        """Named parts that sum to ``score(words)`` (R1); a negative word's part is called ``-word``."""
        counts = count_words(words, self._profile)
        parts = self.contributions(counts)
        total = sum(parts.values())
        taken = {f"-{word}": -total * share for word, share in counts.negative.items()}
        return sorted({**parts, **taken}.items(), key=lambda part: (-part[1], part[0]))
