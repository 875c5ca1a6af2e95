"""docs/topics.md names every key of a topic file and every shipped topic, and its example is right."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

import topicspider
from topicspider.topic.loading import known_topics
from topicspider.topic.profile import Limits, SiteAccess
from topicspider.topic.schema import KEYS, read_topic

TEXT = (Path(topicspider.__file__).parent.parent / "docs" / "topics.md").read_text(encoding="utf-8")
INNER = [f"limits.{field.name}" for field in fields(Limits)] + [
    f"sites.HOST.{field.name}" for field in fields(SiteAccess)
]
GROUPS = {"limits", "sites", "thresholds"}


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
