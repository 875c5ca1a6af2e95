"""What the page learner sees of a page: words, and of a title alone the characters within its Chinese words."""

from __future__ import annotations

import math

import pytest
from topicspider.relevance.learner.page_features import features, trust, weight_of_words

from topicspider.relevance.interfaces import PageWords


@pytest.mark.parametrize(
    ("title", "characters"),
    [
        (("绿茶", "市场"), {"*绿*", "*茶*", "*市*", "*场*"}),
        (("茶",), set()),
        (("green", "tea"), set()),
        (("AI", "芯片"), {"*芯*", "*片*"}),
        (("お茶", "カフェ"), {"*茶*"}),
    ],
)
def test_a_title_alone_is_read_by_the_characters_of_its_longer_words_too(title, characters):
    found = features(PageWords(title, ()))
    assert set(found) == {*title, *characters}
    assert math.isclose(sum(value * value for value in found.values()), 1.0)


def test_a_title_with_a_body_is_not():
    assert set(features(PageWords(("绿茶",), ("市场",)))) == {"绿茶", "市场"}


def test_a_character_counts_once_for_each_word_it_is_in():
    found = features(PageWords(("绿茶", "红茶"), ()))
    assert math.isclose(found["*茶*"], 2 * found["*红*"])


def test_nothing_is_nothing():
    assert features(PageWords((), ())) == {}


def test_what_was_learned_counts_more_for_a_title_than_for_a_body():
    title, body = PageWords(("绿茶",), ()), PageWords(("绿茶",), ("春天",) * 200)
    for meant in (False, True):
        assert trust(title, meant=meant) > trust(body, meant=meant)
    assert weight_of_words(title, meant=True) > weight_of_words(body, meant=True)
    assert weight_of_words(body, meant=False) == 1.0
