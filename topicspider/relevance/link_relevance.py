"""RW, the relevance weight of a link ((a) Li 2002, formula 1)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from topicspider.text.similarity import WordSimilarity
from topicspider.url.words import words_in_url

if TYPE_CHECKING:
    from topicspider.page.links.link import Link
    from topicspider.relevance.link_setup import WordCutter
    from topicspider.topic.profile import TopicProfile

# Words below this weight were mostly learned from sample texts (朋友, 选择): they tell a page's topic
# together, but one of them alone says nothing about a link.
LEAST_WEIGHT = 0.2
CACHED_TEXTS = 50_000
CACHED_WORDS = 100_000


class Match(NamedTuple):
    """The best word of a text: its similarity in [0, 1] to the nearest topic word, and which words met."""

    similarity: float = 0.0
    word: str = ""
    field: str = ""


NO_MATCH = Match()


class LinkRelevance:
    """max(M(url)): the largest similarity of any word of a link's extended metadata to any topic word.

    Extended metadata: anchor, title, text before and after, heading, and the words of the URL. Texts
    repeat (menus stand on every page of a site), so the best word of a text is kept, for the last
    CACHED_TEXTS texts.
    """

    def __init__(self, profile: TopicProfile, segmenter: WordCutter) -> None:
        self._segmenter = segmenter
        self._similarity = WordSimilarity(profile.synonyms)
        self._topic_words = topic_words(profile)
        self._best_word = lru_cache(maxsize=CACHED_TEXTS)(self._best_word_of)
        self._near = lru_cache(maxsize=CACHED_WORDS)(self._near_of)
        self._nearest = lru_cache(maxsize=CACHED_WORDS)(self._nearest_of)

    def match(self, link: Link) -> Match:
        """The best match over all fields; the anchor's comes first among equals."""
        best = NO_MATCH
        for field, text in (
            ("anchor", link.anchor),
            ("title", link.title),
            ("heading", link.heading),
            ("before", link.before),
            ("after", link.after),
        ):
            if text:
                similarity, word = self._best_word(text)
                if similarity > best.similarity:
                    best = Match(similarity, word, field)
                    if similarity >= 1.0:
                        return best
        similarity, word = self._url_match(link.url)
        return Match(similarity, word, "url") if similarity > best.similarity else best

    def text_match(self, text: str) -> float:
        """The best similarity in one text."""
        return self._best_word(text)[0] if text else 0.0

    def pair(self, word: str) -> str:
        """``word~topic word``, the two that met, for explanations."""
        return f"{word}~{self._nearest(word)}"

    def _url_match(self, url: str) -> tuple[float, str]:
        best, best_word = 0.0, ""
        for piece in words_in_url(url):
            similarity, word = (self._near(piece), piece) if piece.isascii() else self._best_word(piece)
            if similarity > best:
                best, best_word = similarity, word
        return best, best_word

    def _best_word_of(self, text: str) -> tuple[float, str]:
        best, best_word = 0.0, ""
        for word in self._segmenter.words(text):
            similarity = self._near(word)
            if similarity > best:
                best, best_word = similarity, word
                if best >= 1.0:
                    break
        return best, best_word

    def _near_of(self, word: str) -> float:
        return self._similarity.best_match(word, self._topic_words)

    def _nearest_of(self, word: str) -> str:
        return max(self._topic_words, key=lambda topic_word: self._similarity.similarity(word, topic_word), default="")


def topic_words(profile: TopicProfile) -> tuple[str, ...]:
    """The feature words that can speak for a link alone: weight ≥ LEAST_WEIGHT, or all when none has it."""
    strong = tuple(word for word, weight in profile.weights.items() if weight >= LEAST_WEIGHT)
    return strong or tuple(profile.weights)
