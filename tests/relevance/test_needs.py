"""What topics of one crawl still need, and links that count by it."""

from __future__ import annotations

import pytest

from topicspider.judging import Needs
from topicspider.link_pruning import MultiTopicScores
from topicspider.relevance.interfaces import LinkScore


def test_a_topic_with_more_hits_needs_less_when_all_are_to_find_alike():
    needs = Needs(3, even=True)
    needs.note([0, 0, 0, 1])
    assert needs.shares == pytest.approx([0.25, 0.5, 1.0])


def test_a_topic_that_has_its_hits_needs_nothing_until_all_are_met():
    needs = Needs(2, even=False, per_topic=2)
    needs.note([0, 0])
    assert (needs.shares, needs.are_met) == ([0.0, 1.0], False)
    needs.note([1, 1])
    assert (needs.shares, needs.are_met) == ([0.0, 0.0], True)


def test_the_neediest_topic_has_the_fewest_hits_of_those_asked_for():
    needs = Needs(4, even=True)
    needs.note([1, 1, 2, 3, 3])
    assert needs.neediest([0, 1, 2, 3]) == 0
    assert needs.neediest([3, 2, 1]) == 2


def test_a_link_is_worth_the_best_of_its_topics_by_what_they_need():
    needs = [0.5, 1.0]
    values = MultiTopicScores(2, needs=needs)
    first = values.weighed(0, [LinkScore(0.8)])
    assert [score.value for score in first] == [0.4]
    values.add([7], {0: first, 1: [LinkScore(0.3)]})
    assert values.revise({1: values.by_need(1, [(7, 0.2)])}) == [(7, 0.4)]
    assert values.revise({1: [(7, 0.6)]}) == [(7, 0.6)]


def test_topics_that_are_not_asked_keep_their_value():
    values = MultiTopicScores(300)
    values.add([7], {4: [LinkScore(0.9)], 9: [LinkScore(0.1, "low_rw")]})
    values.add([7], {200: [LinkScore(0.2)]})
    assert values.revise({200: [(7, 0.1), (8, 0.5)]}) == [(7, 0.9)]


def test_the_target_of_a_redirect_has_the_values_of_the_link():
    values = MultiTopicScores(3)
    values.add([7, 8], {0: [LinkScore(0.9), LinkScore(0.1)], 1: [LinkScore(0.2), LinkScore(0.4)]})
    values.redirected(7, 8)
    assert values.revise({0: [(8, 0.3)], 2: [(7, 1.0)]}) == [(8, 0.4)]
    assert values.revise({1: [(8, 0.1)]}) == [(8, 0.3)]
    values.redirected(7, 9)
    assert values.revise({1: [(9, 0.1)]}) == []
