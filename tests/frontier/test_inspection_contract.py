"""The promises of Inspection, by number, on every frontier."""

from __future__ import annotations

import math

import pytest

from tests.frontier.drive import add, drain, entry, finish, rest, take
from tests.frontier.inspecting import ALONE, opened_pairs  # noqa: F401
from topicspider.errors import ConfigError, CrawlRunning
from topicspider.frontier.inspection import DeadUrl, DoneUrls, Fact, HostState
from topicspider.frontier.protocol import Counts, End, HostTiming, Work

A, B, C = "甲.example:80", "乙.example:80", "丙.example:443"


@pytest.fixture
def pair(opened):
    return opened()


def marks(entries):
    return [one.fingerprint for one in entries]


def states(inspection):
    return {one.host: one for one in inspection.hosts()}


def kill_one(frontier, number, host=A, score=1e6, **fields):
    """Have a URL fail until it is dead (the frontier tries once)."""
    add(frontier, entry(number, score, host, **fields))
    finish(frontier, take(frontier).leases, End.FAILED, "超时")


def a_bit_of_everything(frontier):
    """Queued, leased, done, dead; pages, rests, times, facts."""
    kill_one(frontier, 90, B, depth=2, referrer="http://来.example/", payload='{"cb": "解析"}', model=3)
    add(frontier, *(entry(n, n / 10, (A, B, C)[n % 3], depth=1) for n in range(9)))
    finish(frontier, take(frontier).leases)
    finish(frontier, take(frontier).leases, End.NO_PAGE, "http_404")
    frontier.apply(Work(timings={C: HostTiming(30, 0.25, 0.5)}))
    frontier.set_meta("topic", "旅游")
    return take(frontier).leases


class TestPromise1And2Looking:
    def test_an_empty_frontier_has_nothing(self, pair):
        _, inspection = pair
        assert inspection.counts() == Counts()
        assert [*inspection.hosts(), *inspection.top(5), *inspection.bottom(5)] == []
        assert (inspection.dead(), list(inspection.records())) == ([], [])

    def test_a_host_tells_all_that_is_known_of_it(self, pair):
        frontier, inspection = pair
        add(frontier, entry(1, 0.5), entry(2, 0.25), entry(3, 0.75))
        finish(frontier, take(frontier).leases)
        name = entry(1).host
        frontier.apply(Work(timings={name: HostTiming(30, 0.25, 0.5, 7)}))
        inspection.set_delay(name, 7)
        expected = HostState(name, queued=2, pages=1, best=0.5, rest_seconds=30, delay_seconds=7)
        assert states(inspection)[name] == expected
        assert list(inspection.hosts()) == [expected]

    def test_looking_changes_nothing(self, opened):
        orders = []
        for look in (False, True):
            frontier, inspection = opened(attempts=1)
            finish(frontier, a_bit_of_everything(frontier), End.RELEASED)
            if look:
                _ = [*inspection.hosts(), *inspection.records(), *inspection.top(9), *inspection.bottom(9)]
            orders.append((frontier.counts(), drain(frontier)))
        assert orders[0] == orders[1]


class TestPromise3TopAndBottom:
    def test_over_all_hosts_whether_they_rest_are_blocked_or_not(self, pair):
        frontier, inspection = pair
        add(frontier, *(entry(n, n / 100, (A, B, C)[n % 3]) for n in range(30)))
        rest(frontier, A, 60)
        inspection.block([B])
        assert marks(inspection.top(4)) == [29, 28, 27, 26]
        assert marks(inspection.bottom(3)) == [0, 1, 2]
        assert marks(inspection.top(100)) == marks(inspection.bottom(100))[::-1] == list(range(29, -1, -1))

    def test_equal_scores_are_in_the_order_in_which_they_leave(self, opened):
        frontier, inspection = opened(seed=5)
        add(frontier, *(entry(n, 0.5) for n in range(20)))
        top, bottom = marks(inspection.top(20)), marks(inspection.bottom(20))
        assert top == bottom[::-1] == drain(frontier)


class TestPromise4Leases:
    @pytest.mark.parametrize("kind", ALONE)
    def test_who_holds_what_for_how_long(self, opened, kind, clock):
        frontier, inspection = opened(kind)
        add(frontier, entry(1, 0.9, A), entry(2, 0.8, A), entry(3, 0.7, B))
        frontier.acquire("节点-1", 1, 2, 60)
        clock.now += 20
        frontier.acquire("节点-2", 1, 1, 30)
        found = {one.host: one for one in inspection.leases()}
        assert (found[A].node, found[A].seconds_left, len(found[A].urls)) == ("节点-1", 40, 2)
        assert (found[B].node, found[B].seconds_left, found[B].urls) == ("节点-2", 30, (entry(3, host=B).url,))
        assert (states(inspection)[A].leased, states(inspection)[A].queued) == (2, 0)


class TestPromise5Dead:
    def test_newest_first_with_reason_and_entry(self, opened):
        frontier, inspection = opened(attempts=1)
        kill_one(frontier, 1, score=0.5, depth=4, payload='{"a": "甲"}', referrer="http://来.example/", model=2)
        kill_one(frontier, 2, score=0.25)
        first = entry(1, 0.5, A, depth=4, payload='{"a": "甲"}', referrer="http://来.example/", model=2, attempts=1)
        assert inspection.dead() == [DeadUrl(entry(2, 0.25, A, attempts=1), "超时"), DeadUrl(first, "超时")]
        assert states(inspection)[A].dead == 2


class TestPromise6Blocking:
    def test_a_blocked_host_is_not_leased_until_it_is_unblocked(self, pair):
        frontier, inspection = pair
        add(frontier, entry(1, 0.9, A), entry(2, 0.1, B))
        assert inspection.block([A]) == 1
        assert inspection.block([A, A]) == 0
        assert [lease.host for lease in take(frontier, hosts=2).leases] == [B]
        assert (states(inspection)[A].is_blocked, states(inspection)[A].queued) == (True, 1)
        assert inspection.unblock([A, B]) == 1
        assert [lease.host for lease in take(frontier, hosts=2).leases] == [A]

    def test_what_is_leased_can_be_completed(self, pair):
        frontier, inspection = pair
        add(frontier, entry(1, 0.9, A), entry(2, 0.8, A))
        leases = take(frontier).leases
        inspection.block([A])
        grant = take(frontier)
        assert (grant.leases, grant.reason, grant.exhausted, grant.wait_seconds) == ((), "blocked", False, None)
        finish(frontier, leases)
        assert frontier.counts().pages == 1
        assert take(frontier).exhausted

    def test_a_block_does_not_shorten_a_rest(self, pair, clock):
        frontier, inspection = pair
        add(frontier, entry(1, host=A))
        rest(frontier, A, 30)
        inspection.block([A])
        clock.now += 10
        inspection.unblock([A])
        grant = take(frontier)
        assert (grant.reason, grant.wait_seconds) == ("resting", 20)


class TestPromise7ACrawlWithBlockedHostsEnds:
    def test_blocked_hosts_alone_exhaust_it(self, pair):
        frontier, inspection = pair
        add(frontier, entry(1, host=A))
        inspection.block([A])
        grant = take(frontier)
        assert (grant.reason, grant.exhausted, grant.wait_seconds) == ("blocked", True, None)


class TestPromise8Delays:
    def test_the_longer_of_delay_and_rest_counts(self, pair, clock):
        frontier, inspection = pair
        add(frontier, entry(1, host=A))
        inspection.set_delay(A, 10)
        for asked, expected in ((0.0, 10), (3.0, 10), (25.0, 25), (math.nan, 10)):
            clock.now += 1000
            rest(frontier, A, asked)
            assert take(frontier, hosts=0).wait_seconds == expected, asked

    @pytest.mark.parametrize("seconds", [-1, math.nan, math.inf, 86_401])
    def test_what_is_no_delay_is_an_error(self, pair, seconds):
        with pytest.raises(ConfigError, match="delay"):
            pair[1].set_delay(A, seconds)
        assert states(pair[1]) == {}


class TestPromise9Reviving:
    def test_as_if_never_tried(self, opened):
        frontier, inspection = opened(attempts=1)
        kill_one(frontier, 1, score=0.5, depth=4, payload='{"a": "甲"}')
        kill_one(frontier, 2, score=0.25)
        assert inspection.revive([1, 2]) == 2
        assert inspection.top(5) == [entry(1, 0.5, A, depth=4, payload='{"a": "甲"}'), entry(2, 0.25, A)]
        assert frontier.counts() == Counts(queued=2, hosts=1)
        assert inspection.revive([1, 2]) == 0
        assert drain(frontier) == [1, 2]

    def test_only_those_named(self, opened):
        frontier, inspection = opened(attempts=1)
        for number in range(1, 5):
            kill_one(frontier, number)
        assert inspection.revive([2, 3, 77]) == 2
        assert inspection.revive([]) == 0
        assert sorted(marks(inspection.top(9))) == [2, 3]
        assert marks(one.entry for one in inspection.dead()) == [4, 1]


class TestPromises10And11Records:
    @pytest.mark.parametrize("kind", ALONE)
    def test_an_empty_frontier_becomes_the_same(self, opened, kind):
        frontier, inspection = opened(attempts=1)
        finish(frontier, a_bit_of_everything(frontier), End.RELEASED)
        inspection.block([A])
        inspection.set_delay(B, 4)
        other, target = opened(kind, attempts=1)
        assert target.take_in(inspection.records()) == 10
        assert other.counts() == Counts(queued=7, done=2, dead=1, pages=1, hosts=3)
        assert other.known([*range(9), 90, 91]) == {*range(9), 90}
        assert target.dead() == inspection.dead()
        assert other.meta("topic") == "旅游"
        ours, theirs = states(inspection), states(target)
        for name, state in ours.items():
            assert theirs[name] == state

    @pytest.mark.parametrize("kind", ALONE)
    def test_what_was_cut_off_can_be_taken_in_again(self, opened, kind):
        frontier, inspection = opened(attempts=1)
        finish(frontier, a_bit_of_everything(frontier), End.RELEASED)
        everything = list(inspection.records())
        _, whole = opened(kind, attempts=1)
        whole.take_in(everything)
        for cut in range(len(everything)):
            _, target = opened(kind, attempts=1)
            target.take_in(everything[:cut])
            for record in everything:
                target.take_in([record])
            assert (target.counts(), states(target), target.top(99)) == (whole.counts(), states(whole), whole.top(99))

    @pytest.mark.parametrize("kind", ALONE)
    def test_what_is_known_stays_as_it_is(self, opened, kind):
        other, target = opened(kind, attempts=1)
        add(other, entry(1, 0.9), entry(4, 0.2))
        finish(other, take(other).leases)
        kill_one(other, 2)
        other.set_meta("topic", "茶")
        given = [
            entry(1, 5.0),
            entry(2, 5.0),
            entry(4, 0.1, depth=9),
            DeadUrl(entry(4), "x"),
            DoneUrls((1, 2, 4)),
            Fact("topic", "旅游"),
        ]
        assert target.take_in(given) == 0
        assert (other.counts(), other.meta("topic")) == (Counts(queued=1, done=1, dead=1, pages=1, hosts=2), "茶")
        assert target.top(5) == [entry(4, 0.2)]
        target.take_in([entry(4, 0.8)])
        assert target.top(5) == [entry(4, 0.8)]

    @pytest.mark.parametrize("kind", ALONE)
    def test_of_hosts_the_larger_number_counts(self, opened, kind):
        other, target = opened(kind)
        target.take_in([HostState(A, pages=3, delay_seconds=5, rest_seconds=60)])
        target.take_in([HostState(A, pages=2, delay_seconds=9, rest_seconds=30, is_blocked=True)])
        target.take_in([HostState(A, queued=7, leased=7, dead=7, best=1.0)])
        expected = HostState(A, pages=3, delay_seconds=9, rest_seconds=60, is_blocked=True)
        assert states(target)[A] == expected
        assert other.counts() == Counts(pages=3, hosts=1)

    @pytest.mark.parametrize("kind", ALONE)
    def test_pages_taken_in_count_for_max_pages(self, opened, kind):
        other, target = opened(kind, max_pages=3)
        target.take_in([HostState(A, pages=2), entry(1, host=B), entry(2, host=C)])
        assert len(drain(other)) == 1
        assert take(other).reason == "max_pages"

    def test_beside_a_crawl_nothing_is_taken_in(self, opened):
        _, inspection = opened("sqlite-beside")
        with pytest.raises(CrawlRunning, match="running already"):
            inspection.take_in([entry(1)])
