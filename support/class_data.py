"""Judges the catalogue's own terms and sample texts by its classes, to see whether their own class is the best."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cache

from topicspider.relevance.interfaces import PageWords
from topicspider.relevance.topic_matrix import TopicMatrix
from topicspider.text.segment import Segmenter, make_segmenter
from topicspider.topic.class_topics import class_topics

Found = list[tuple[str, str, str]]
"""(class of the text, text, the best class by the judgement)."""


def terms_alone(level: int) -> Found:
    """Each term, judged by all classes of the level."""
    return _best(level, {topic.clc: tuple(topic.terms) for topic in class_topics(level)})


def texts_left_out(level: int) -> Found:
    """Each sample text, judged by all classes of the level that lack the text at its place."""
    places = range(max(len(topic.texts) for topic in class_topics(level)))
    rounds = ({topic.clc: topic.texts[place : place + 1] for topic in class_topics(level)} for place in places)
    return [one for place, texts in enumerate(rounds) for one in _best(level, texts, place)]


def shares(found: Found) -> dict[str, float]:
    """By class: the share of its texts for which it was found."""
    right = defaultdict(list)
    for number, _text, best in found:
        right[number].append(number == best)
    return {number: sum(some) / len(some) for number, some in right.items()}


@cache
def _segmenter() -> Segmenter:
    return make_segmenter()


def _best(level: int, texts: dict[str, tuple[str, ...]], left_out: int | None = None) -> Found:
    topics = [
        replace(topic, texts=tuple(text for place, text in enumerate(topic.texts) if place != left_out))
        for topic in class_topics(level)
    ]
    matrix = TopicMatrix(topics, _segmenter())
    found = []
    for number, some in texts.items():
        for text in some:
            ((place, _chance),) = matrix.likeliest(PageWords(title=tuple(_segmenter().words(text))), 1)
            found.append((number, text, topics[place].clc))
    return found
