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


class Talker:
    """A node that is asked to work: it completes one host, tells, and asks for all that it has room for."""

    ROOM = 20

    def __init__(self, frontier, name):
        self.frontier, self.name, self.leases, self.pages = frontier, name, [], 0

    def talk(self, room=ROOM):
        done, self.leases = self.leases[:1], self.leases[1:]
        self.pages += len(done)
        work = Work([end for lease in done for end in ends(lease)])
        grant, _ = self.frontier.sync(work, self.name, room - len(self.leases) or -1, 1, 60)
        self.leases += grant.leases
        return grant


class TestHostsAreSharedByNeed:
    @pytest.fixture
    def three(self, nodes):
        """Who came first holds all 18 hosts of 60 URLs each."""
        talkers = [Talker(nodes(), name) for name in ("甲", "乙", "丙")]
        add(talkers[0].frontier, *(entry(n, host=f"{n % 18}.example") for n in range(1_080)))
        talkers[0].talk()
        assert len(talkers[0].leases) == 18
        return talkers

    @pytest.mark.parametrize("speeds", [(1, 1, 1), (5, 1, 1)], ids=["all as fast", "the first five times as fast"])
    def test_each_node_works_and_holds_its_share(self, three, clock, speeds):
        for _ in range(25):
            clock.now += 0.1
            for talker, speed in zip(three, speeds, strict=True):
                for _ in range(speed):
                    talker.talk()
        assert {len(talker.leases) for talker in three} == {6}
        assert min(talker.pages for talker in three) > 15

    def test_what_nobody_needs_goes_to_who_has_room(self, three, clock):
        """One takes two hosts at most, one has fallen away: its six come back when its leases end."""
        first, small, gone = three
        for _ in range(25):
            clock.now += 0.1
            for talker, room in ((first, 20), (small, 2), (gone, 20)):
                talker.talk(room)
        assert [len(talker.leases) for talker in three] == [8, 2, 8]
        for _ in range(20):
            clock.now += 0.1
            first.talk()
            small.talk(2)
        assert [len(talker.leases) for talker in three] == [8, 2, 8]
        clock.now += 58.5
        for _ in range(3):
            first.talk()
            small.talk(2)
        assert len(first.leases) == 16

    def test_the_crawl_ends(self, three, clock):
        waits = []
        for _ in range(600):
            clock.now += 0.1
            grants = [talker.talk() for talker in three]
            waits += [grant.wait_seconds for talker, grant in zip(three, grants, strict=True) if not talker.leases]
        assert all(grant.exhausted for grant in grants)
        assert sum(talker.pages for talker in three) == 1_080
        assert 0.0 not in waits  # nobody asks without end for what is another's
