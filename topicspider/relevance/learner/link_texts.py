"""What the short texts of links say: how near to the topic they are, and which words a learner may count."""

from __future__ import annotations

from itertools import pairwise
from math import exp
from typing import TYPE_CHECKING, NamedTuple

from topicspider.relevance.pages.prior import in_spreads
from topicspider.text.phrase_matcher import PhraseMatcher
from topicspider.url.words import words_in_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from topicspider.relevance.link_setup import LinkSetup

CACHED_TEXTS = 20_000
WORDS_ONCE = 50_000
"""Words and pairs that are the same object wherever they stand; then it begins anew."""
WORDS_COUNTED = 12
"""Of one text; an anchor of more is a paragraph."""
HALF = 0.6
"""A text scores one half when the weight · idf of its topic words is this share of the strongest word's."""
START, OF_COSINE = -3.5, 0.7
"""Log-odds that a page of such a title is on topic, and what a cosine adds to them, in units of its spread."""
OF_MEANING, NOISE = 0.6, 0.05
"""What a text means counts so much of the chance that a page of that title is on topic, less what any text has: it is short, and words are surer."""

ANCHOR, AROUND, ADDRESS, HEADING = "anchor", "around", "address", "heading"
"""Kinds of texts."""


class Said(NamedTuple):
    """Nearness to the topic in [0, 1), and the words and pairs of neighbours."""

    near: float = 0.0
    words: tuple[str, ...] = ()


NOTHING = Said()
_Cut = tuple["Sequence[str]", tuple[str, ...]]
"""The words that tell of the topic, and those that a learner may count."""


class LinkTexts:
    """The texts of links against one topic; menus repeat theirs, so CACHED_TEXTS of each kind are remembered."""

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
        self._meanings = None  # tier lite does without
        if setup.model is not None and setup.model.vector:
            from topicspider.relevance.learner.text_meanings import TextMeanings

            self._meanings = TextMeanings(setup.model.vector)
        self._spans = PhraseMatcher(self._query)
        self._once: dict[str, str] = {}  # sys.intern would never forget in some versions of Python
        self.known: dict[str, dict[str, Said]] = {kind: {} for kind in _READERS}

    def anchor(self, text: str) -> Said:
        """Words and pairs of neighbours of an anchor."""
        return self.known[ANCHOR].get(text) or self._read_one(ANCHOR, text)

    def around(self, text: str) -> Said:
        """The words around an anchor, each as ~word."""
        return self.known[AROUND].get(text) or self._read_one(AROUND, text)

    def address(self, url: str) -> Said:
        """The words of an address, each as /word."""
        return self.known[ADDRESS].get(url) or self._read_one(ADDRESS, url)

    def nearness(self, text: str) -> float:
        """Of a heading, whose words are not counted; most hold none of the topic's words, and are not cut."""
        return (self.known[HEADING].get(text) or self._read_one(HEADING, text)).near

    def read(self, texts: Mapping[str, Iterable[str]]) -> None:
        """Have texts of each kind at hand, none of which is ``known``: what they mean costs less for all of them together."""
        cut = [(kind, text, *_READERS[kind](self, text)) for kind, some in texts.items() for text in some]
        nears = self._nears([words for _, _, words, _ in cut])
        for (kind, text, _, counted), near in zip(cut, nears, strict=True):
            known = self.known[kind]
            if len(known) >= CACHED_TEXTS:
                known.clear()
            known[text] = Said(near, counted)

    def _read_one(self, kind: str, text: str) -> Said:
        self.read({kind: (text,)})
        return self.known[kind][text]

    def _anchor(self, text: str) -> _Cut:
        words = self._segmenter.words(text)[:WORDS_COUNTED]
        return words, self._shared([*words, *map(" ".join, pairwise(words))])

    def _around(self, text: str) -> _Cut:
        words = self._segmenter.words(text)[:WORDS_COUNTED]
        return words, self._shared(map("~".__add__, words))

    def _heading(self, text: str) -> _Cut:
        return self._segmenter.words(text)[:WORDS_COUNTED] if self._spans.may_stand_in(text) else (), ()

    def _address(self, url: str) -> _Cut:
        words: list[str] = []
        for piece in words_in_url(url):
            if piece.isascii():
                words.append(piece)
            else:
                words += self._segmenter.words(piece)
        return words, self._shared(map("/".__add__, words[:WORDS_COUNTED]))

    def _shared(self, words: Iterable[str]) -> tuple[str, ...]:
        """Each once; a word that other texts have is the same object, for thousands of links wait with theirs."""
        if len(self._once) > WORDS_ONCE:
            self._once.clear()
        once = self._once.setdefault
        return tuple([once(word, word) for word in dict.fromkeys(words)])

    def _nears(self, texts: Sequence[Sequence[str]]) -> list[float]:
        """By the topic's words, or else by meaning: each takes its part of what the other leaves."""
        said = [self._near_by_words(words) for words in texts]
        if self._meanings is None:
            return said
        return [
            round(1.0 - (1.0 - by_words) * (1.0 - meant), 6) if meant else by_words
            for by_words, meant in zip(said, map(_meant, self._meanings.cosines(texts)), strict=True)
        ]

    def _near_by_words(self, words: Sequence[str]) -> float:
        query = self._query
        if query.keys().isdisjoint(words):
            return 0.0
        total = sum([query[word] for word in dict.fromkeys(words) if word in query])
        return total / (total + self._half) if total else 0.0


def _meant(cosine: float | None) -> float:
    """How near a text's meaning is to the topic, in [0, OF_MEANING)."""
    if cosine is None:
        return 0.0
    return OF_MEANING * max(0.0, 1.0 / (1.0 + exp(-START - OF_COSINE * in_spreads(cosine))) - NOISE)


_READERS: dict[str, Callable[[LinkTexts, str], _Cut]] = {
    ANCHOR: LinkTexts._anchor,
    AROUND: LinkTexts._around,
    ADDRESS: LinkTexts._address,
    HEADING: LinkTexts._heading,
}
