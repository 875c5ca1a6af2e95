"""Makes a topic that can be crawled from each class of the catalogue, and finds classes by name, title or term."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from topicspider.text.normalise import normalise
from topicspider.text.pinyin import initials
from topicspider.topic import catalogue
from topicspider.topic.profile import Topic
from topicspider.topic.schema import read_fields, sound


@cache
def class_topic(number: str) -> Topic:
    """The topic of a class of the catalogue, named by its number (D33_37 for D33/37); KeyError for another number.

    The scope of a letter is broad, that of a class of level 2 is specific.
    """
    node = catalogue.entries(number[:1])[number]
    topic = sound(read_fields(node, topic_name(number)))
    scope = "broad" if level_of(number) == 1 else "specific"
    return replace(topic, clc=number, scope=scope, languages=("zh", "en"), source=f"{node.source}:{node.line}")


def class_topics(level: int | None = None) -> tuple[Topic, ...]:
    """The topics of all classes, or of one level (1 or 2), in the catalogue's order."""
    return tuple(class_topic(number) for number in catalogue.classes() if level in (None, level_of(number)))


def topic_name(number: str) -> str:
    """A class number as the name of a topic and of its results' folder: "/" becomes "_"."""
    return number.replace("/", "_")


def level_of(number: str) -> int:
    """1 for a letter, else 2."""
    return 1 if len(number) == 1 else 2


def class_of(name: str) -> str:
    """The number of the class called ``name``: by number, topic name or title, whatever the case; "" for none."""
    return _ways().get(folded(name), "")


@cache
def _ways() -> dict[str, str]:
    found: dict[str, str] = {}
    for number in catalogue.classes():
        titles = (catalogue.title_of(number, language) for language in ("zh", "en"))
        for way in (number, topic_name(number), *titles):
            found.setdefault(folded(way), number)
    return found


def search_classes(word: str) -> Iterator[str]:
    """Numbers of classes with ``word`` as part of a title, as a term, as the number's beginning, or in the title's initials (xlx: 心理学)."""
    wanted = folded(word)
    for number in catalogue.classes():
        topic = class_topic(number)
        titles = [folded(title) for title in topic.title.values()]
        if (
            folded(number).startswith(wanted)
            or any(wanted in title for title in titles)
            or wanted in map(folded, topic.terms)
            or (wanted.isascii() and wanted in initials(topic.title["zh"]))
        ):
            yield number


def folded(text: str) -> str:
    """``text`` as names of topics and classes are compared: normalised, "_" like a space."""
    return normalise(text).strip().replace("_", " ")
