"""Writes titles, sentences and paragraphs of a subject, from the patterns and word lists of vocabulary.json."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from string import Formatter
from typing import Any

from topicspider.text.normalise import has_cjk
from topicspider.topic.class_topics import class_of, class_topic, class_topics
from topicspider.topic.profile import Topic


@dataclass(frozen=True, slots=True)
class Subject:
    """The words and sentence patterns of one subject. ``columns``: names of sections; ``names``: names of sites."""

    columns: tuple[str, ...]
    names: tuple[str, ...]
    things: tuple[str, ...]
    actors: tuple[str, ...]
    places: tuple[str, ...]
    deeds: tuple[str, ...]
    qualities: tuple[str, ...]
    titles: tuple[str, ...]
    sentences: tuple[str, ...]


def _subjects(language: dict[str, Any]) -> dict[str, Subject]:
    return {name: Subject(**{key: tuple(words) for key, words in lists.items()}) for name, lists in language.items()}


_DATA = json.loads(files("topicspider.rehearsal.synthetic").joinpath("vocabulary.json").read_text(encoding="utf-8"))
CHINESE, ENGLISH = _subjects(_DATA["chinese"]), _subjects(_DATA["english"])
FILLER, FILLER_ENGLISH = tuple(_DATA["filler"]), tuple(_DATA["filler_english"])
MISLEADING, TIMES, REGIONS = tuple(_DATA["misleading"]), tuple(_DATA["times"]), tuple(_DATA["regions"])
FEWEST_TERMS = 8
PEOPLE, SURNAMES, GIVEN = tuple(_DATA["people"]), tuple(_DATA["surnames"]), tuple(_DATA["given"])


class Writer:
    """Writes the texts of one page; the same seed and the same calls give the same texts. title() is called first."""

    def __init__(self, seed: int, subject: str, *, english: bool) -> None:
        # random() alone is the same in all versions of Python; choice() and shuffle() are not
        self._random = random.Random(seed).random
        self._english = english
        self._subject = words_of(subject, english=english)
        # a page speaks of some of its subject's things, not of all
        self._things = self._some(self._subject.things, 9)

    def title(self) -> str:
        text = self._fill(self._subject, self._pick(self._subject.titles))
        return text[0].upper() + text[1:]

    def paragraph(self, sentences: int, topical: float, aside: str = "") -> str:
        """``sentences`` sentences, a share ``topical`` of them on the subject; ``aside``: a second subject for some of these."""
        return ("" if not self._english else " ").join(self._sentence(topical, aside) for _ in range(sentences))

    def keywords(self) -> list[str]:
        """Some things that the page speaks of."""
        return self._things[:4]

    def author(self) -> str:
        name = self._pick(SURNAMES) + self._pick(GIVEN) + (self._pick(GIVEN) if self._random() < 0.6 else "")
        return self._pick(("J. Marsh", "A. Kemp", "L. Oduya", "R. Novak")) if self._english else name

    def number(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``."""
        return low + int(self._random() * (high - low + 1))

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
            "a": subject.actors, "p": subject.places, "v": subject.deeds, "q": subject.qualities,
            "t": TIMES, "r": REGIONS, "w": PEOPLE,
        }  # fmt: skip
        return self._pick(lists[slot])

    def _pick(self, words: Sequence[str]) -> str:
        return words[int(self._random() * len(words))]

    def _some(self, words: Sequence[str], count: int) -> list[str]:
        left = list(words)
        return [left.pop(int(self._random() * len(left))) for _ in range(min(count, len(left)))]


def words_of(subject: str, *, english: bool) -> Subject:
    """The vocabulary of a subject, or of a class of the catalogue."""
    if english and subject in ENGLISH:
        return ENGLISH[subject]
    return CHINESE.get(subject) or _words_of_class(subject)


@cache
def class_subjects(count: int) -> tuple[str, ...]:
    """The names of ``count`` classes of level 2, from all over the catalogue, that have at least FEWEST_TERMS Chinese terms."""
    names = [topic.name for topic in class_topics(2) if len(_chinese_terms(topic)) >= FEWEST_TERMS]
    return tuple(names[place * len(names) // count] for place in range(count))


@cache
def _words_of_class(name: str) -> Subject:
    """The vocabulary of a class: its Chinese terms, and sentence patterns that suit any subject."""
    topic = class_topic(class_of(name))
    title, terms = topic.title["zh"], _chinese_terms(topic)
    columns = (title, *(f"{term}频道" for term in terms[:7]))
    names = tuple(f"{part}{kind}" for part in (title, terms[0]) for kind in ("网", "之家", "论坛"))
    return Subject(columns, names, terms, **{key: tuple(words) for key, words in _DATA["of_classes"].items()})


def _chinese_terms(topic: Topic) -> tuple[str, ...]:
    return tuple(term for term in topic.terms if has_cjk(term))


@lru_cache(maxsize=1024)
def _parsed(pattern: str) -> tuple[tuple[str, str | None], ...]:
    return tuple((literal, slot) for literal, slot, _spec, _conversion in Formatter().parse(pattern))
