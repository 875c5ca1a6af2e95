"""Did you mean: words of the index that sound or look like one that is in no page."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from topicspider.text.normalise import has_cjk
from topicspider.text.pinyin import characters_by_sound

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from topicspider.search.index import SearchIndex

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def frequency(index: SearchIndex, word: str) -> int:
    """In how many pages the index has ``word`` as one word."""
    rows = index.read("SELECT doc FROM vocabulary WHERE term = ?", (word,))
    return int(rows[0][0]) if rows else 0


def suggestion(index: SearchIndex, word: str) -> str:
    """What was probably meant by a word that is in no page: the most frequent one that sounds alike, or that differs by a letter; "" for none.

    An input method goes wrong by writing another word of the same sound: 旅由 for 旅游. Pinyin leads to the Chinese word.
    """
    if not word or len(word) > 24 or frequency(index, word):
        return ""
    found = dict(_sounding(index, _sounds_of(word)))
    if word.isascii() and word.isalpha() and len(word) > 3:
        found |= {other: frequency(index, other) for other in set(_one_letter_off(word))}
    # a word that stands on one page may be a mistake itself
    likely = [(-count, other) for other, count in found.items() if count > 1 and other != word]
    return min(likely)[1] if likely else ""


def _sounds_of(word: str) -> list[tuple[str, ...]]:
    """The ways to read ``word`` as syllables, each given by the characters that are read so."""
    if has_cjk(word):
        alike = tuple(_homophones().get(char, char) for char in word)
        return [alike] if len(word) > 1 else []
    if not (word.isascii() and word.isalpha()):
        return []
    table = characters_by_sound()
    return [tuple(table[sound] for sound in sounds) for sounds in _syllables(word, 4) if len(sounds) > 1]


def _syllables(word: str, most: int) -> Iterator[tuple[str, ...]]:
    if not word:
        yield ()
    for end in range(1, min(6, len(word)) + 1) if most else ():
        if word[:end] in characters_by_sound():
            yield from ((word[:end], *rest) for rest in _syllables(word[end:], most - 1))


def _sounding(index: SearchIndex, readings: Iterable[Sequence[str]]) -> Iterator[tuple[str, int]]:
    """The words of the index that have one of the characters given at each place, and in how many pages they are."""
    sql = "SELECT term, doc FROM vocabulary WHERE term >= ? AND term < ?"
    for first, *others in readings:
        for char in first:
            for term, pages in index.read(sql, (char, chr(ord(char) + 1))):
                if len(term) == len(others) + 1 and all(map(str.__contains__, others, term[1:])):
                    yield term, int(pages)


def _one_letter_off(word: str) -> Iterator[str]:
    parts = [(word[:place], word[place:]) for place in range(len(word) + 1)]
    yield from (head + tail[1] + tail[0] + tail[2:] for head, tail in parts if len(tail) > 1)
    yield from (head + tail[1:] for head, tail in parts if tail)
    yield from (head + letter + tail[1:] for head, tail in parts if tail for letter in _LETTERS)
    yield from (head + letter + tail for head, tail in parts for letter in _LETTERS)


@lru_cache(maxsize=1)
def _homophones() -> dict[str, str]:
    return {char: alike for alike in characters_by_sound().values() for char in alike}
