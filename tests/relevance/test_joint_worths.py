"""A link is worth what the best topic gives for it, whoever changes its mind."""

from __future__ import annotations

from topicspider.evaluation import MultiTopicScores
from topicspider.relevance.interfaces import LinkScore


def scored(*values):
    return [LinkScore(0.0, "low_rw") if value is None else LinkScore(value) for value in values]


def test_with_one_topic_its_word_is_the_last():
    worths = MultiTopicScores(1)
    worths.judged([1], [scored(0.9)])
    assert worths.revised([[(1, 0.1), (7, 0.3)]]) == [(1, 0.1), (7, 0.3)]


def test_a_topic_cannot_lower_a_link_below_what_another_gives():
    worths = MultiTopicScores(2)
    worths.judged([1, 2], [scored(0.9, 0.2), scored(0.5, None)])
    assert worths.revised([[(1, 0.1), (2, 0.05)], []]) == [(1, 0.5), (2, 0.05)]
    assert worths.revised([[], [(1, 0.01)]]) == [(1, 0.1)]
    assert worths.revised([[(1, 0.7)], [(1, 0.6)]]) == [(1, 0.7)]


def test_what_one_topic_pruned_is_the_others_alone():
    worths = MultiTopicScores(2)
    worths.judged([1, 2], [scored(None, None), scored(0.5, None)])
    assert worths.revised([[], [(1, 0.1), (2, 0.9)]]) == [(1, 0.1)]


def test_the_best_of_several_verdicts_and_promotions_counts():
    worths = MultiTopicScores(2)
    worths.judged([1, 1], [scored(0.2, 0.4), scored(0.3, 0.1)])
    worths.promoted([[(1, 0.6)], [(9, 0.9)]])
    assert worths.revised([[], [(1, 0.0)]]) == [(1, 0.6)]


def test_links_that_were_forgotten_are_left_as_they_are():
    worths = MultiTopicScores(2, capacity=2)
    for mark in (1, 2, 3):
        worths.judged([mark], [scored(0.5), scored(0.4)])
    assert worths.revised([[(1, 0.1), (2, 0.1)], []]) == [(2, 0.4)]
