"""Spells Chinese words as URLs do: 旅游 is lvyou. The only module that imports pypinyin."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

from topicspider.text.normalise import is_cjk, normalise
from topicspider.text.vocabulary import FOREIGN, words

MOST_SPELLINGS = 6
# Characters that are often read either way where no phrase tells which; pypinyin also has rare readings of others (游 liu, 石 dan)
_AMBIGUOUS = frozenset("行长重乐朝都会调传弹藏厦曾盛卷降")
_VOWELS = frozenset("aeo")
# lü as typed (lv), without the marks (lu), as in passports (lyu); lüe is lve, lue
_U_UMLAUT = ("v", "u", "yu")


@lru_cache(maxsize=4096)
def spellings(word: str) -> tuple[str, ...]:
    """Pinyin spellings of ``word`` in ASCII letters without tones, the usual one first, at most six; () when there is none that tells.

    Words of one character have none: cha and me can mean other things in URLs. A spelling that is a foreign word itself is left out
    ("banana"). A character with several readings has that of its phrase, such as 行 in 银行; only for sixteen that are often read either way
    two readings are used. Initials (xnyqc) are added from four characters on and without a vowel: shorter ones can be anything.
    """
    text = normalise(word).replace(" ", "")
    if sum(map(is_cjk, text)) < 2 or not all(is_cjk(char) or (char.isascii() and char.isalnum()) for char in text):
        return ()
    if len(text) > 12:
        return ()
    readings = _readings(text)
    found = dict.fromkeys(
        spelt for syllables in product(*readings) for spelt in _spelt("".join(syllables)) if spelt not in _foreign()
    )
    full = list(found)[:MOST_SPELLINGS]
    initials = "".join(syllables[0][0] for syllables in readings)
    if len(readings) >= 4 and _VOWELS.isdisjoint(initials) and initials.isalpha():
        full = [*full[: MOST_SPELLINGS - 1], initials]
    return tuple(full)


def initials(text: str) -> str:
    """The first letter of each Chinese character's usual reading, other characters unchanged: xlx for 心理学."""
    from pypinyin import Style, lazy_pinyin

    return "".join(lazy_pinyin(text, style=Style.FIRST_LETTER)).lower()


def _readings(text: str) -> list[list[str]]:
    """The possible syllables of each character (an ASCII letter is its own): one, or two for the characters in _AMBIGUOUS."""
    from pypinyin import Style, pinyin

    each: Any = list  # ASCII letters one by one: the library takes this, its annotations do not
    usual = pinyin(text, style=Style.NORMAL, v_to_u=True, errors=each)
    # all readings, but only one where a phrase determines it
    possible = pinyin(text, style=Style.NORMAL, v_to_u=True, errors=each, heteronym=True)
    return [
        list(dict.fromkeys([*first, *others]))[:2] if char in _AMBIGUOUS else first
        for char, first, others in zip(text, usual, possible, strict=True)
    ]


def _spelt(syllables: str) -> list[str]:
    if "ü" not in syllables:
        return [syllables]
    return [syllables.replace("ü", letters) for letters in _U_UMLAUT]


@lru_cache(maxsize=1)
def _foreign() -> frozenset[str]:
    return frozenset(words(FOREIGN))
