"""Parts a word that no table knows into ones that it may know: 红石峡谷 into 红, 石 and 峡谷, hotels into hotel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.text.normalise import is_cjk

if TYPE_CHECKING:
    from collections.abc import Container

OF_A_WORD = 0.7
"""What a part of two characters or more counts, against 1 for the word that it is when it stands alone."""
_ENDINGS = (
    ("ies", "y"),
    ("es", ""),
    ("s", ""),
    ("ing", ""),
    ("ing", "e"),
    ("ed", ""),
    ("ed", "e"),
    ("er", ""),
    ("ly", ""),
)


def chinese_parts(word: str, known: Container[str]) -> list[str]:
    """``word`` from its beginning, the longest known part each time, else one character; itself never in one piece."""
    parts, start = [], 0
    while start < len(word):
        longest = min(6, len(word) - start, len(word) - 1)
        sizes = (size for size in range(longest, 1, -1) if word[start : start + size] in known)
        size = next(sizes, 1)
        parts.append(word[start : start + size])
        start += size
    return parts


def parts(word: str, known: Container[str]) -> list[str]:
    """The known parts of ``word``: of a Chinese word all there are, of another its stem; [] when nothing is known."""
    if len(word) > 30 or word in known:
        return [word] if word in known else []
    if is_cjk(word[:1] or " "):
        return [part for part in chinese_parts(word, known) if part in known]
    return _stem(word, known) if word.isascii() else []


def _stem(word: str, known: Container[str]) -> list[str]:
    for ending, mended in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            stem = word[: -len(ending)] + mended
            undoubled = stem[:-1] if stem[-1:] == stem[-2:-1] else stem
            found = next((form for form in (stem, undoubled) if form in known), None)
            if found is not None:
                return [found]
    return []
