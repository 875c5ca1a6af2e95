"""What a node says of itself: bounded, readable whoever wrote it, under a name that people can type."""

from __future__ import annotations

import os
import socket

import pytest

from topicspider.errors import ConfigError
from topicspider.frontier.heartbeat import LONGEST_NAME, RATE_SECONDS, Heartbeat, RateMeter, check_name, node_name


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"pages": "many"}', '{"state": 5}', '{"pages": null}'])
def test_what_cannot_be_read_is_a_node_all_the_same(text):
    assert Heartbeat.read(text, "alpha-1f") == Heartbeat("alpha-1f")


@pytest.mark.parametrize("name", ["alpha", "node-01", "北京.机房_2", "A" * LONGEST_NAME, ""])
def test_names_that_a_node_may_have(name):
    assert check_name(name) == name


@pytest.mark.parametrize("name", ["two words", "a/b", "A" * (LONGEST_NAME + 1), "a\n", "节点！", "a,b"])
def test_other_names_are_refused_with_what_is_allowed(name):
    with pytest.raises(ConfigError, match=r"TOPICSPIDER_NODE.*up to 40 letters"):
        check_name(name)


@pytest.mark.parametrize("machine", ["worker 7!", "", "m" * 300, "机器"])
def test_without_a_name_it_is_the_machine_and_the_process(machine, monkeypatch):
    monkeypatch.setattr(socket, "gethostname", lambda: machine)
    name = node_name()
    assert name.endswith(f"-{os.getpid()}")
    assert check_name(name)
    assert node_name("given") == "given"


def test_the_pace_is_that_of_the_last_minute():
    now = [0.0]
    pace = RateMeter(lambda: now[0])
    assert pace.look(0) == 0.0
    pages = 0
    for _ in range(24):
        now[0] += 5.0
        pages += 50
        assert pace.look(pages) == pytest.approx(10.0)
    assert pace.is_whole
    for _ in range(int(RATE_SECONDS / 5)):
        now[0] += 5.0
        rate = pace.look(pages)
    assert rate == 0.0
    assert not RateMeter(lambda: now[0]).is_whole
