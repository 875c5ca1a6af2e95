"""Finds where any of many words stand in a text, in one pass (Aho-Corasick); the one home of ahocorasick_rs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.text.normalise import has_cjk, normalise

if TYPE_CHECKING:
    from collections.abc import Iterable


class PhraseMatcher:
    """Looks for words and phrases (``real estate``), also those that a segmenter cuts apart; upper and full width are found too."""

    def __init__(self, words: Iterable[str]) -> None:
        from ahocorasick_rs import AhoCorasick, MatchKind

        self._words = sorted({clean for word in words if (clean := normalise(word).strip())})
        self._automaton = AhoCorasick(self._words, matchkind=MatchKind.LeftmostLongest)

    def find(self, text: str) -> list[tuple[int, int, str]]:
        """(start, end, word) in ``text`` as it is, in order, none over another: of several that begin at one place the longest.

        A Latin word counts only as a whole: tea does not stand in team.
        """
        clean, places = _with_places(text)
        return [
            (places[start], places[end - 1] + 1, self._words[index]) if places else (start, end, self._words[index])
            for index, start, end in self._automaton.find_matches_as_indexes(clean)
            if _is_whole(clean, start, end)
        ]


def _with_places(text: str) -> tuple[str, list[int]]:
    """The normalised text, and where each of its characters comes from; no places when nothing moved."""
    clean = normalise(text)
    if len(clean) == len(text):
        return clean, []
    table = {char: normalise(char) for char in set(text)}
    pieces = [table[char] for char in text]
    places = [place for place, piece in enumerate(pieces) for _ in piece]
    return "".join(pieces), places


def _is_whole(text: str, start: int, end: int) -> bool:
    return not (_goes_on(text, start - 1, start) or _goes_on(text, end - 1, end))


def _goes_on(text: str, first: int, second: int) -> bool:
    """Whether two neighbours are letters of one word, where words are parted by blanks."""
    if first < 0 or second >= len(text):
        return False
    both = text[first] + text[second]
    return both.isalnum() and not has_cjk(both)
