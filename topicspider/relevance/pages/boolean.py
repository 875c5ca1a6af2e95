"""The Boolean model: how many of the topic's words stand on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.relevance.pages.scorer import CountingScorer

if TYPE_CHECKING:
    from topicspider.relevance.pages.counting import TopicCounts

# So many words give a score of one half.
HALF_WORDS = 3


class BooleanScorer(CountingScorer):
    """(b) thesis 2011: n = size of the intersection of page words and topic words.

    The thesis orders pages by n. To stand in [0, 1] whatever the length of the topic's list, the score is
    n / (n + 3): the order is the same; 1 word is .25, 3 words are .5, 9 are .75.
    """

    name: str = "boolean"

    def contributions(self, counts: TopicCounts) -> dict[str, float]:
        words = counts.title.keys() | counts.body.keys()
        return {word: 1.0 / (len(words) + HALF_WORDS) for word in sorted(words)}
