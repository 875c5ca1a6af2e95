"""The key ``near`` of a topic file: words with weights from 0 to 1."""

from __future__ import annotations

import pytest

from topicspider.topic.schema import read_topic


def read(text):
    return read_topic(f"title: 茶\n{text}".encode(), "tea.yaml", "tea")


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("near: {茶几: 0, 冲泡: 0.6}", {"茶几": 0.0, "冲泡": 0.6}),
        ("near: [冲泡, steep]", {"冲泡": 0.5, "steep": 0.5}),
        ("near: 冲泡", {"冲泡": 0.5}),
        ("near:", {}),
        ("near: {茶: 0}\nterms: [茶]", {"茶": 0.0}),
    ],
)
def test_what_it_may_hold(text, near):
    topic, errors = read(text)
    assert errors == []
    assert topic.near == near


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("near: {冲泡: 1.5}", "tea.yaml:2: near.冲泡: '1.5' is not valid; allowed: a number from 0 to 1"),
        ("near: {冲泡: -1}", "a number from 0 to 1"),
        ("near: {冲泡: 很}", "a number from 0 to 1"),
        ("near: {green tea: 0.5}", "one word, without spaces"),
        ("near: {绿茶: 0.5}\nterms: [绿茶]", "neither among the terms nor negative"),
        ("near: {茶几: 0.5}\nnegative: [茶几]", "neither among the terms nor negative"),
    ],
)
def test_what_is_wrong_has_its_line(text, says):
    _topic, errors = read(text)
    assert says in str(errors[0])
    assert str(errors[0]).startswith("tea.yaml:2:")
