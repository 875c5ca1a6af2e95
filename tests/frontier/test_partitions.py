"""A crawl over two Redis masters: one away and back, limits over both, and its end."""

from __future__ import annotations

import random
import time
from contextlib import closing
from pathlib import Path

import pytest
import redis

from tests.frontier.drive import add, drain, ends, entry, finish, take
from tests.frontier.masters import hosts_of
from topicspider.errors import FrontierUnavailable
from topicspider.frontier.node import FrontierNode
from topicspider.frontier.protocol import Counts, End, Entry, Work
from topicspider.frontier.redis import letters
from topicspider.frontier.redis.opening import inspect_in_redis
from topicspider.frontier.redis.parting import part_of

LEASE = 4.0  # nothing is given for so long after a restart


(A, *MORE_A), (B, *MORE_B) = hosts_of(0, 30), hosts_of(1, 30)


@pytest.fixture
def open_node(crawls):
    opened = []

    def one_more(**options):
        opened.append(crawls.open(**options))
        return opened[-1]

    yield one_more
    for frontier in opened:
        frontier.close()


def master_of(frontier, crawls, part):
    """The server process that has this part."""
    port = int(frontier._parts[part].frontier._connection._server.label.rpartition(":")[2])
    return next(master for master in crawls.masters if master.port == port)


def turn_until(frontier, wanted, work=None, node="n", hosts=4, seconds=20.0):
    """Turns until ``wanted`` says so of (grant, counts); the leases that were granted meanwhile."""
    deadline, leases = time.monotonic() + seconds, []
    while time.monotonic() < deadline:
        try:
            grant, counts = frontier.turn(work or Work(), node, hosts, 1, LEASE)
        except FrontierUnavailable:
            time.sleep(0.05)
            continue
        work = None
        leases += grant.leases
        if wanted(grant, counts):
            return leases
        time.sleep(0.05)
    raise AssertionError((grant, counts))


class TestOneAway:
    def test_f1_the_others_go_on_and_links_for_it_wait_as_letters(self, open_node, crawls):
        frontier = open_node()
        add(frontier, entry(1, host=A), entry(2, host=B))
        leases = {lease.host: lease for lease in frontier.turn(Work(), "n", 4, 1, LEASE)[0].leases}
        assert set(leases) == {A, B}
        away = master_of(frontier, crawls, 1)
        time.sleep(1.2)  # the log is synced each second
        away.kill()
        links = [entry(n, 0.5, (A, B)[n % 2]) for n in range(10, 20)]
        grant, counts = frontier.turn(Work(ends(leases[A]), links), "n", 4, 1, LEASE)
        assert [lease.host for lease in grant.leases] == [A], "its page is acknowledged, it is leased again"
        assert (counts.pages, counts.leased) == (1, 2)
        assert letters.count(frontier._parts[0].frontier) == 1
        assert frontier.outages[0] == 1
        for lease in grant.leases:
            frontier.turn(Work(ends(lease)), "n", -1, 1, LEASE)
        frontier.turn(Work(ends(leases[B])), "n", -1, 1, LEASE)
        assert not frontier.turn(Work(), "n", -1, 1, LEASE)[0].exhausted
        away.start()
        turn_until(frontier, lambda _, counts: counts.pages == 3 and letters.count(frontier._parts[0].frontier) == 0)
        assert frontier.known(range(10, 20)) == set(range(10, 20))
        assert frontier.known([1, 2]) == {1, 2}
        times, seconds = frontier.outages
        assert times == 1
        assert seconds > 0
        assert frontier.outages == (times, seconds), "it is over"
        assert FrontierNode(frontier, LEASE, 1).outages == (times, seconds)

    def test_f1_letters_of_a_node_that_died_are_delivered_by_another(self, open_node, crawls):
        dead, alive = open_node(), open_node()
        add(dead, entry(1, host=A))
        (lease,) = dead.turn(Work(), "dead", 1, 1, LEASE)[0].leases
        away = master_of(dead, crawls, 1)
        away.stop()
        dead.turn(Work(ends(lease), [entry(2, host=B)]), "dead", -1, 1, LEASE)
        dead.close()
        away.start()
        found = turn_until(alive, lambda grant, _: bool(grant.leases), node="alive")
        assert [lease.host for lease in found] == [B]

    def test_what_was_granted_before_all_went_away_is_not_forgotten(self, spread_crawls, monkeypatch):
        """A lease that nobody fetches, but that is renewed, would never end."""
        frontier = spread_crawls.open()
        add(frontier, *(entry(n, host=host) for n, host in enumerate([A, *MORE_A[:5]])))
        first, second = (part.frontier for part in frontier._parts)
        real, answered = first.exchange, []

        def away(*_, **__):
            raise FrontierUnavailable("redis", "away")

        def once(*given, **more):
            answered.append(real(*given, **more) if not answered else away())
            return answered[-1]

        with monkeypatch.context() as patched:
            patched.setattr(second, "exchange", away)
            patched.setattr(first, "exchange", once)
            granted = frontier.turn(Work(), "n", 4, 1, LEASE)[0].leases
            assert answered
            assert len(granted) == first.held_hosts("n") > 0
            with pytest.raises(FrontierUnavailable):
                frontier.turn(Work(), "n", 4, 1, LEASE)
        turn_until(frontier, lambda _, counts: counts.leased == 6)
        frontier.close()

    def test_after_a_long_outage_letters_are_delivered_a_few_at_a_time(self, spread_crawls, monkeypatch):
        """Leases are renewed by the same calls."""
        monkeypatch.setattr(letters, "AT_ONCE", 2)
        frontier = spread_crawls.open()
        keeper, part = (one.frontier for one in frontier._parts)
        for n in range(0, 300, 2):
            letters.leave(keeper, 1, [entry(n, 1, B), entry(n + 1, host=B)])
        letters.leave(keeper, 0, [entry(1_000, host=A)])
        assert letters.deliver(keeper, 1, part) == 2
        assert letters.count(keeper) == 149
        turn_until(frontier, lambda *_: letters.count(keeper) == 1)
        assert frontier.known(range(300)) == set(range(300))
        frontier.close()

    def test_f1_letters_are_carried_with_the_rest(self, spread_crawls):
        frontier = spread_crawls.open()
        add(frontier, entry(1, host=A))
        letters.leave(frontier._parts[0].frontier, 1, [entry(2, 0.5, B)])
        frontier.close()
        with closing(inspect_in_redis(spread_crawls.url, Path(spread_crawls.name) / "frontier.db")) as inspection:
            assert {one for one in inspection.records() if isinstance(one, Entry)} == {
                entry(1, host=A),
                entry(2, 0.5, B),
            }
            inspection.clear()
            assert not [one for one in inspection.records() if isinstance(one, Entry)]

    def test_f1_without_a_place_for_its_links_a_page_is_not_acknowledged(self, open_node, crawls, monkeypatch):
        frontier = open_node()
        add(frontier, entry(1, host=A))
        (lease,) = frontier.turn(Work(), "n", 1, 1, LEASE)[0].leases
        away = master_of(frontier, crawls, 1)
        away.stop()

        def full(*_):
            raise FrontierUnavailable("redis", "its memory is full")

        with monkeypatch.context() as patched:
            patched.setattr(letters, "leave", full)
            _, counts = frontier.turn(Work(ends(lease), [entry(2, host=B)]), "n", -1, 1, LEASE)
            assert (counts.leased, counts.pages) == (1, 0)
        away.start()
        turn_until(frontier, lambda _, counts: (counts.pages, counts.leased) == (1, 1))
        assert frontier.known([2]) == {2}

    def test_f1_links_are_told_before_the_end_of_their_page(self, open_node, monkeypatch):
        """Whichever of the two has the page: killed between two calls, a node has acknowledged nothing whose links are not there."""
        frontier = open_node()
        told = []
        for part in frontier._parts:
            real = part.frontier.exchange

            def spy(work, *rest, number=part.number, real=real, **more):
                told.append((number, len(work.entries), len(work.completions)))
                return real(work, *rest, **more)

            monkeypatch.setattr(part.frontier, "exchange", spy)
        add(frontier, entry(1, host=A), entry(2, host=B))
        leases = {lease.host: lease for lease in frontier.turn(Work(), "n", 2, 1, LEASE)[0].leases}
        told.clear()
        frontier.turn(Work(ends(leases[A]), [entry(3, host=A), entry(4, host=B)]), "n", -1, 1, LEASE)
        assert told == [(1, 1, 0), (0, 1, 1)]
        told.clear()
        more = take(frontier).leases
        told.clear()
        done = [*ends(leases[B]), *(one for lease in more for one in ends(lease))]
        frontier.turn(Work(done, [entry(5, host=A), entry(6, host=B)]), "n", -1, 1, LEASE)
        assert told == [(0, 1, 0), (1, 1, 1), (0, 0, 1)]

    def test_apply_says_that_one_is_away_and_may_be_told_again(self, open_node, crawls):
        frontier = open_node()
        add(frontier, entry(1, host=A), entry(2, host=B))
        done = [one for lease in take(frontier, hosts=2).leases for one in ends(lease)]
        away = master_of(frontier, crawls, 1)
        away.stop()
        work = Work(done, [entry(3, host=A), entry(4, host=B)])
        with pytest.raises(FrontierUnavailable, match=f"127.0.0.1:{away.port}"):
            frontier.apply(work)
        assert frontier._parts[0].frontier.counts() == Counts(queued=1, done=1, pages=1, hosts=1)
        assert not any(part.late for part in frontier._parts), "the caller keeps it"
        away.start()
        time.sleep(0.6)  # its pause
        frontier.apply(work)
        assert frontier.counts() == Counts(queued=2, done=2, pages=2, hosts=2)

    def test_all_away_is_one_error_and_nothing_is_told_twice_when_they_are_back(self, open_node, crawls):
        frontier = open_node()
        for master in crawls.masters:
            master.stop()
        work = Work(entries=[entry(1, host=A), entry(2, host=B)])
        for _ in range(3):
            with pytest.raises(FrontierUnavailable):
                frontier.turn(work, "n", 1, 1, LEASE)
        assert not any(part.late for part in frontier._parts), "the caller keeps it"
        with pytest.raises(FrontierUnavailable):
            frontier.counts()
        for master in crawls.masters:
            master.start()
        turn_until(frontier, lambda _, counts: counts.queued + counts.leased == 2, work)

    def test_it_is_said_once_when_it_goes_and_when_it_is_back(self, open_node, crawls, caplog):
        frontier = open_node()
        away = master_of(frontier, crawls, 0)
        away.stop()
        add(frontier, entry(1, host=B))
        for _ in range(5):
            frontier.turn(Work(), "n", 1, 1, LEASE)
            time.sleep(0.2)
        away.start()
        turn_until(frontier, lambda *_: not frontier._is_any_away())
        assert [message.partition(": ")[0] for message in caplog.messages] == [
            f"frontier redis 127.0.0.1:{away.port}",
            f"frontier redis 127.0.0.1:{away.port} answers again",
        ]

    def test_f2_a_lease_that_could_not_be_renewed_is_seen_by_its_host(self, open_node, crawls):
        frontier = open_node()
        add(frontier, entry(1, host=A), entry(2, host=B))
        frontier.turn(Work(), "n", 2, 1, LEASE)
        master_of(frontier, crawls, 1).stop()
        time.sleep(0.3)
        frontier.acquire("other", 0, 0, LEASE)
        frontier.turn(Work(), "n", -1, 1, 0.1)  # leases so short that renewals are due
        assert frontier.silent_seconds(A) < frontier.silent_seconds(B)
        assert frontier.silent_seconds(B) >= 0.3

    def test_a_server_is_silent_only_for_hosts_that_are_held(self, spread_crawls):
        """One of which nothing is held is not called, though nobody is away: downloads that have no lease go on."""
        frontier = spread_crawls.open()
        add(frontier, entry(1, host=A))
        (lease,) = frontier.turn(Work(), "n", 1, 1, LEASE)[0].leases
        for part in frontier._parts:
            part._renewed_at -= LEASE
        node = FrontierNode(frontier, LEASE, 1)
        assert [node.may_go_on(host) for host in (A, MORE_A[0], B)] == [False, True, True]
        finish(frontier, [lease])
        assert node.may_go_on(A)
        frontier.close()

    @pytest.mark.parametrize("is_emptied", [False, True])
    def test_epochs_are_those_of_each_server(self, open_node, crawls, is_emptied):
        """The restarted one gets a new epoch, the other's leases go on; what the emptied one was told of late is told again."""
        frontier = open_node(max_pages=50)
        add(frontier, entry(1, host=A), entry(2, host=B), entry(3, host=MORE_A[0]))
        leases = {lease.host: lease for lease in frontier.turn(Work(), "n", 9, 1, LEASE)[0].leases}
        server = master_of(frontier, crawls, 1)
        server.kill()
        if is_emptied:
            for file in (server.folder / "appendonlydir").iterdir():
                file.unlink()
        server.start()
        frontier.turn(Work(ends(leases[A])), "n", -1, 1, LEASE)
        turn_until(frontier, lambda *_: frontier.restarts == 1)
        assert frontier.known([1, 2, 3]) == {1, 2, 3}
        assert frontier.counts().pages == 1
        turn_until(frontier, lambda *_: True, Work(ends(leases[B])))
        add(frontier, entry(9, host=B))
        found = turn_until(frontier, lambda grant, _: any(lease.host == B for lease in grant.leases))
        assert frontier.counts().dead == 0, found
        crawls.open().close()  # it knows again what it is part of

    @pytest.mark.parametrize("part", [0, 1])
    def test_f8_a_server_that_was_emptied_gets_its_share_of_the_pages_again(self, open_node, crawls, part):
        frontier = open_node(max_pages=3)
        add(frontier, entry(1, host=A), entry(2, host=B))
        with redis.Redis.from_url(master_of(frontier, crawls, part).url) as client:
            client.flushall()
            client.script_flush()
        turn_until(frontier, lambda *_: frontier.restarts == 1)
        assert frontier._shares.limit() == 3
        add(frontier, *(entry(n, host=(A, B)[part]) for n in range(10, 20)))
        turn_until(frontier, lambda grant, _: any(lease.host == (A, B)[part] for lease in grant.leases))

    def test_f1_an_emptied_server_that_was_told_its_part_before_its_crawl_is_usable(self, open_node, crawls):
        frontier = open_node(max_pages=5)
        add(frontier, entry(1, host=A))
        with redis.Redis.from_url(master_of(frontier, crawls, 0).url) as client:
            client.flushall()
            client.script_flush()
        frontier._claim()
        frontier._shares.restore()
        turn_until(frontier, lambda *_: frontier.restarts == 1)
        assert frontier.known([1]) == {1}


class TestLimitsAndEnd:
    def test_f8_max_pages_is_exact_over_masters_and_nodes(self, spread_crawls):
        nodes = [spread_crawls.open(max_pages=23) for _ in range(3)]
        add(nodes[0], *(entry(n, host=f"{n % 40}.example") for n in range(400)))
        rng, held = random.Random(7), []
        for step in range(400):
            node = nodes[step % 3]
            held += [(node, lease) for lease in node.acquire(f"node-{step % 3}", 3, 2, 60).leases]
            counts = node.counts()
            assert counts.pages + counts.leased <= 23
            if held:
                worker, lease = held.pop(rng.randrange(len(held)))
                finish(worker, [lease], rng.choice([End.PAGE, End.PAGE, End.NO_PAGE, End.FAILED, End.RELEASED]))
        assert not held
        assert nodes[0].counts().pages == 23
        assert [(g.reason, g.exhausted) for g in (node.acquire("n", 1, 1, 60) for node in nodes)] == [
            ("max_pages", True)
        ] * 3
        for node in nodes:
            node.close()

    @pytest.mark.parametrize("part", [0, 1])
    def test_f8_all_pages_may_come_from_one_part(self, spread_crawls, part):
        frontier = spread_crawls.open(max_pages=9)
        add(frontier, *(entry(n, host=(A, B)[part]) for n in range(50)))
        assert len(drain(frontier)) == 9
        assert take(frontier).reason == "max_pages"
        frontier.close()

    def test_f8_a_lower_limit_than_before_gives_no_more_than_that(self, spread_crawls):
        first = spread_crawls.open(max_pages=10)
        add(first, *(entry(n, host=(A, B)[n % 2]) for n in range(50)))
        finish(first, take(first, urls_per_host=3).leases)
        pages = first.counts().pages
        second = spread_crawls.open(max_pages=pages + 1)
        assert len(drain(second)) == 1
        assert take(first).reason == "max_pages", "the limit is that of who came last"
        third = spread_crawls.open(max_pages=pages + 4)
        assert len(drain(first)) == 3
        for frontier in (first, second, third):
            frontier.close()

    def test_nobody_is_done_while_a_page_of_the_other_part_may_bring_links(self, spread_crawls):
        first, second = spread_crawls.open(), spread_crawls.open()
        add(first, entry(1, host=A))
        (lease,) = first.acquire("first", 1, 1, 60).leases
        assert not second.turn(Work(), "second", 1, 1, 60)[0].exhausted
        first.turn(Work(ends(lease), [entry(2, host=B)]), "first", -1, 1, 60)
        time.sleep(1.0)  # it was told a moment ago that there is nothing
        (other,) = second.turn(Work(), "second", 1, 1, 60)[0].leases
        finish(second, [other])
        assert first.acquire("first", 1, 1, 60).exhausted
        assert second.acquire("second", 1, 1, 60).exhausted
        first.close()
        second.close()

    def test_f1_what_comes_between_two_looks_is_seen(self, spread_crawls, monkeypatch):
        """The first part was asked before, the second after a link went from the second to the first."""
        asks, works = spread_crawls.open(), spread_crawls.open()
        add(works, entry(1, host=B))
        (lease,) = works.acquire("works", 1, 1, 60).leases
        real = asks._parts[0].frontier.exchange

        def link_comes_after_the_look(*given, **more):
            answer = real(*given, **more)
            works.turn(Work(ends(lease), [entry(2, host=A)]), "works", -1, 1, 60)
            return answer

        monkeypatch.setattr(asks._parts[0].frontier, "exchange", link_comes_after_the_look)
        assert not asks.acquire("asks", 1, 1, 60).exhausted
        monkeypatch.undo()
        assert [lease.host for lease in asks.acquire("asks", 1, 1, 60).leases] == [A]
        asks.close()
        works.close()

    def test_a_node_gets_hosts_of_both_in_turn(self, spread_crawls):
        frontier = spread_crawls.open()
        hosts = [A, *MORE_A, B, *MORE_B]
        add(frontier, *(entry(n, n / 100, hosts[n % len(hosts)]) for n in range(600)))
        held = list(frontier.turn(Work(), "n", 8, 1, 60)[0].leases)
        assert sorted(part_of(lease.host, 2) for lease in held) == [0] * 4 + [1] * 4
        for _ in range(60):
            lease = held.pop(0)
            held += frontier.turn(Work(ends(lease)), "n", 1, 1, 60)[0].leases
            assert len(held) == 8
            assert 3 <= sum(part_of(lease.host, 2) for lease in held) <= 5
        frontier.close()
