"""Guesses the encoding of bytes that are no UTF-8: which reading of them is the likeliest text in some language.

Every reading (a codec and a language) gets the logarithm of the probability of its characters, from tables of how often
characters occur (letters.py). Readings share no unit but bytes, so their sums compare directly. What a page declares is
evidence as well: it outweighs a few characters, not a sentence.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from topicspider.page.decoding import letters

DECLARED = 7.0
"""What a declaration weighs, as a logarithm: a thousand pages declare the truth for one that does not."""

_PLAIN = -7.7
"""Mean logarithm of a character beyond ASCII: Chinese in its own encoding has -6.6, in another -9 or less."""

_WINDOW = 64 * 1024
_SAMPLE_BYTES = 2_000
_FIRST_BYTES, _FINALISTS = 400, 4
"""Of a long sample, the beginning chooses the readings that are tried on all of it."""
_ASCII, _QUOTES, _SYMBOL, _FOREIGN, _CONTROL, _BROKEN = -3.0, -6.0, -9.0, -13.0, -14.0, -16.0
_CHANGE, _MIXED, _PAIRED, _UPPER, _OPENING, _BESIDE, _ALONE = -4.0, -3.0, -1.5, -3.5, -5.0, -4.0, -3.0

_MARKUP = re.compile(rb"<[^<>]{0,2000}>")
_RUN = re.compile(rb"[\x80-\xff](?:[\x21-\x7e]{0,3}[\x80-\xff])*[\x21-\x7e]{0,2}")
_HIGH = re.compile(rb"[\x80-\xff]")

_CJK = (
    ("gb18030", "hans", 0.0),
    ("big5hkscs", "hant", -1.0),
    ("gb18030", "hant", -3.0),
    ("cp932", "ja", -1.0),
    ("euc_jp", "ja", -1.5),
    ("cp949", "ko", -1.0),
)
_LATIN = {
    "cp1252": ("english", "french", "german", "iberian", "nordic"),
    "cp1250": ("polish", "czech", "hungarian", "romanian", "croatian"),
    "cp1254": ("turkish",),
    "cp1257": ("baltic",),
}
_ALPHABETS = tuple((codec, language, -0.5 - index) for index, codec in enumerate(_LATIN) for language in _LATIN[codec])
_ALPHABETS += tuple(("iso8859-2", language, -2.5) for language in _LATIN["cp1250"])
_ALPHABETS += (
    ("cp1251", "russian", -0.5), ("cp1251", "ukrainian", -1.5), ("koi8-r", "russian", -3.0), ("koi8-u", "ukrainian", -4.0),
    ("iso8859-5", "russian", -6.0), ("cp866", "russian", -6.0), ("cp1253", "greek", -1.5), ("iso8859-7", "greek", -2.0),
    ("cp1255", "hebrew", -2.0), ("iso8859-8", "hebrew", -4.0), ("cp1256", "arabic", -2.0), ("iso8859-6", "arabic", -4.0),
    ("cp874", "thai", -2.0), ("iso8859-15", "german", -5.0), ("iso8859-15", "french", -5.0),
)  # fmt: skip
Readings = Sequence[tuple[str, str, float]]
READINGS = _CJK + _ALPHABETS
"""(codec, language, logarithm of how common it is on the web)."""

MODELLED = frozenset(codec for codec, _, _ in READINGS)
DOUBLE_BYTE = frozenset(codec for codec, _, _ in _CJK)


def sample_of(body: bytes) -> bytes:
    """The runs of bytes beyond ASCII with what stands directly around them, outside tags, at most 2 kB: no run begins within a character."""
    first = _HIGH.search(body)
    if not first:
        return b""
    window = _MARKUP.sub(b" ", body[max(0, first.start() - 1000) : first.start() + _WINDOW])
    runs: list[bytes] = []
    size = 0
    for run in _RUN.finditer(window):
        before = window[max(0, run.start() - 1) : run.start()]
        runs.append((before if before.isalpha() else b"") + run[0][: _SAMPLE_BYTES - size])
        size += len(runs[-1]) + 1
        if size >= _SAMPLE_BYTES:
            break
    return b" ".join(runs)


def likeliest(sample: bytes, declared: tuple[str, ...] = ()) -> tuple[str, float]:
    """(codec of the likeliest reading, its logarithm); ("", -inf) for an empty sample."""
    if not sample:
        return "", -math.inf
    if declared and declared[0] in DOUBLE_BYTE and _is_plain(sample, declared[0]):
        return declared[0], 0.0
    readings: Readings = READINGS
    if len(sample) > 2 * _FIRST_BYTES:
        finalists = [reading[:2] for reading in _best(sample[:_FIRST_BYTES], readings, declared)[:_FINALISTS]]
        readings = [reading for reading in readings if reading[:2] in finalists]
    codec, _, score = _best(sample, readings, declared)[0]
    return codec, score


def _best(sample: bytes, readings: Readings, declared: tuple[str, ...]) -> list[tuple[str, str, float]]:
    """The readings with their scores in place of their priors, best first."""
    text = {codec: sample.decode(codec, "replace") for codec in dict.fromkeys(codec for codec, _, _ in readings)}
    scored = [
        (codec, language, score_of(text[codec], language) + prior + DECLARED * (codec in declared))
        for codec, language, prior in readings
    ]
    return sorted(scored, key=lambda reading: -reading[2])


def likelihood(sample: bytes, codec: str) -> float:
    """The logarithm of the likeliest reading in one codec, in any language; for UTF-8, too."""
    text = sample.decode(codec, "replace")
    languages = [language for name, language, _ in READINGS if codec in (name, "utf-8")]
    return max((score_of(text, language) for language in languages), default=-math.inf)


def _is_plain(sample: bytes, codec: str) -> bool:
    """Whether a declared double-byte codec reads so well that nothing else needs to be tried."""
    if len(sample) < 200:
        return False
    text = sample.decode(codec, "replace")
    table = _tables()[next(language for name, language, _ in _CJK if name == codec)]
    scores = [table.get(char, _FOREIGN) for char in text if char > "\x7f"]
    return len(scores) > 0.6 * len(text) and sum(scores) > _PLAIN * len(scores)


def score_of(text: str, language: str) -> float:
    """The logarithm of the probability of ``text`` in a language."""
    table = _tables()[language]
    score = 0.0
    for char, count in Counter(text).items():
        known = table.get(char)
        score += count * (_other(char) if known is None else known)
    for pattern, weight in _patterns()[language]:
        score += weight * len(pattern.findall(text))
    return score


def _other(char: str) -> float:
    if char < "\x80":
        return _ASCII
    if char < "\xa0" or "\ue000" <= char <= "\uf8ff":
        return _CONTROL
    if char == "\ufffd":
        return _BROKEN
    if char in "\xa0·«»©®°“”‘’–—…•„":
        return _QUOTES
    if char < "\xc0":
        return _SYMBOL
    return _FOREIGN


@lru_cache(maxsize=1)
def _tables() -> dict[str, dict[str, float]]:
    tables = {
        "hans": _east_asian(letters.SIMPLIFIED, "gb2312"),
        "hant": _east_asian(letters.TRADITIONAL, "big5"),
        "ja": _east_asian(letters.KANJI, "shift_jis"),
        "ko": _east_asian(letters.HANGUL, "euc_kr"),
    }
    kana = {chr(code): -4.5 for code in range(0x3041, 0x3094)} | {chr(code): -6.0 for code in range(0x30A1, 0x30FD)}
    tables["ja"] |= kana
    tables |= {name: _alphabet(getattr(letters, name.upper())) for name in {language for _, language, _ in _ALPHABETS}}
    return tables


def _east_asian(common: str, codec: str) -> dict[str, float]:
    table = dict.fromkeys(_repertoire(codec), -10.0)
    table |= {char: _tier(rank) for rank, char in enumerate(common)}
    table |= dict.fromkeys("，。、", -4.0) | dict.fromkeys("“”「」『』：；（）！？《》—…·・～【】\u3000", -6.0)
    table |= {chr(code): -9.0 for code in range(0xFF10, 0xFF5B)} | dict.fromkeys("０１２３４５６７８９", -7.5)
    return table


def _tier(rank: int) -> float:
    """100 characters make 36 % of Chinese text, 400 two thirds, 800 five sixths."""
    return -5.6 if rank < 100 else -6.9 if rank < 400 else -7.9


def _repertoire(codec: str) -> list[str]:
    """The everyday ideographs or syllables of a national character set: its first level."""
    first, last = {"gb2312": (0xB0, 0xD7), "big5": (0xA4, 0xC6), "shift_jis": (0x88, 0x97), "euc_kr": (0xB0, 0xC8)}[
        codec
    ]
    pairs = (bytes((lead, trail)) for lead in range(first, last + 1) for trail in range(0x40, 0xFF))
    return [char for pair in pairs if len(char := pair.decode(codec, "ignore")) == 1 and char > "\u3000"]


def _alphabet(shares: str) -> dict[str, float]:
    table: dict[str, float] = {}
    for entry in shares.split():
        score = math.log(float(entry[1:]) / 100)
        table[entry[0]] = score
        upper = entry[0].upper()
        if upper != entry[0] and len(upper) == 1 and upper > "\x7f":
            table.setdefault(upper, score + _UPPER)
    return table


@lru_cache(maxsize=1)
def _patterns() -> dict[str, list[tuple[re.Pattern[str], float]]]:
    beside = [(re.compile("[a-z](?=[^\x00-\x7f])"), _BESIDE)]
    patterns = {language: list(beside) for _, language, _ in _CJK}
    for _, language, _ in _ALPHABETS:
        own = _tables()[language]
        lower = "".join(char for char in own if char.upper() != char)
        upper = "".join(char for char in own if char.lower() != char)
        found = [
            (re.compile(f"[{lower}a-z][{upper}A-Z]"), _CHANGE),
            (re.compile(f"(?<![{lower}])’(?=[{lower}])"), _OPENING),
            (re.compile(f"[{upper}][{upper}A-Z]"), -1.0),
        ]
        if any(language in languages for languages in _LATIN.values()):
            found.append((re.compile(f"[{lower}{upper}](?=[{lower}{upper}])"), _PAIRED))
        else:
            every = "".join(own)
            found.append((re.compile(f"[A-Za-z](?=[{every}])|[{every}](?=[A-Za-z])"), _MIXED))
            found.append((re.compile(f"(?<![{every}])[{every}](?![{every}])"), _ALONE))
        patterns[language] = found if lower else found[-2:]
    return patterns
