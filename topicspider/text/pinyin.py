"""How Chinese words are spelt in addresses: 旅游 is lvyou; the one home of pypinyin."""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

from topicspider.text.normalise import is_cjk, normalise
from topicspider.text.vocabulary import FOREIGN, words

MOST_SPELLINGS = 6
# Often read either way where no phrase tells; the tables hold rare readings of every fifth character (游 liu, 石 dan)
_AMBIGUOUS = frozenset("行长重乐朝都会调传弹藏厦曾盛卷降")
_VOWELS = frozenset("aeo")
# lü as typed (lv), without the marks (lu), as in passports (lyu); lüe is lve, lue
_U_UMLAUT = ("v", "u", "yu")


@lru_cache(maxsize=4096)
def spellings(word: str) -> tuple[str, ...]:
    """Spellings of ``word`` in ASCII letters without tones, the usual one first, at most six; () for what has none or says nothing.

    Words of one character have none: cha and me stand in addresses for other things. Nor does a spelling count that is a foreign
    word itself (nothing is "banana" by its sound). A character with several readings has that of the phrase, as 行 in
    银行; of sixteen that are often read either way two count. Initials (xnyqc) only from four characters on and without a vowel: shorter ones are anything.
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
    """The first letter of each Chinese character as it is usually read, others as they are: xlx for 心理学."""
    from pypinyin import Style, lazy_pinyin

    return "".join(lazy_pinyin(text, style=Style.FIRST_LETTER)).lower()


def _readings(text: str) -> list[list[str]]:
    """The syllables that each character, or ASCII letter, may be: one, or two of the few characters that are often read either way."""
    from pypinyin import Style, pinyin

    each: Any = list  # ASCII letters one by one: the library takes this, its annotations do not
    usual = pinyin(text, style=Style.NORMAL, v_to_u=True, errors=each)
    # one reading only where a phrase tells it
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
