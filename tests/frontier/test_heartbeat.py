"""What a node says of itself: bounded, readable whoever wrote it, under a name that people can type."""

from __future__ import annotations

import pytest

from topicspider.errors import ConfigError
from topicspider.frontier.heartbeat import LONGEST_NAME, RATE_SECONDS, Heartbeat, RateMeter, check_name


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"pages": "many"}', '{"state": 5}', '{"pages": null}'])
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
    assert pace.is_whole
    for _ in range(int(RATE_SECONDS / 5)):
        now[0] += 5.0
        rate = pace.look(pages)
    assert rate == 0.0
    assert not RateMeter(lambda: now[0]).is_whole
