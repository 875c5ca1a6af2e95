"""How relevant a short text (an anchor, the words around it) is to a topic, by the vector space model."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from topicspider.relevance.judgement import PageWords
from topicspider.relevance.pages.vsm import VsmScorer

if TYPE_CHECKING:
    from topicspider.relevance.link_setup import WordCutter
    from topicspider.topic.profile import TopicProfile

CACHED_TEXTS = 50_000


class TextRelevance:
    """sim(topic, text) in [0, 1]: the score that ``vsm`` gives a page whose body is the text.

    Menus stand on every page of a site, so the last ``cached`` texts are remembered. A text without a word of the
    topic is 0 without any counting: most are.
    """

    def __init__(self, profile: TopicProfile, segmenter: WordCutter, cached: int = CACHED_TEXTS) -> None:
        self._segmenter = segmenter
        self._scorer = VsmScorer(profile)
        self._known_words = frozenset({*profile.weights, *profile.synonyms})
        self.of = lru_cache(maxsize=cached)(self._of)

    def _of(self, text: str) -> float:
        words = tuple(self._segmenter.words(text)) if text else ()
        return 0.0 if self._known_words.isdisjoint(words) else self._scorer.score(PageWords(body=words))
