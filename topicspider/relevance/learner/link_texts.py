"""What the short texts of links say: how near to the topic they are, and which words a learner may count."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import pairwise
from math import exp
from typing import TYPE_CHECKING, NamedTuple

from topicspider.relevance.pages.prior import WITH_VECTORS, Meaning, in_spreads
from topicspider.text.spans import WordSpans
from topicspider.url.words import words_in_url

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.relevance.link_setup import LinkSetup

CACHED_TEXTS = 20_000
WORDS_COUNTED = 12
"""Of one text; an anchor of more is a paragraph."""
HALF = 0.6
"""A text scores one half when the weight · idf of its topic words is this share of the strongest word's."""
OF_MEANING, NOISE = 0.6, 0.05
"""What a text means counts so much of the chance that a page of that title is on topic, less what any text has: it is short, and words are surer."""


class Said(NamedTuple):
    """Nearness to the topic in [0, 1), and the words and pairs of neighbours."""

    near: float = 0.0
    words: tuple[str, ...] = ()


NOTHING = Said()


class LinkTexts:
    """The texts of links against one topic; menus repeat theirs, so the last CACHED_TEXTS are remembered."""

    def __init__(self, setup: LinkSetup) -> None:
        profile = setup.profile
        self._segmenter = setup.segmenter
        self._query = {word: weight * profile.idf.get(word, 1.0) for word, weight in profile.weights.items()}
        top = max(self._query.values(), default=1.0)
        for word, feature in profile.synonyms.items():
            self._query.setdefault(word, self._query.get(feature, 0.0))
        if setup.model is not None:
            for word, near in setup.model.expansion.items():
                self._query.setdefault(word, near.weight * self._query.get(near.of, 0.0))
            for spelt, word in setup.model.url_words.items():
                self._query.setdefault(spelt, self._query.get(word, 0.0))
        self._half = HALF * top
        vector = setup.model.vector if setup.model is not None else ()
        self._meaning = Meaning(vector) if vector else None  # tier lite does without
        self._spans = WordSpans(self._query)
        self.anchor = lru_cache(maxsize=CACHED_TEXTS)(self._anchor)
        self.around = lru_cache(maxsize=CACHED_TEXTS)(self._around)
        self.nearness = lru_cache(maxsize=CACHED_TEXTS)(self._nearness)
        self.address = lru_cache(maxsize=CACHED_TEXTS)(self._address)

    def _anchor(self, text: str) -> Said:
        words = self._segmenter.words(text)[:WORDS_COUNTED]
        return Said(self._near(words), tuple(dict.fromkeys([*words, *map(" ".join, pairwise(words))])))

    def _around(self, text: str) -> Said:
        words = self._segmenter.words(text)[:WORDS_COUNTED]
        return Said(self._near(words), tuple(dict.fromkeys(map("~".__add__, words))))

    def _nearness(self, text: str) -> float:
        """Of a text whose words are not counted; most hold none of the topic's words, and are not cut."""
        return self._near(self._segmenter.words(text)[:WORDS_COUNTED]) if self._spans.may_stand_in(text) else 0.0

    def _address(self, url: str) -> Said:
        words: list[str] = []
        for piece in words_in_url(url):
            words += [piece] if piece.isascii() else self._segmenter.words(piece)
        return Said(self._near(words), tuple(dict.fromkeys(map("/".__add__, words[:WORDS_COUNTED]))))

    def _near(self, words: Sequence[str]) -> float:
        """By the topic's words, or else by meaning: each takes its part of what the other leaves."""
        total, query = 0.0, self._query
        if not query.keys().isdisjoint(words):
            total = sum([query[word] for word in dict.fromkeys(words) if word in query])
        said = total / (total + self._half) if total else 0.0
        meant = self._meant(words)
        return round(1.0 - (1.0 - said) * (1.0 - meant), 6) if meant else said

    def _meant(self, words: Sequence[str]) -> float:
        """How near the words' meaning is to the topic, in [0, OF_MEANING); 0 in tier lite."""
        vector = self._meaning.vector(Counter(words)) if self._meaning is not None and words else None
        if self._meaning is None or vector is None:
            return 0.0
        title = WITH_VECTORS["title"]
        odds = title.start + title.title_meaning * in_spreads(self._meaning.cosine(vector))
        return OF_MEANING * max(0.0, 1.0 / (1.0 + exp(-odds)) - NOISE)
