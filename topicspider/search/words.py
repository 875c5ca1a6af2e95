"""Cuts a page into the words it is found by, and a query's text into the words it asks for."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from topicspider.text.normalise import has_cjk, is_cjk, normalise
from topicspider.text.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from topicspider.text.segment import Segmenter

LONGEST_WORD = 64
PARTICLES = frozenset(
    "的了着过得地之是在有我你他她它这那和与及或也都就不而并将被把从对为以于到等个又还但因所让向由可会能要吗呢吧啊们"
)
"""Not looked for, for they stand on every page; without them the index is a twelfth smaller. A phrase is found whether they stand in it or not."""


@dataclass(frozen=True, slots=True)
class PageText:
    """What the index is fed with: words joined by blanks, title and body in their order.

    ``more``: what a person may ask for and the segmenter cut otherwise, each once: words of the dictionary over or inside the words of
    the page, and pairs of characters around what the dictionary does not know (names).
    """

    title: str
    body: str
    more: str


def page_text(segmenter: Segmenter, title: str, body: str) -> PageText:
    """The words of a page."""
    normal = normalise(title), normalise(body)
    pieces = [segmenter.cut(text) for text in normal]
    present: set[str] = set().union(*pieces)
    known = {word for text in normal for word in segmenter.dictionary_words(text)}
    new = {piece for piece in present if piece not in known and has_cjk(piece) and says_something(piece)}
    pairs = {pair for some in pieces for pair in _pairs_of_names(some, new)}
    first, second = (" ".join(filter(is_word, some)) for some in pieces)
    return PageText(first, second, " ".join(sorted((known | pairs) - present)))


def cut_words(segmenter: Segmenter, text: str) -> list[str]:
    """The words of a normalised text in their order, stop words too, for phrases are made of them."""
    return [piece for piece in segmenter.cut(text) if is_word(piece)]


def is_word(piece: str) -> bool:
    """Whether a piece of text is looked for: more than marks, blanks and particles."""
    return len(piece) <= LONGEST_WORD and piece not in PARTICLES and any(map(str.isalnum, piece))


def pairs_of(word: str) -> list[str]:
    """The overlapping pairs of its characters."""
    return [first + second for first, second in pairwise(word)]


def says_something(word: str) -> bool:
    """Whether it is no stop word."""
    return word not in STOP_WORDS


def _pairs_of_names(pieces: Sequence[str], new: set[str]) -> Iterable[str]:
    """Pairs inside ``new`` words, those that the dictionary does not know, and across their edges; single characters are new, too.

    A name that the dictionary does not know is cut in one way here and in another there, but its pairs stay.
    """
    for before, piece in pairwise(["", *pieces]):
        is_new = piece in new
        if is_new and len(piece) > 2:
            yield from pairs_of(piece)
        if (is_new or before in new) and before and is_cjk(before[-1]) and is_cjk(piece[0]):
            yield before[-1] + piece[0]
