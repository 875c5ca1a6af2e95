"""What jieba's dictionary says of a word in general: how rare it is (idf) and which part of speech."""

from __future__ import annotations

from functools import lru_cache
from statistics import median
from typing import TYPE_CHECKING

from topicspider.errors import UnavailableError
from topicspider.text.packages import package_file
from topicspider.text.vocabulary import rarities

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def idf(word: str) -> float:
    """Inverse document frequency of a normalised word, natural logarithm, about 0.9 to 13.9.

    Chinese words: the table that jieba ships (270,000 of them, none in Latin letters). English words, and some of other languages:
    as rare as the Chinese word of the same rank, from the shipped file of words. An unknown word counts as jieba's median, as in
    jieba's own keyword extraction: with the maximum, every slip of a segmenter would outweigh the topic's words. Unknown words in
    ASCII letters count by their length, up to the median; numbers as the most frequent of them.
    """
    return idfs([word])[0]


def idfs(words: Iterable[str]) -> list[float]:
    """``idf`` of many words, a third of the time for each."""
    table, unknown = _table()
    values = []
    for word in words:
        value = table.get(word)
        if not value:
            # frequent words are short (Zipf); the slope makes an unknown 12-letter word as rare as the median
            ascii_value = 5.0 if word.isdigit() else min(unknown, 5.0 + 0.6 * len(word))
            value = ascii_value if word.isascii() else unknown
        values.append(value)
    return values


@lru_cache(maxsize=1)
def highest_idf() -> float:
    """No word has a higher one."""
    return max(_table()[0].values())


@lru_cache(maxsize=1)
def _table() -> tuple[dict[str, float], float]:
    chinese = chinese_idfs()
    try:
        foreign = rarities()
    except UnavailableError:  # then there are no word vectors either, and whoever needs them says so
        foreign = {}
    return foreign | chinese, median(chinese.values())


@lru_cache(maxsize=1)
def chinese_idfs() -> dict[str, float]:
    """The words of jieba's table with their values."""
    pieces = package_file("jieba", "jieba/analyse/idf.txt").split()
    values = {text: float(text) for text in set(pieces[1::2])}  # 3,000 different ones: a fifth less time
    return dict(zip(pieces[::2], map(values.__getitem__, pieces[1::2]), strict=True))


_CONTENT = ("n", "v", "j", "b", "a", "l", "zg")
_NAMES = ("nr", "ns", "nt")


def word_class(word: str) -> str:
    """The tag of ``word``: n noun, nr person, ns place, nt organisation, v verb, a adjective, …; "" when the dictionary lacks it."""
    return _classes().get(word, "")


def is_content_word(word: str) -> bool:
    """Whether ``word`` is a noun, verb, adjective or set phrase, or unknown: no name of a person or place, number or adverb."""
    tag = word_class(word)
    return not tag or (tag.startswith(_CONTENT) and not tag.startswith(_NAMES))


@lru_cache(maxsize=1)
def _classes() -> Mapping[str, str]:
    rows = (line.split(" ") for line in package_file("jieba", "jieba/dict.txt").splitlines())
    return {row[0]: row[2] for row in rows if len(row) == 3}
