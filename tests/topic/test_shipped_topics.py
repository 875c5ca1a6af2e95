"""Every topic that comes with topicspider is complete: terms, texts of our own, seeds (issue 2)."""

from __future__ import annotations

import re
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

NAMES = (
    "tourism",
    "food",
    "sport",
    "health",
    "education",
    "finance",
    "real_estate",
    "cars",
    "agriculture",
    "technology",
)
HAN = re.compile(r"[\u4e00-\u9fff]")
each_topic = pytest.mark.parametrize(
    "topic", [load_topic(name) for name in known_topics()], ids=lambda topic: topic.name
)


def test_the_ten_topics_are_there() -> None:
    assert set(NAMES) <= set(known_topics())


@each_topic
def test_it_has_titles_a_class_of_the_catalogue_and_both_languages(topic: Topic) -> None:
    assert set(topic.title) == {"zh", "en"}
    assert catalogue.class_title(topic.clc)
    assert topic.languages == ("zh", "en")


@each_topic
def test_it_has_20_to_40_weighted_terms_most_of_them_chinese(topic: Topic) -> None:
    assert 20 <= len(topic.terms) <= 40
    assert sum(bool(HAN.search(term)) for term in topic.terms) >= 20
    assert sum(term.isascii() for term in topic.terms) >= 3
    assert len(set(topic.terms.values())) >= 3
    assert topic.title["zh"] in topic.terms or any(topic.title["zh"] in term for term in topic.terms)


@each_topic
def test_it_has_synonyms_of_its_terms_and_negative_words(topic: Topic) -> None:
    assert len(topic.synonyms) >= 5
    assert set(topic.synonyms) <= set(topic.terms)
    assert topic.negative


@each_topic
def test_it_has_3_to_6_texts_of_200_characters_one_of_them_english(topic: Topic) -> None:
    chinese = [text for text in topic.texts if HAN.search(text)]
    english = [text for text in topic.texts if text.isascii()]
    assert 3 <= len(topic.texts) <= 6
    assert len(chinese) >= 3
    assert all(len(HAN.findall(text)) >= 200 for text in chinese)
    assert english
    assert all(len(text) >= 200 for text in english)


@each_topic
def test_its_texts_are_about_it(topic: Topic) -> None:
    segmenter = make_segmenter("rjieba", topic.terms)
    for text in topic.texts:
        used = {word for word in segmenter.words(text) if word in topic.terms}
        assert len(used) >= 3, text[:40]


@each_topic
def test_it_has_public_seeds(topic: Topic) -> None:
    assert 4 <= len(topic.seeds) <= 8
    assert all(seed.startswith("https://") for seed in topic.seeds)


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
