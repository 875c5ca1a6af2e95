"""Word similarity for RW, (a) Li 2002 formula 1: synonyms 100 %, near words 50-100 %, distant words 0-50 %."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.text.similarity import WordSimilarity, agent_groups, senses

SYNONYMS = {"驴友": "游客", "trip": "旅行"}
WORDS = [
    "旅游", "旅行", "游览", "酒店", "宾馆", "旅馆", "足球", "篮球", "医生", "护士", "吃饭", "开会", "苹果", "香蕉", "股票", "走", "跑", "票", "山",
    "hotel", "trip", "驴友", "游客", "旅客", "云台山",
]  # fmt: skip

similarity = WordSimilarity(SYNONYMS)


@pytest.mark.parametrize(
    ("a", "b"), [("驴友", "游客"), ("trip", "旅行"), ("旅游", "游览"), ("旅游", "观光"), ("旅馆", "宾馆")]
)
def test_synonyms_of_topic_and_tree_are_1(a, b):
    assert similarity.similarity(a, b) == 1


@pytest.mark.parametrize(
    ("a", "b", "value"),
    [
        ("足球", "篮球", 0.9),
        ("酒店", "宾馆", 0.8),
        ("旅游", "旅行", 0.8),
        ("景点", "名胜", 0.8),
        ("驴友", "旅客", 0.8),
        ("医生", "护士", 0.6),
    ],
)
def test_near_words_are_at_least_a_half_and_below_1(a, b, value):
    assert similarity.similarity(a, b) == value
    assert 0.5 <= value < 1


@pytest.mark.parametrize(("a", "b", "value"), [("旅游", "吃饭", 0.3), ("旅游", "开会", 0.1)])
def test_distant_words_are_above_0_and_below_a_half(a, b, value):
    assert similarity.similarity(a, b) == value
    assert 0 < value < 0.5


@pytest.mark.parametrize(
    ("a", "b"), [("旅游", "苹果"), ("红石峡", "旅游"), ("hotel", "酒店"), ("hotel", "hotels"), ("", "旅游")]
)
def test_unrelated_and_unknown_words_are_exactly_0(a, b):
    assert similarity.similarity(a, b) == 0


@given(st.sampled_from(WORDS) | st.text(max_size=3), st.sampled_from(WORDS) | st.text(max_size=3))
def test_it_is_symmetric_and_in_0_to_1(a, b):
    value = similarity.similarity(a, b)
    assert value == similarity.similarity(b, a)
    assert 0 <= value <= 1


@given(st.sampled_from(WORDS), st.sampled_from(WORDS))
def test_it_is_the_plain_table_over_all_pairs_of_senses(a, b):
    assert WordSimilarity().similarity(a, b) == plain_similarity(a, b)


def plain_similarity(a, b):
    """The table of text.similarity, word for word."""
    if a == b:
        return 1.0
    return max((plain_value(one, two, a, b) for one in senses(a) for two in senses(b)), default=0.0)


def plain_value(one, two, a, b):
    if one == two and one[-1] == "=":
        return 1.0
    if one == two and one[-1] == "#":
        return 0.9
    if one[:5] == two[:5]:
        return 0.8
    if one[0] == two[0] and set(agent_groups(a)) & set(agent_groups(b)):
        return 0.8
    return next((value for length, value in ((4, 0.6), (2, 0.3), (1, 0.1)) if one[:length] == two[:length]), 0.0)


@pytest.mark.parametrize("word", WORDS)
def test_the_best_match_is_the_largest_similarity(word):
    topic = ["旅游", "景点", "酒店", "游客"]
    assert similarity.best_match(word, topic) == max(similarity.similarity(word, other) for other in topic)
    assert similarity.best_match(word, tuple(topic)) == similarity.best_match(word, topic)


@pytest.mark.parametrize(
    ("a", "b"), [("成都", "度假村"), ("杭州", "度假村"), ("上海", "度假村"), ("北京", "美国"), ("医生", "游客")]
)
def test_what_is_only_the_same_kind_of_thing_lies_below_the_threshold(a, b):
    """RW prunes below .3 ("distant"): a city is no resort, a doctor no tourist."""
    assert similarity.similarity(a, b) < 0.3
