"""Lua works out what Python does: the server policies, averages, and 64-bit numbers (traps included)."""

from __future__ import annotations

import json
import math
import random

import pytest
import redis

from tests.frontier.drive import add, entry, take
from tests.frontier.test_policies import GOLDEN, GOLDEN_OF_HOSTS_THAT_DIFFER
from topicspider.frontier.host_ranking import (
    SERVER_RANKS,
    HostView,
)
from topicspider.frontier.redis.connection import lua


@pytest.fixture(scope="module")
def answer(redis_url):
    """Runs a piece of Lua with the program's parts before it; numbers come back as JSON."""
    with redis.Redis.from_url(redis_url) as client:

        def run(code, *arguments):
            program = lua("state") + "\nlocal given = cjson.decode(ARGV[1])\n" + code
            return client.eval(program, 1, "totals", json.dumps(arguments))

        yield run


def exact(value: float | None) -> float:
    return -1.0 if value is None else value


@pytest.mark.parametrize("policy", list(SERVER_RANKS))
def test_ranks_are_the_same_to_a_millionth_and_mostly_to_the_bit(answer, policy):
    rng = random.Random(1)
    made = [
        (rng.randint(1, 90), rng.random(), rng.random() * 50, rng.randrange(9999), rng.random() * 3, rng.random() * 9, rng.randint(1, 100))
        for _ in range(200)
    ]  # fmt: skip
    views = [HostView(*host) for host in [*(host for host, _ in [*GOLDEN, *GOLDEN_OF_HOSTS_THAT_DIFFER]), *made]]
    times = [(exact(v.connect_seconds), exact(v.response_seconds)) for v in views]
    given = [
        [v.queued, v.best, v.next_sum, v.entered, *both, v.requests_per_connection] for v, both in zip(views, times, strict=True)
    ]  # fmt: skip
    code = """
        local told = {}
        for _, h in ipairs(given[2]) do
            told[#told + 1] = string.format('%.17g', rank_of(given[1], h[1], h[2], h[3], h[4], h[5], h[6], h[7]))
        end
        return told
    """
    ranks = [float(rank) for rank in answer(code, policy, given)]
    assert ranks == pytest.approx([SERVER_RANKS[policy](view) for view in views], abs=1e-6, rel=1e-12)


class TestTraps:
    """What a script does to numbers when nobody is careful."""

    @pytest.mark.parametrize("number", [9007199254740993, -9007199254740993, 2**63 - 1, -(2**63), -1, 0])
    def test_fingerprints_come_back_whole(self, redis_crawls, number):
        frontier = redis_crawls.open()
        near = [number + step for step in (-1, 0, 1) if -(2**63) <= number + step < 2**63]
        assert add(frontier, *(entry(one) for one in near)) == len(near)
        leases = take(frontier, urls_per_host=9).leases
        assert sorted(one.fingerprint for lease in leases for one in lease.entries) == sorted(near)
        assert frontier.known([*near, 12345]) == set(near)
        frontier.close()

    @pytest.mark.parametrize("micros", [0, 1, -1, 970_000, 999_999, 123_456_789_012, math.inf, -math.inf])
    def test_scores_come_back_whole(self, redis_crawls, micros):
        frontier = redis_crawls.open()
        add(frontier, entry(1, micros / 1e6))
        expected = max(-1e10, min(1e10, micros / 1e6))
        assert [one.score for one in frontier.peek()] == [expected]
        frontier.close()
