"""Near words are content words: no names, numbers or adverbs."""

from __future__ import annotations

import pytest

from topicspider.text.background import is_content_word, word_class
from topicspider.text.wording import shell_word


@pytest.mark.parametrize(
    ("word", "tag", "tells"),
    [
        ("茶叶", "n", True),
        ("采茶", "v", True),
        ("叶利钦", "nr", False),
        ("旅顺口", "ns", False),
        ("非常", "d", False),
        ("robot", "", True),
    ],
)
def test_the_class_of_a_word(word, tag, tells):
    assert word_class(word).startswith(tag)
    assert is_content_word(word) is tells


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("茶叶", "茶叶"),
        ("tea/a.yaml", "tea/a.yaml"),
        ("AI 芯片", "'AI 芯片'"),
        ("-x", "-x"),
        ("", "''"),
        ("a;b", "'a;b'"),
    ],
)
def test_a_word_of_a_command_line(text, shown):
    assert shell_word(text) == shown
