"""Every class of the catalogue as a topic that can be crawled: its terms and texts, and where it stands in the tree."""

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

    A letter is broad; what is below it is specific.
    """
    node = catalogue.entries(number[:1])[number]
    topic = sound(read_fields(node, topic_name(number)))
    scope = "broad" if level_of(number) == 1 else "specific"
    return replace(topic, clc=number, scope=scope, languages=("zh", "en"), source=f"{node.source}:{node.line}")


def class_topics(level: int | None = None) -> tuple[Topic, ...]:
    """The topics of all classes in the catalogue's order, or those of level 1 or 2 alone."""
    return tuple(class_topic(number) for number in catalogue.classes() if level in (None, level_of(number)))


def topic_name(number: str) -> str:
    """The number as the name of a topic, and of the folder of its results."""
    return number.replace("/", "_")


def level_of(number: str) -> int:
    """1 for a letter, else 2."""
    return 1 if len(number) == 1 else 2


def class_of(name: str) -> str:
    """The class that is called ``name``: its number or the topic's name, in capitals or not, or one of its titles; "" for none."""
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
    """Numbers of classes by a part of a title, a term, the beginning of a number, or the initials of a Chinese title (xlx: 心理学)."""
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
    """As names of topics and classes are compared."""
    return normalise(text).strip().replace("_", " ")
