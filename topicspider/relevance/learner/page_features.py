"""What a page learner sees of a page: its words by how rare they are, and how far what is learned of them is believed."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from math import log, sqrt
from typing import TYPE_CHECKING

from topicspider.text.background import idfs
from topicspider.text.normalise import is_cjk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from topicspider.relevance.judgement import PageWords

MOST_WORDS = 400
# Of a verdict with all its weight; a title alone says so little that what was learned of its words counts more
OF_TITLES, OF_BODIES = 0.7, 0.4
# With word vectors two regressions agree, on words and on meaning, and together may outvote the prior that taught them
_BOTH_OF_TITLES, _BOTH_OF_BODIES = 0.9, 0.8
# Of that, the one on words: a title's few words are the whole of it, a body's meaning says more than any of them
_WORDS_OF_TITLES, _WORDS_OF_BODIES = 0.67, 0.33
# A character of a title's word weighs so much, where a word has twice its idf of 5 to 11 (5 to 20 are alike: six labels, AP .684 without, .695)
_CHARACTER = 7.0


@lru_cache(maxsize=2)  # a page that is judged is learned from next
def features(words: PageWords) -> Mapping[str, float]:
    """The words of a page, the title's twice, by how rare they are, at length 1; of a title alone the characters within words, too, as ``*茶*``."""
    counts = Counter(words.body[:MOST_WORDS])
    values = {word: 1.0 + log(count) if count > 1 else 1.0 for word, count in counts.items()}
    for word in words.title[:MOST_WORDS]:
        values[word] = values.get(word, 0.0) + 2.0
    weighed = {word: values[word] * idf for word, idf in zip(values, idfs(values), strict=True)}
    if not words.body:
        weighed |= {f"*{one}*": _CHARACTER * count for one, count in Counter(_within(words.title)).items()}
    length = sqrt(sum(value * value for value in weighed.values()))
    return {word: value / length for word, value in weighed.items()} if length > 0.0 else {}


def _within(words: Sequence[str]) -> Iterator[str]:
    """The Chinese characters of words that have several: 茶 of 绿茶, which says what 红茶 does."""
    return (one for word in words[:MOST_WORDS] if len(word) > 1 for one in word if is_cjk(one))


def trust(words: PageWords, *, meant: bool) -> float:
    """The weight of what was learned on a page, when it is trusted wholly; ``meant``: of words and of meaning."""
    of_titles, of_bodies = (_BOTH_OF_TITLES, _BOTH_OF_BODIES) if meant else (OF_TITLES, OF_BODIES)
    return of_titles + (of_bodies - of_titles) * _believed(words)


def weight_of_words(words: PageWords, *, meant: bool) -> float:
    """Of what was learned, the part of the words."""
    return _WORDS_OF_TITLES + (_WORDS_OF_BODIES - _WORDS_OF_TITLES) * _believed(words) if meant else 1.0


def _believed(words: PageWords) -> float:
    return len(words.body) / (len(words.body) + 20.0)
