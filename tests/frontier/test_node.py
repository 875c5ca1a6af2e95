"""A node's side of the conversation: when it talks, what it says, when it may begin a fetch."""

from __future__ import annotations

import logging

import pytest

from tests.frontier.drive import entry
from topicspider.errors import FrontierUnavailable
from topicspider.frontier.heartbeat import ENDED, WORKING, Heartbeat
from topicspider.frontier.node import DROPPED, EMPTIED, LONGEST_PAUSE, FrontierNode
from topicspider.frontier.protocol import Counts, Grant, Work
from topicspider.frontier.sqlite.frontier import SqliteFrontier

LEASE = 60.0
KILLED = "killed"
AWAY = FrontierUnavailable("frontier redis 127.0.0.1:6379", "no answer: 旅游")
WORK = Work(entries=[entry(1)])


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


class Shared:
    """A shared frontier that remembers what it was asked."""

    restarts = dropped = 0
    emptied = 0
    asked = ""

    def __init__(self):
        self.turns = []
        self.heartbeats = []
        self.last_words = []

    def sync(self, work, node, hosts, urls_per_host, lease_seconds, heartbeat=""):
        self.turns.append((work, node, hosts, urls_per_host, lease_seconds))
        self.heartbeats += [Heartbeat.read(heartbeat, "?")] if heartbeat else []
        return Grant((), 3.0, "resting"), Counts(queued=7)

    def evicted_keys(self):
        return self.dropped

    def meta(self, key):
        return dict(word for word in self.last_words if isinstance(word, tuple)).get(key, "")

    def apply(self, work):
        self.last_words.append(work)

    def set_meta(self, key, value):
        self.last_words.append((key, value))

    def close(self):
        self.last_words.append("closed")

    def holds(self, host, token):
        return (host, token) == ("甲.example:80", 5)

    def holds_host(self, host):
        return host in ("甲.example:80", "乙.example:80")


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def shared():
    return Shared()


@pytest.fixture
def node(shared, clock):
    return FrontierNode(shared, LEASE, 16, clock)


@pytest.fixture
def embedded(clock):
    return FrontierNode(SqliteFrontier(), LEASE, 16, clock)


def test_it_talks_when_there_is_news_or_room_or_a_third_of_the_lease_is_over(shared, clock):
    node = FrontierNode(shared, 12.0, 16, clock)
    assert node.must_sync(Work(), 0), "nothing was heard of it yet"
    node.sync(Work(), 0)
    assert node.must_sync(WORK, 0)
    assert node.must_sync(Work(), 1)
    assert not node.must_sync(Work(), 0)
    clock.now += 4.1
    assert node.must_sync(Work(), 0)
    node.sync(Work(), 0)
    assert not node.must_sync(Work(), 0)


def test_a_beat_says_how_the_node_goes_on(node, shared, clock):
    node.sync(Work(), 0)
    node.progress = lambda: (30, 7, 2, 4.5)
    clock.now += 10
    node.seconds_after_failure(AWAY)
    clock.now += 5
    shared.restarts = 1
    node.sync(Work(), 0)
    assert not node.must_sync(Work(), 0)
    node.drain()
    assert node.must_sync(Work(), 0), "at once"
    node.sync(Work(), 0)
    first, then, last = shared.heartbeats
    assert (first.state, first.pages, first.rate) == ("working", 0, 0.0)
    assert (then.state, then.pages, then.hits, then.rate, then.seconds) == ("working", 30, 7, 2.0, 15.0)
    assert last.state == "draining"
    assert (then.outages, then.away, then.restarts, then.lease) == (1, 5.0, 1, LEASE)
    assert (then.store_outages, then.store_away) == (2, 4.5)


@pytest.mark.parametrize(("dropped", "emptied", "loss"), [(3, 0, DROPPED), (3, 1, EMPTIED), (0, 0, "")])
def test_what_the_server_lost_is_known_to_later_runs_too(node, shared, dropped, emptied, loss):
    shared.dropped, shared.emptied = dropped, emptied
    node.leave(Work(), "finished")
    later = FrontierNode(shared, 10.0, 4)
    shared.dropped, shared.emptied = 0, 0
    later.leave(Work(), "finished")
    assert (node.loss, later.loss) == (loss, loss)


def test_who_leaves_tells_the_rest_and_says_why(node, shared, embedded):
    node.leave(WORK, "drained")
    assert shared.last_words == [WORK, ("reason", "drained"), "closed"]
    assert [(heartbeat.state, heartbeat.reason, heartbeat.rate) for heartbeat in shared.heartbeats] == [
        ("ended", "drained", 0.0)
    ]
    embedded.leave(Work(), "finished")


def test_who_cannot_tell_the_rest_closes_all_the_same(node, shared, monkeypatch, caplog):
    tries = []

    def away(_work):
        tries.append(1)
        raise AWAY

    monkeypatch.setattr(shared, "apply", away)
    node.leave(WORK, "shutdown")
    assert shared.last_words == ["closed"]
    assert shared.heartbeats == []
    assert caplog.messages == [str(AWAY)]
    node.seconds_after_failure(AWAY)
    node.leave(WORK, "shutdown")
    assert len(tries) == 3 + 1, "of one that is away nobody waits for three answers"


def test_f2_no_fetch_begins_in_the_second_half_of_leases_that_could_not_be_renewed(node, embedded, clock):
    assert node.may_start("甲.example:80")
    clock.now += LEASE / 2
    assert not node.may_start("甲.example:80")
    assert embedded.may_start("甲.example:80")
    node.sync(Work(), 0)
    assert node.may_start("甲.example:80")


def test_an_outage_is_said_at_first_and_once_a_minute_and_at_its_end(node, clock, caplog):
    caplog.set_level(logging.WARNING)
    pauses = []
    for _ in range(20):
        pauses.append(node.seconds_after_failure(AWAY))
        clock.now += pauses[-1]
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_PAUSE
    assert len(caplog.records) == 2
    assert caplog.messages[0] == f"{AWAY}; the crawl goes on with what it holds, and waits"
    node.sync(Work(), 0)
    node.sync(Work(), 0)
    assert caplog.messages[2:] == [f"The frontier answers again after {sum(pauses):.1f} s"]
    assert node.seconds_after_failure(AWAY) == pauses[0]


def test_a_call_that_hangs_for_less_than_an_outage_is_said_once_a_minute(node, shared, clock, caplog, monkeypatch):
    answer, waits = shared.sync, iter((1.0, 4.5, 4.6, 60.0, 0.5))

    def late(*asked):
        clock.now += next(waits)
        return answer(*asked)

    monkeypatch.setattr(shared, "sync", late)
    for _ in range(5):
        node.sync(Work(), 0)
    assert ["took 4.5 s" in caplog.messages[0], "took 60.0 s" in caplog.messages[1], len(caplog.messages)] == [
        True,
        True,
        2,
    ]
    assert node.outages == (0, 0.0)


def test_nodes_with_other_rules_are_warned_of_when_they_join_and_on_those_that_run(clock, caplog):
    """Once each; junk in the fact is other rules, too."""

    kept, state = {}, WORKING

    class Facts(Shared):
        def meta(self, key):
            return kept.get(key, "")

        def set_meta(self, key, value):
            kept[key] = value

        def run(self, *_command):
            seconds = 0.0 if state == KILLED else clock.now
            return {b"other": Heartbeat(state=ENDED if state == ENDED else WORKING, seconds=seconds).text().encode()}

    def join(name, **rules):
        return FrontierNode(Facts(), LEASE, 16, clock, label=name, rules={"link_policy": "learned", **rules})

    first, same = join("甲", topics="a"), join("乙", topics="a")
    for node in (first, same, first):
        node.sync(Work(), 0)
        clock.now += 61
    assert caplog.text == ""
    other = join("丙", topics="b")
    for node in (other, other, first, first, same):
        node.sync(Work(), 0)
        clock.now += 61
    assert "丙 crawls by other rules than the node that joined before: topics" in caplog.text
    assert "甲 crawls by other rules than the node that joined now: topics" in caplog.text
    assert len(caplog.records) == 3
    kept["rules"] = "[" * 9999
    first.sync(Work(), 0)
    assert len(caplog.records) == 4
    for state in (ENDED, KILLED):
        last = join("丁", topics=state)
        last.sync(Work(), 0)
        clock.now += 61
        last.sync(Work(), 0)
        assert len(caplog.records) == 4, "nobody else is there"
