"""Normalises text, so that compatibility forms, upper case and traditional Chinese characters compare as equal."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from topicspider.text.packages import package_file

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# radicals that PDFs contain in place of characters (⻓城 for 长城), and that NFKC leaves as they are
_RADICALS = dict(
    zip(
        "⺠⺟⻄⻅⻆⻉⻋⻓⻔⻘⻚⻛⻜⻝⻢⻣⻤⻥⻦⻨⻩⻬⻮⻰",
        "民母西见角贝车长门青页风飞食马骨鬼鱼鸟麦黄齐齿龙",
        strict=True,
    )
)

# soft hyphens, zero-width characters, direction marks, the BOM, variation selectors: invisible, but they would split words
_INVISIBLE = [0xAD, 0x34F, 0x61C, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070)]
_INVISIBLE += [*range(0xFE00, 0xFE10), 0xFEFF, *range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE01F0)]
_SPACES = [*range(9, 14), *range(0x1C, 0x20), 0x85, 0x2028, 0x2029]
_CONTROLS = [*range(0x20), *range(0x7F, 0xA0), *range(0xD800, 0xE000)]
# marks that most writers omit: Hebrew and Arabic vowels, tatweel (stretches an Arabic word), Hindi's dot for borrowed sounds (nukta)
_OPTIONAL = [*range(0x591, 0x5BE), 0x5BF, 0x5C1, 0x5C2, 0x5C4, 0x5C5, 0x5C7, 0x640, *range(0x64B, 0x653), 0x670, 0x93C]
_REMOVED: dict[int, str | None] = dict.fromkeys([*_CONTROLS, *_INVISIBLE, *_OPTIONAL]) | dict.fromkeys(_SPACES, " ")
# letters that writers replace, or whose lower case is irregular; İ has two characters in lower case
_LETTERS = {"\u0130": "i", "ё": "е", "ς": "σ", "ß": "ss", "ẞ": "ss"}
_GREEK = frozenset((*range(0x370, 0x400), *range(0x1F00, 0x2000)))

# Normalisation sorts the marks on a letter by insertion: 100,000 marks on one letter take minutes, so at most
# 30 are kept (as in Unicode's stream-safe text format)
IDEOGRAPHS = "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f\U00030000-\U000323af"
"""The ranges of Chinese characters and radicals, for use in a pattern's brackets."""

_IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")


def normalise(text: str) -> str:
    """``text`` as words are compared: NFKC (full width becomes half width), lower case, simplified Chinese.

    Control and invisible characters are removed, line breaks and tabs become spaces. Optional marks are removed, too: vowels of Hebrew and
    Arabic, accents of Greek. Japanese characters become the simplified ones of the same word (観光: 观光). Characters are simplified one
    by one, and only those that simplified text never contains: 著 and 乾 stay, as 著名 and 乾隆 are already simplified. Idempotent; never
    raises; not length-preserving (㎡ becomes m2).
    """
    if text.isascii():
        return text.lower() if text.isprintable() else text.translate(_table())
    result = text.translate(_table()) if len(text) < 300 else _by_array(text)
    if unicodedata.is_normalized("NFKC", result):
        return result
    result = _long_mark_runs().sub(r"\1", result)
    for _ in range(4):  # composing accents and jamo takes one round; no text needs three
        if unicodedata.is_normalized("NFKC", result):
            break
        result = unicodedata.normalize("NFKC", result).translate(_table())
    return result


def is_cjk(char: str) -> bool:
    """Whether the one character ``char`` is a Chinese character (not kana, hangul or punctuation)."""
    return _IDEOGRAPH.match(char) is not None


def has_cjk(text: str) -> bool:
    """Whether ``text`` contains a Chinese character."""
    return _IDEOGRAPH.search(text) is not None


def _by_array(text: str) -> str:
    """``text`` translated by the table with numpy; characters that become none or several are replaced by str.replace first.

    For a page's text it takes a tenth of the time of str.translate; for a short text the calls are not worth it.
    """
    import numpy as np

    one_to_one, table = _one_to_one(), _table()
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    if int(codes.max()) >= len(one_to_one):
        return text.translate(table)
    rest = text
    for code in set(codes[one_to_one[codes] == 0].tolist()):
        becomes = table[code] or ""
        if len(becomes) == 1:
            one_to_one[code] = ord(becomes)
        else:
            rest = rest.replace(chr(code), becomes)
    if rest is not text:
        codes = np.frombuffer(rest.encode("utf-32-le"), np.uint32)
    mapped = np.where(one_to_one[codes] == 0, codes, one_to_one[codes])
    return mapped.tobytes().decode("utf-32-le")


@lru_cache(maxsize=1)
def _one_to_one() -> NDArray[np.uint32]:
    """Code point to the single code point that it becomes; 0 for other results, and for those not looked up yet."""
    import numpy as np

    return np.zeros(0x20000, np.uint32)


class _Table(dict[int, str | None]):
    """A table for str.translate: one pass is 4 times as fast as NFKC and the other steps.

    Filled when characters are first met, up to a bound, for pages that contain all of Unicode.
    """

    def __missing__(self, code: int) -> str:
        char = chr(code)
        folded = _LETTERS.get(char) or unicodedata.normalize("NFKC", char).lower()
        if code in _GREEK and folded.isalpha():
            folded = unicodedata.normalize("NFD", folded)[0].replace("ς", "σ")
        result = folded if folded == char else folded.translate(self)
        if len(self) < 60_000:
            self[code] = result
        return result


@lru_cache(maxsize=1)
def _long_mark_runs() -> re.Pattern[str]:
    marks = "".join(char for char in map(chr, range(0x1E95A)) if unicodedata.combining(char))
    return re.compile(f"([{marks}]{{30}})[{marks}]+")


@lru_cache(maxsize=1)
def _table() -> _Table:
    """Traditional and Japanese to simplified characters, by OpenCC's tables (Apache-2.0), and radicals to characters."""
    table = _Table({ord(radical): char for radical, char in _RADICALS.items()})
    table.update(_REMOVED)
    for line in package_file("opencc-python-reimplemented", "opencc/dictionary/TSCharacters.txt").splitlines():
        traditional, _, simplified = line.partition("\t")
        first = simplified.split(" ")[0]
        if len(traditional) == len(first) == 1 and not _is_simplified(traditional):
            table[ord(traditional)] = first
    for line in package_file("opencc-python-reimplemented", "opencc/dictionary/JPVariants.txt").splitlines():
        traditional, _, japanese = line.partition("\t")
        if len(japanese) == 1 and not _is_simplified(japanese):
            table.setdefault(ord(japanese), table.get(ord(traditional)) or traditional)
    for code, char in list(table.items()):  # 薴 becomes 苧, and that 苎
        if char and ord(char) in table:
            table[code] = table[ord(char)]
    return table


def _is_simplified(char: str) -> bool:
    """Whether ``char`` is part of GB 2312, the character set of simplified Chinese."""
    try:
        char.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return True
