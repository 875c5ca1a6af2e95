"""Many topics side by side: chances, parts that add up, and what the matrix shares with the texts it is asked about."""

from __future__ import annotations

import pytest

from topicspider.relevance.interfaces import PageWords
from topicspider.relevance.topic_matrix import TopicMatrix
from topicspider.text.segment import make_segmenter
from topicspider.topic.class_topics import class_topics

PAGE = "教练说球员在联赛比赛中表现很好，球队夺得冠军，球迷高兴。" * 3


@pytest.fixture(scope="module")
def made():
    segmenter = make_segmenter()
    return TopicMatrix(class_topics(2), segmenter), segmenter


def words_of(made, title="", body=""):
    return PageWords(tuple(made[1].words(title)), tuple(made[1].words(body)))


def test_chances_sum_to_one_and_the_best_comes_first(made):
    chances = made[0].chances(words_of(made, "中国队夺得乒乓球世界杯冠军", PAGE))
    best = made[0].best(words_of(made, "中国队夺得乒乓球世界杯冠军", PAGE), 3)
    assert chances.sum() == pytest.approx(1.0, abs=1e-5)
    assert [one.chance for one in best] == sorted(map(float, chances), reverse=True)[:3]
    assert class_topics(2)[best[0].place].clc == "G8"


@pytest.mark.parametrize(("title", "body"), [("球队夺冠", ""), ("", PAGE), ("球队夺冠", PAGE)])
def test_parts_sum_to_the_score(made, title, body):
    words = words_of(made, title, body)
    scores = made[0].scores(words)
    for one in made[0].best(words, 5):
        assert sum(one.parts.values()) == pytest.approx(float(scores[one.place]), abs=1e-5)


@pytest.mark.parametrize("title", ["", "qzxv", "!!!"])
def test_a_text_of_no_known_word_has_chances_too(made, title):
    assert made[0].chances(words_of(made, title)).sum() == pytest.approx(1.0, abs=1e-5)


def test_a_term_that_no_table_has_counts_by_its_parts(made):
    best = made[0].best(words_of(made, "爱沙尼亚语和莫尔多瓦语"), 1)
    assert class_topics(2)[best[0].place].clc == "H66"
