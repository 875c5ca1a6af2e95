"""A state finds the learner it came from, and no other."""

from __future__ import annotations

import json

import pytest

from tests.steering.fakes import CountingLearner, view
from topicspider.relevance.interfaces import InlineFits
from topicspider.steering.model_sync import add_examples, drain_examples, pack, unpack, version_of


def learner(**examples):
    one = CountingLearner(executor=InlineFits())
    for word, outcomes in examples.items():
        for outcome in outcomes:
            one.see(word, outcome)
    return one


def test_each_topic_gets_its_own_back():
    taught = [view(learner(景点=[1, 1, 0]), "旅游"), view(learner(菜谱=[1]), "美食")]
    fresh = [view(learner(), "美食"), view(learner(), "旅游")]
    assert unpack(fresh, pack(taught, "17-0")) == ("17-0", [])
    assert fresh[1].policy.worth("景点") == pytest.approx(2 / 3, abs=1e-6)
    assert fresh[0].policy.worth("菜谱") == 1.0
    assert version_of(fresh[::-1]) == version_of(taught)


@pytest.mark.parametrize(
    ("topic", "digest", "name", "noted"),
    [("旅游", "乙", "counting", 1), ("旅游", "甲", "other", 1), ("美食", "甲", "counting", 0)],
)
def test_another_version_policy_or_topic_adopts_nothing(topic, digest, name, noted):
    state = pack([view(learner(景点=[1]))])
    other = learner()
    other.name = name
    _, notes = unpack([view(other, topic, digest)], state)
    assert (other.fits, len(notes)) == (0, noted)


@pytest.mark.parametrize(
    "state", [b"", b"{", b"[]", b'{"format": 9}', b'{"format": 1}', b'{"format":1,"cursor":"","states":[7]}']
)
def test_what_is_no_state_is_a_note_and_nothing_else(state):
    one = learner(景点=[1])
    before = one.version
    _, notes = unpack([view(one)], state)
    assert len(notes) == 1
    assert one.version == before


def test_examples_reach_the_same_kind_of_learner_on_another_node():
    one, other = learner(景点=[1, 0]), learner(景点=[0])
    news = drain_examples([view(one)])
    assert (len(news), drain_examples([view(one)])) == (2, [])
    add_examples([view(other)], [*news, "{", "7", '["旅游"]', json.dumps(["旅游", "甲", "links", "other", "x"])])
    assert other.worth("景点") == pytest.approx(1 / 3, abs=1e-6)
    add_examples([view(other, digest="乙")], news)
    assert len(other.examples) == 3
