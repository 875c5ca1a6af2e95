"""Chooses the ten keywords of a page: meta keywords that the text confirms, title words, and words by TF-IDF."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from topicspider.page.texts import one_line
from topicspider.text.background import idf

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_KEYWORDS = 10
_LONGEST = 30
_SEPARATORS = re.compile(r"[,，、;；|\n\t]+")
_AMOUNT = re.compile(r"[\d一二三四五六七八九十百千万亿零〇两]{2,}|\d")
_TITLE_WEIGHT = 3
"""A word of the title counts as often; titles name the subject, bodies repeat it."""
_META_SHARE = 5
"""At most so many keywords come from the page's own list: only 43 % of such words stand in the body at all."""


def keywords_of(declared: str, title_words: Sequence[str], body_words: Sequence[str], text: str) -> list[str]:
    """At most ten keywords, best first, no two alike; ``declared`` is the page's own list, ``text`` its title and body."""
    chosen = _confirmed(declared, text)[:_META_SHARE]
    counts = Counter(body_words)
    for word in title_words:
        counts[word] += _TITLE_WEIGHT
    weights = {word: count * idf(word) for word, count in counts.items() if _is_keyword(word)}
    for word in sorted(weights, key=lambda word: (-weights[word], word)):
        if len(chosen) >= MAX_KEYWORDS:
            break
        if word.lower() not in (known.lower() for known in chosen):
            chosen.append(word)
    return chosen


def meta_keywords(declared: str, title_words: Sequence[str]) -> list[str]:
    """(d) Xu 2007's rule, as published: the first ten of meta keywords, else of the title's words."""
    return _split(declared)[:MAX_KEYWORDS] or list(dict.fromkeys(title_words))[:MAX_KEYWORDS]


def _confirmed(declared: str, text: str) -> list[str]:
    folded = text.casefold()
    return [word for word in _split(declared) if word.casefold() in folded]


def _split(declared: str) -> list[str]:
    words = _SEPARATORS.split(declared[:2000])
    if len(words) == 1:
        words = declared[:2000].split()
    lines = (one_line(word, _LONGEST) for word in words)
    return list(dict.fromkeys(word for word in lines if len(word) > 1))


def _is_keyword(word: str) -> bool:
    return 1 < len(word) <= _LONGEST and any(map(str.isalpha, word)) and not _AMOUNT.match(word)
