"""Chooses the ten keywords of a page, and the two or three sentences of its summary."""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate
from typing import TYPE_CHECKING

from topicspider.page.parsed_page import one_line
from topicspider.text.lexicon import idfs
from topicspider.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


MAX_KEYWORDS = 10
_SEPARATORS = re.compile(r"[,，、;；|｜\n\t]+")
_AMOUNT = re.compile(r"[\d一二三四五六七八九十百千万亿零〇两]{2,}|\d")


def keywords_of(declared: str, title_words: Sequence[str], body_words: Sequence[str]) -> list[str]:
    """At most ten keywords, best first, no two alike. ``declared`` is the page's own list: at most five of it, if the words confirm them.

    Words come normalised (half width, lower case, simplified), so a declared word in traditional characters is confirmed by
    simplified ones. It is kept as the page writes it.
    """
    counts = Counter(body_words)
    for word in title_words:
        counts[word] += 3  # titles name the subject, bodies repeat it
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
    """The words by count times idf, the heaviest first, equals in the order of their characters; those said once come last."""
    for words in ([word for word in counts if counts[word] > 1], [word for word in counts if counts[word] == 1]):
        yield from (
            word
            for _weight, word in sorted(
                (-counts[word] * idf, word) for word, idf in zip(words, idfs(words), strict=True)
            )
        )


def _confirmed(declared: str, counts: Counter[str], words: tuple[Sequence[str], ...]) -> dict[str, str]:
    """Normalised word to the page's spelling, for those of the page's list that stand in its text, in one piece or several."""
    confirmed: dict[str, str] = {}
    joined = ""
    for word in _split(declared)[:40]:
        plain = normalise(word)
        if plain not in counts:
            joined = joined or "\n".join("".join(part) for part in words)
            if "".join(plain.split()) not in joined:
                continue
        confirmed.setdefault(plain, word)
        if len(confirmed) == 5:  # only 43 % of such words stand in the body at all
            break
    return confirmed


def _split(declared: str) -> list[str]:
    words = _SEPARATORS.split(declared[:2000])
    if len(words) == 1:
        words = declared[:2000].split()
    lines = (one_line(word, 30) for word in words)
    return list(dict.fromkeys(word for word in lines if len(word) > 1))


def _is_keyword(word: str) -> bool:
    return 1 < len(word) <= 30 and any(map(str.isalpha, word)) and not _AMOUNT.match(word)


MAX_SUMMARY = 300
_SENTENCE = re.compile(r"[^\n]+?(?:[。！？!?…；]+[”’」』）)\"]*|\.[”’\")]*(?=\s[^a-z]|\s?$)|(?=\n)|$)")


def sentences(text: str) -> list[str]:
    """The sentences of a text, Chinese and Latin; a line break ends one, a dot within a number or a name does not."""
    return [part for found in _SENTENCE.finditer(text) if (part := found[0].strip())]


def summary_of(body: str, title: str = "") -> str:
    """The first sentences of a text that say something besides the title: at most three, and MAX_SUMMARY characters."""
    telling = [sentence for sentence in sentences(body[:4000]) if _tells(sentence, title)][:3] or [body[:4000]]
    sizes = accumulate(map(len, telling))
    return _joined(telling[: max(1, sum(size <= MAX_SUMMARY for size in sizes))])


def _tells(sentence: str, title: str) -> bool:
    """Whether it has eight Chinese characters or so many bytes, and is not the title."""
    return len(sentence.encode("utf-8", "ignore")) >= 24 and sentence.strip("。.!！?？") != title


def _joined(chosen: list[str]) -> str:
    text = ""
    for sentence in chosen:
        text += (" " if text and text[-1].isascii() else "") + " ".join(sentence.split())
    return text if len(text) <= MAX_SUMMARY else text[: MAX_SUMMARY - 1] + "…"
