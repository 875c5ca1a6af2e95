"""What a node says of itself, under a name that people can type; which nodes are there."""

from __future__ import annotations

import pytest

from topicspider.errors import ConfigError
from topicspider.frontier.heartbeat import (
    LONGEST_NAME,
    RATE_SECONDS,
    Heartbeat,
    RateMeter,
    check_name,
    cluster_status_of,
)


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"pages": "many"}', '{"pages": null}'])
def test_what_cannot_be_read_is_a_node_all_the_same(text):
    assert Heartbeat.read(text, "alpha-1f") == Heartbeat("alpha-1f")


@pytest.mark.parametrize("name", ["two words", "a/b", "A" * (LONGEST_NAME + 1), "a\n", "节点！", "a,b"])
def test_other_names_are_refused_with_what_is_allowed(name):
    with pytest.raises(ConfigError, match=r"TOPICSPIDER_NODE.*up to 40 letters"):
        check_name(name)


def test_the_pace_is_that_of_the_last_minute():
    now = [0.0]
    pace = RateMeter(lambda: now[0])
    assert pace.look(0) == 0.0
    pages = 0
    for _ in range(24):
        now[0] += 5.0
        pages += 50
        assert pace.look(pages) == pytest.approx(10.0)
    for _ in range(int(RATE_SECONDS / 5)):
        now[0] += 5.0
        rate = pace.look(pages)
    assert rate == 0.0


def told(seconds: float, asked: str = "", **fields) -> tuple[float, str, str]:
    return seconds, Heartbeat(**{"name": "n", "lease": 60.0, **fields}).text(), asked


@pytest.mark.parametrize(
    ("seconds", "said", "hosts", "state"),
    [
        (1.0, "working", ["甲.example:80"], "working"),
        (1.0, "working", [], "idle"),
        (1.0, "draining", ["甲.example:80"], "draining"),
        (1.0, "draining", [], "draining"),
        (16.0, "working", ["甲.example:80"], "silent"),
        (61.0, "working", ["甲.example:80"], "gone"),
        (61.0, "draining", [], "gone"),
        (9_000.0, "ended", [], "ended"),
        (-3.0, "working", [], "idle"),  # the server's clock was set back
    ],
)
def test_the_state_of_a_node(seconds, said, hosts, state):
    (node,) = cluster_status_of({"n-1": told(seconds, state=said)}, [(host, "n-1") for host in hosts]).nodes
    assert node.state == state
    assert node.is_there == (state in ("working", "idle", "draining"))
    assert list(node.hosts) == hosts


def test_those_that_are_there_come_first_and_one_that_was_replaced_is_left_out():
    register = cluster_status_of(
        {
            "b-2": told(1.0, name="b"),
            "a-1": told(900.0, name="a"),
            "c-1": told(70.0, name="c"),
            "a-2": told(1.0, name="a"),
            "b-1": told(500.0, name="b", state="ended"),
            "d-1": told(300.0, name="d"),
        },
        [("甲.example:80", "d-1")],
    )
    assert [node.key for node in register.nodes] == ["a-2", "b-2", "c-1", "d-1"]


def test_who_is_gone_or_has_ended_is_not_called_and_who_is_silent_is():
    register = cluster_status_of(
        {"a-1": told(99.0, name="a"), "b-1": told(1.0, name="b", state="ended"), "c-1": told(20.0, name="c")}, []
    )
    assert [register.called(name) != [] for name in "abc"] == [False, False, True]
