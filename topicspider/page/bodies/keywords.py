"""Chooses the ten keywords of a page: meta keywords that the text confirms, title words, and words by TF-IDF."""

from __future__ import annotations

import re
from collections import Counter
from heapq import heappop, heappush
from operator import neg
from typing import TYPE_CHECKING

from topicspider.page.markup.texts import one_line
from topicspider.text.background import highest_idf, idfs
from topicspider.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_KEYWORDS = 10
_LONGEST = 30
_SEPARATORS = re.compile(r"[,，、;；|｜\n\t]+")
_AMOUNT = re.compile(r"[\d一二三四五六七八九十百千万亿零〇两]{2,}|\d")
_TITLE_WEIGHT = 3
"""A word of the title counts as often; titles name the subject, bodies repeat it."""
_META_SHARE = 5
"""At most so many keywords come from the page's own list: only 43 % of such words stand in the body at all."""
_MOST_DECLARED = 40


def keywords_of(declared: str, title_words: Sequence[str], body_words: Sequence[str]) -> list[str]:
    """At most ten keywords, best first, no two alike. ``declared`` is the page's own list: at most five of it, if the words confirm them.

    Words come normalised (half width, lower case, simplified), so a declared word in traditional characters is confirmed by
    simplified ones. It is kept as the page writes it.
    """
    counts = Counter(body_words)
    for word in title_words:
        counts[word] += _TITLE_WEIGHT
    chosen = _confirmed(declared, counts, (title_words, body_words))
    known = set(chosen)
    keywords = list(chosen.values())
    for word in _by_weight(counts):
        if len(keywords) >= MAX_KEYWORDS:
            break
        if word not in known and _is_keyword(word):
            keywords.append(word)
    return keywords


def meta_keywords(declared: str, title_words: Sequence[str]) -> list[str]:
    """(d) Xu 2007's rule, as published: the first ten of meta keywords, else of the title's words."""
    return _split(declared)[:MAX_KEYWORDS] or list(dict.fromkeys(title_words))[:MAX_KEYWORDS]


def _by_weight(counts: Counter[str]) -> Iterator[str]:
    """The words by count times idf, the heaviest first, equals in the order of their characters; those said once come last.

    Lazily, from the most frequent down: nothing said twice outweighs a word said ten times that is not ten times as common, so
    that a page costs a hundred look-ups in a table of 270,000 words, not three thousand.
    """
    levels: dict[int, list[str]] = {}
    for word, count in counts.items():
        if count > 1:
            levels.setdefault(count, []).append(word)
    heap: list[tuple[float, str]] = []
    for count in sorted(levels, reverse=True):
        while heap and -heap[0][0] > count * highest_idf():
            yield heappop(heap)[1]
        for word, idf in zip(levels[count], idfs(levels[count]), strict=True):
            heappush(heap, (-count * idf, word))
    while heap:
        yield heappop(heap)[1]
    once = [word for word, count in counts.items() if count == 1]
    yield from (word for _idf, word in sorted(zip(map(neg, idfs(once)), once, strict=True)))


def _confirmed(declared: str, counts: Counter[str], words: tuple[Sequence[str], ...]) -> dict[str, str]:
    """Normalised word to the page's spelling, for those of the page's list that stand in its text, in one piece or several."""
    confirmed: dict[str, str] = {}
    joined = ""
    for word in _split(declared)[:_MOST_DECLARED]:
        plain = normalise(word)
        if plain not in counts:
            joined = joined or "\n".join("".join(part) for part in words)
            if "".join(plain.split()) not in joined:
                continue
        confirmed.setdefault(plain, word)
        if len(confirmed) == _META_SHARE:
            break
    return confirmed


def _split(declared: str) -> list[str]:
    words = _SEPARATORS.split(declared[:2000])
    if len(words) == 1:
        words = declared[:2000].split()
    lines = (one_line(word, _LONGEST) for word in words)
    return list(dict.fromkeys(word for word in lines if len(word) > 1))


def _is_keyword(word: str) -> bool:
    return 1 < len(word) <= _LONGEST and any(map(str.isalpha, word)) and not _AMOUNT.match(word)
