"""Every topic that comes with topicspider is complete and documented; the catalogue and the names of folders."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import topicspider
from topicspider.text.segment import Segmenter, make_segmenter
from topicspider.topic import catalogue
from topicspider.topic.learning import learn
from topicspider.topic.loading import known_topics, load_topic
from topicspider.topic.profile import Limits, folder_name
from topicspider.topic.schema import KEYS, read_topic

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
    return make_segmenter()


@cache
def _all_weights() -> dict[str, Mapping[str, float]]:
    return {name: learn(load_topic(name), _segmenter()).weights for name in known_topics()}


def _fit(weights: Mapping[str, float], text: str) -> float:
    return sum(weights.get(word, 0.0) for word in _segmenter().words(text)) / sum(weights.values())


@pytest.mark.parametrize(
    ("number", "title"),
    [
        ("F", "经济"),
        ("F59", "旅游经济"),
        ("F592.7", "旅游经济"),
        ("F293.3", "经济计划与管理"),
        ("TP311", "自动化技术、计算机技术"),
        ("茶", ""),
        ("W1", ""),
        ("tourism", ""),
    ],
)
def test_a_number_has_the_name_of_the_nearest_class(number: str, title: str) -> None:
    assert catalogue.class_title(number) == title


def test_topics_together_are_joined_by_plus() -> None:
    assert folder_name("tourism", "sport") == folder_name("tourism+sport") == "tourism+sport"


def test_no_name_leaves_the_folder() -> None:
    assert folder_name("../茶 叶/x") == "..%2F茶%20叶%2Fx"
    assert folder_name("茶叶") == "茶叶"


TEXT = (Path(topicspider.__file__).parent.parent / "docs" / "topics.md").read_text(encoding="utf-8")
INNER = [f"limits.{field.name}" for field in fields(Limits)]
GROUPS = {"limits", "thresholds"}


@pytest.mark.parametrize(
    "key", [*(key for key in KEYS if key not in GROUPS), *INNER, "thresholds.page", "thresholds.link"]
)
def test_every_key_is_documented(key: str) -> None:
    assert f"| `{key}` |" in TEXT


def test_every_shipped_topic_is_named() -> None:
    assert ", ".join(known_topics()) in TEXT


def test_the_example_is_a_right_topic_file() -> None:
    example, near = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    topic, errors = read_topic((example + near).encode(), "tea.yaml", "tea")
    assert topic.near == {"茶几": 0.0, "冲泡": 0.6}
    assert errors == []
    assert (topic.clc, topic.limits.pages, len(topic.terms)) == ("S57", 5000, 4)
