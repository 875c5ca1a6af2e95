"""How rare a word is in general: the background against which a topic's words stand out."""

from __future__ import annotations

from functools import lru_cache
from statistics import median
from typing import TYPE_CHECKING

from topicspider.text.packages import package_file

if TYPE_CHECKING:
    from collections.abc import Iterable

# Frequent words are short (Zipf); the slope makes "hotel" as rare as 酒店 and a 12-letter word as the median
_SHORTEST, _PER_LETTER = 5.0, 0.6


def idf(word: str) -> float:
    """Inverse document frequency of a normalised word, natural logarithm, about 0.9 to 13.9.

    From the table that jieba ships (270,000 Chinese words, none in Latin letters). An unknown word counts as
    the table's median, as in jieba's own keyword extraction: with the maximum, every slip of a segmenter
    would outweigh the topic's words. Words in ASCII letters count by their length, up to the median;
    numbers as the most frequent of them.
    """
    return idfs([word])[0]


def idfs(words: Iterable[str]) -> list[float]:
    """``idf`` of many words, a third of the time for each."""
    table, unknown = _table()
    known = table.get
    return [
        known(word)
        or (
            unknown
            if not word.isascii()
            else _SHORTEST
            if word.isdigit()
            else min(unknown, _SHORTEST + _PER_LETTER * len(word))
        )
        for word in words
    ]


@lru_cache(maxsize=1)
def highest_idf() -> float:
    """No word has a higher one."""
    return max(_table()[0].values())


@lru_cache(maxsize=1)
def _table() -> tuple[dict[str, float], float]:
    table = {}
    for line in package_file("jieba", "jieba/analyse/idf.txt").splitlines():
        word, _, value = line.rpartition(" ")
        table[word] = float(value)
    return table, median(table.values())
