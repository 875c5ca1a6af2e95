"""Several nodes at one crawl in Redis: one holder a host, the limits of who came last, all there again, one call."""

from __future__ import annotations

import pytest
import redis

from tests.frontier.drive import add, drain, ends, entry, finish, take
from topicspider.frontier.protocol import Counts, End, HostTiming, Work

A, B, C = "甲.example:80", "乙.example:80", "丙.example:443"


class TestPromise4F2OneHolderAHost:
    def test_no_host_is_with_two_nodes(self, nodes):
        first, second = nodes(), nodes()
        add(first, *(entry(n, host=f"{n % 9}.example") for n in range(90)))
        mine = first.acquire("first", 5, 3, 60).leases
        others = second.acquire("second", 9, 3, 60).leases
        assert (len(mine), len(others)) == (5, 4)
        assert not {lease.host for lease in mine} & {lease.host for lease in others}
        assert first.acquire("first", 1, 1, 60).reason == second.acquire("second", 1, 1, 60).reason == "leased"


class TestPromise5F8MaxPages:
    def test_the_limit_is_the_crawls_that_of_who_came_last(self, nodes):
        first = nodes(max_pages=2)
        add(first, *(entry(n) for n in range(9)))
        assert len(drain(first)) == 2
        nodes(max_pages=5)
        assert len(drain(first)) == 3


class TestReopening:
    def test_f1_everything_is_there_again(self, nodes, clock):
        frontier = nodes(attempts=1)
        given = entry(1, 0.25, A, depth=3, referrer="http://来.example/", payload='{"cb": "解析"}', model=9)
        add(frontier, given, *(entry(n, 0.1, A) for n in range(2, 6)), entry(9, 0.9, B), entry(10, 0.8, C))
        finish(frontier, take(frontier).leases)
        finish(frontier, take(frontier).leases, End.FAILED, "超时")
        frontier.set_meta("topic", "旅游")
        frontier.close()
        frontier = nodes(attempts=1)
        assert frontier.counts() == Counts(queued=5, done=1, dead=1, pages=1, hosts=3)
        assert frontier.meta("topic") == "旅游"
        assert take(frontier).leases[0].entries == (given,)
        assert add(frontier, entry(9, host=B), entry(10, host=C)) == 0


class TestF6OneCall:
    @pytest.fixture
    def calls(self, redis_url):
        """How many commands reached the server, those inside of scripts not counted."""
        with redis.Redis.from_url(redis_url) as client:

            def count():
                stats = client.info("commandstats")
                return {name: stats.get(f"cmdstat_{name}", {}).get("calls", 0) for name in ("evalsha", "eval")}

            yield count

    def test_acquire_apply_and_turn_are_one_program_each_whatever_they_carry(self, nodes, calls):
        node = nodes()
        links = [entry(n, n / 1e4, f"{n % 50}.example") for n in range(2_000)]
        before = calls()
        assert add(node, *links) == 2_000
        leases = node.acquire("n", 8, 4, 60).leases
        assert sum(len(lease.entries) for lease in leases) == 32
        done = [one for lease in leases for one in ends(lease)]
        timings = {lease.host: HostTiming(0.0, 0.1, 0.2) for lease in leases}
        more = [entry(n, host="z.example") for n in range(5_000, 5_050)]
        work = Work(done, more, [(links[3].fingerprint, 2.0)], [(links[4].fingerprint, 0.1)], timings)
        grant, counts = node.sync(work, "n", 8, 4, 60)
        assert calls() == {"evalsha": before["evalsha"] + 3, "eval": before["eval"]}
        assert (len(grant.leases), counts) == (8, node.counts())
        assert counts == Counts(queued=2_050 - 64, leased=32, done=32, pages=32, hosts=51)

    def test_turn_renews_what_goes_on(self, nodes, clock):
        node = nodes()
        add(node, entry(1, host=A), entry(2, host=B))
        (first, second) = node.acquire("n", 2, 1, 5).leases
        clock.now += 4
        node.sync(Work(ends(first)), "n", 0, 1, 5)
        clock.now += 4
        node.sync(Work(), "n", 0, 1, 5)
        assert node.counts() == Counts(leased=1, done=1, pages=1, hosts=2)
        finish(node, [second])
        assert node.counts().done == 2
