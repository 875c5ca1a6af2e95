"""Every topic that comes with topicspider is complete: terms, texts of our own, seeds (issue 2)."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import pytest

from topicspider.text.segment import Segmenter, make_segmenter
from topicspider.topic import catalogue
from topicspider.topic.learning import learn
from topicspider.topic.loading import known_topics, load_topic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topicspider.topic.profile import Topic

each_topic = pytest.mark.parametrize(
    "topic", [load_topic(name) for name in known_topics()], ids=lambda topic: topic.name
)


@each_topic
def test_it_has_titles_a_class_of_the_catalogue_and_both_languages(topic: Topic) -> None:
    assert set(topic.title) == {"zh", "en"}
    assert catalogue.class_title(topic.clc)
    assert topic.languages == ("zh", "en")


@each_topic
def test_a_text_of_it_fits_it_better_than_any_other_topic(topic: Topic) -> None:
    """Leave one text out, learn from the rest: the words of all topics tell whose the text is."""
    others = [weights for name, weights in _all_weights().items() if name != topic.name]
    for i, text in enumerate(topic.texts):
        rest = replace(topic, texts=topic.texts[:i] + topic.texts[i + 1 :])
        own = _fit(learn(rest, _segmenter()).weights, text)
        assert own > max(_fit(weights, text) for weights in others), f"text {i}"


@cache
def _segmenter() -> Segmenter:
    return make_segmenter("rjieba")


@cache
def _all_weights() -> dict[str, Mapping[str, float]]:
    return {name: learn(load_topic(name), _segmenter()).weights for name in known_topics()}


def _fit(weights: Mapping[str, float], text: str) -> float:
    return sum(weights.get(word, 0.0) for word in _segmenter().words(text)) / sum(weights.values())
