"""Writes titles, sentences and paragraphs of a subject, from patterns and word lists."""

from __future__ import annotations

import random
from functools import lru_cache
from string import Formatter
from typing import TYPE_CHECKING

from topicspider.rehearsal.synthetic.vocabulary import (
    CHINESE,
    ENGLISH,
    FILLER,
    FILLER_ENGLISH,
    GIVEN,
    PEOPLE,
    REGIONS,
    SURNAMES,
    TIMES,
    Subject,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_FOCUS = 9  # a page speaks of some of its subject's things, not of all


class Writer:
    """Writes one page. The same seed writes the same page; ``title()`` is asked first."""

    def __init__(self, seed: int, subject: str, *, english: bool) -> None:
        # random() alone is the same in all versions of Python; choice() and shuffle() are not
        self._random = random.Random(seed).random
        self._english = english
        self._subject = words_of(subject, english=english)
        self._things = self._some(self._subject.things, _FOCUS)

    def title(self) -> str:
        """A headline."""
        text = self._fill(self._subject, self._pick(self._subject.titles))
        return text[0].upper() + text[1:]

    def paragraph(self, sentences: int, topical: float, aside: str = "") -> str:
        """``sentences`` sentences, a share ``topical`` of them on the subject; ``aside``: another subject that joins in."""
        return ("" if not self._english else " ").join(self._sentence(topical, aside) for _ in range(sentences))

    def keywords(self) -> list[str]:
        """Some things that the page speaks of."""
        return self._things[:4]

    def author(self) -> str:
        """A name."""
        name = self._pick(SURNAMES) + self._pick(GIVEN) + (self._pick(GIVEN) if self._random() < 0.6 else "")
        return self._pick(("J. Marsh", "A. Kemp", "L. Oduya", "R. Novak")) if self._english else name

    def number(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``."""
        return low + int(self._random() * (high - low + 1))

    def chance(self, share: float) -> bool:
        """True in a share of all calls."""
        return self._random() < share

    def _sentence(self, topical: float, aside: str) -> str:
        if self._random() >= topical:
            text = self._fill(self._subject, self._pick(FILLER_ENGLISH if self._english else FILLER))
        elif aside and self._random() < 0.4:
            other = words_of(aside, english=self._english)
            text = self._fill(other, self._pick(other.sentences), other.things)
        else:
            text = self._fill(self._subject, self._pick(self._subject.sentences))
        return text[0].upper() + text[1:]

    def _fill(self, subject: Subject, pattern: str, things: Sequence[str] = ()) -> str:
        parts = []
        for literal, slot in _parsed(pattern):
            parts.append(literal)
            if slot:
                parts.append(self._slot(slot, subject, things or self._things))
        return "".join(parts)

    def _slot(self, slot: str, subject: Subject, things: Sequence[str]) -> str:
        if slot in ("n", "m"):
            return self._pick(things)
        if slot in ("c", "k"):
            return str(self.number(2, 90 if slot == "c" else 6))
        lists = {
            "a": subject.actors,
            "p": subject.places,
            "v": subject.deeds,
            "q": subject.qualities,
            "t": TIMES,
            "r": REGIONS,
            "w": PEOPLE,
        }
        return self._pick(lists[slot])

    def _pick(self, words: Sequence[str]) -> str:
        return words[int(self._random() * len(words))]

    def _some(self, words: Sequence[str], count: int) -> list[str]:
        left = list(words)
        return [left.pop(int(self._random() * len(left))) for _ in range(min(count, len(left)))]


def words_of(subject: str, *, english: bool) -> Subject:
    """The vocabulary of a subject."""
    return ENGLISH[subject] if english and subject in ENGLISH else CHINESE[subject]


@lru_cache(maxsize=1024)
def _parsed(pattern: str) -> tuple[tuple[str, str | None], ...]:
    return tuple((literal, slot) for literal, slot, _spec, _conversion in Formatter().parse(pattern))
