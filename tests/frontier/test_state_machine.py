"""Whatever is done in whatever order, the frontiers that last answer what the model answers."""

from __future__ import annotations

import math
import shutil
import tempfile
from contextlib import closing
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.frontier.conftest import FakeClock, RedisCrawls
from tests.frontier.drive import ends, entry
from tests.reference.frontier_model import FrontierModel
from topicspider.frontier.protocol import End, Grant, HostTiming, Work
from topicspider.frontier.sqlite.frontier import SqliteFrontier
from topicspider.frontier.sqlite.inspection import SqliteInspection

LAST = 119  # fingerprints are 0 to LAST
HOSTS = ("甲.example:80", "乙.example:80", "丙.example:443", "丁.example:80")
numbers = st.integers(0, LAST)
scores = st.sampled_from([-1.0, 0.0, 0.1, 0.1 + 1e-8, 0.5, 0.7, 1.0])
entries = st.builds(lambda n, score: entry(n, score, HOSTS[n % 4], depth=n % 3), numbers, scores)
timings = st.builds(
    HostTiming,
    st.sampled_from([0.0, 0.0, 0.0, 0.0, 1.0, 5.0, 60.0]),
    st.sampled_from([None, 0.01, 0.1, 2.0]),
    st.sampled_from([None, 0.05, 1.0]),
    st.sampled_from([None, None, 1, 2, 100]),
)


class TwoFrontiers(RuleBasedStateMachine):
    """Push, promote, revise, acquire, complete in every way, redirect, block, let leases expire, turn the clock, kill and reopen."""

    @initialize(
        options=st.fixed_dictionaries(
            {
                "max_pages": st.sampled_from([None, None, None, 15]),
                "pages_per_host": st.sampled_from([None, None, None, 4]),
                "attempts": st.integers(1, 3),
                "server_policy": st.sampled_from(["bfs", "performance", "quality", "quality", "capacity"]),
                "seed": st.integers(0, 2),
                "patience": st.sampled_from([0, 0, 2, 10]),
                "least_score": st.sampled_from([-math.inf, 0.1, 0.5]),
            }
        ),
        first=st.lists(entries, min_size=10, max_size=30),
    )
    def open(self, options, first):
        self.folder = Path(tempfile.mkdtemp())
        self.clock = FakeClock()
        self.options = {**options, "clock": self.clock}
        self.memory = FrontierModel(**self.options)
        self.lasting = self.open_lasting()
        self.held = []  # pairs of leases: memory's and the other's, whose tokens differ
        self.added = set()
        self.brought_pages = 0  # of another frontier: max_pages bounds what is fetched here
        self.push(first, [])

    def open_lasting(self):
        return SqliteFrontier(self.folder / "f.db", **self.options)

    def inspect_lasting(self):
        """Somebody who looks at it and steers it."""
        return SqliteInspection(self.folder / "f.db", self.lasting, clock=self.clock)

    def forget_leases(self):
        """What memory must do that an opening of the lasting one does."""
        for lease, _ in self.held:
            self.memory.forget_lease(lease.host)
        self.held.clear()

    @rule(new=st.lists(entries, min_size=1, max_size=12), promotions=st.lists(st.tuples(numbers, scores), max_size=4))
    def find_links(self, new, promotions):
        self.push(new, promotions)

    def push(self, new, promotions):
        self.added.update(one.fingerprint for one in new)
        self._apply(Work(entries=new, promotions=promotions))

    @rule(revisions=st.lists(st.tuples(numbers, scores), min_size=1, max_size=8), new=st.lists(entries, max_size=3))
    def think_anew(self, revisions, new):
        self.added.update(one.fingerprint for one in new)
        self._apply(Work(entries=new, revisions=revisions))

    @rule(name=st.sampled_from(HOSTS), timing=timings)
    def hear_of_a_host(self, name, timing):
        self._apply(Work(timings={name: timing}))

    @rule(hosts=st.integers(0, 2), urls=st.integers(1, 3), seconds=st.sampled_from([5.0, 60.0]))
    def acquire(self, hosts, urls, seconds):
        self.take(hosts, urls, seconds)

    @rule(hosts=st.integers(1, 4), urls=st.integers(1, 3), new=st.lists(entries, max_size=3))
    def fetch_pages(self, hosts, urls, new):
        """The common case: take, complete each as a page, one flush a page."""
        before = len(self.held)
        self.take(hosts, urls, 60.0)
        for leases in self.held[before:]:
            self.added.update(one.fingerprint for one in new)
            self._tell(leases, End.PAGE, len(leases[0].entries), new, HostTiming(0, 0.1, 0.2))
        del self.held[before:]

    def take(self, hosts, urls, seconds):
        grants = [frontier.acquire("node", hosts, urls, seconds) for frontier in (self.memory, self.lasting)]
        assert _told(grants[0]) == _told(grants[1])
        self.held += zip(grants[0].leases, grants[1].leases, strict=True)

    @precondition(lambda self: self.held)
    @rule(data=st.data(), end=st.sampled_from(End), new=st.lists(entries, max_size=6), timing=timings)
    def complete(self, data, end, new, timing):
        leases = self.held.pop(data.draw(st.integers(0, len(self.held) - 1)))
        some = data.draw(st.integers(1, len(leases[0].entries)))
        self.added.update(one.fingerprint for one in new)
        self._tell(leases, end, some, new, timing)
        if some < len(leases[0].entries):
            self.held.append(leases)

    @precondition(lambda self: self.held)
    @rule(data=st.data(), leads_to=entries)
    def redirect(self, data, leads_to):
        """Done, but no page; where it leads to is a link, of the same host or another, known or new."""
        leases = self.held.pop(data.draw(st.integers(0, len(self.held) - 1)))
        self.added.add(leads_to.fingerprint)
        self._tell(leases, End.NO_PAGE, len(leases[0].entries), [leads_to], HostTiming())

    @rule(
        names=st.lists(st.sampled_from(HOSTS), min_size=1, max_size=3), is_blocked=st.sampled_from([True, False, False])
    )
    def block(self, names, is_blocked):
        """Somebody beside the crawl does; or has them leased again."""
        with closing(self.inspect_lasting()) as inspection:
            changed = [(one.block if is_blocked else one.unblock)(names) for one in (self.memory, inspection)]
            assert changed[0] == changed[1]
            blocked = [{s.host for s in one.hosts() if s.is_blocked} for one in (self.memory, inspection)]
            assert blocked[0] == blocked[1]

    @rule(seconds=st.sampled_from([0.5, 1.0, 5.0, 61.0, 61.0, -0.5, -7.0, -100_000.0]))
    def turn_the_clock(self, seconds):
        """A rest that ran out while nobody asked may hold again when the clock is set back: first all are asked."""
        if seconds < 0:
            self.take(0, 1, 5.0)
        self.clock.now += seconds

    @rule(least=st.sampled_from([-math.inf, 0.1, 0.5]))
    def kill_and_reopen(self, least):
        """Nothing is told to it; the memory's leases are given back as an opening would."""
        self.lasting.close()
        self.options["least_score"] = least
        self.memory.set_least_score(least)
        self.lasting = self.open_lasting()
        self.forget_leases()
        self.memory.look_at_the_clock()

    @invariant()
    def they_agree(self):
        if not hasattr(self, "memory"):
            return
        assert self.memory.counts() == self.lasting.counts()
        assert [one.score for one in self.memory.peek(5)] == [one.score for one in self.lasting.peek(5)]
        everything = range(LAST + 1)
        assert self.memory.known(everything) == self.lasting.known(everything) == self.added

    @invariant()
    def f1_every_url_is_somewhere(self):
        if hasattr(self, "lasting"):
            counts = self.lasting.counts()
            assert counts.queued + counts.leased + counts.done + counts.dead == len(self.added)

    @invariant()
    def f8_never_more_than_max_pages(self):
        if hasattr(self, "lasting") and self.options["max_pages"] is not None:
            counts = self.lasting.counts()
            assert counts.pages + counts.leased <= self.options["max_pages"] + self.brought_pages

    def _tell(self, leases, end, some, new, timing):
        told = {leases[0].host: timing}
        answers = [
            frontier.apply(Work(ends(lease, end, "超时")[:some], new, timings=told))
            for frontier, lease in zip((self.memory, self.lasting), leases, strict=True)
        ]
        assert answers[0] == answers[1]

    def _apply(self, work):
        assert self.memory.apply(work) == self.lasting.apply(work)

    def teardown(self):
        if hasattr(self, "lasting"):
            self.lasting.close()
            shutil.rmtree(self.folder)


def _told(grant: Grant):
    leases = [(lease.host, lease.entries) for lease in grant.leases]
    wait = None if grant.wait_seconds is None else round(grant.wait_seconds, 3)
    return leases, wait, grant.reason, grant.exhausted


class WithRedis(TwoFrontiers):
    """The leases of a dead node go on until their time is over: others may be at work."""

    crawls: RedisCrawls

    def open_lasting(self):
        return self.crawls.open(self.folder.name, **self.options)

    def inspect_lasting(self):
        return self.crawls.look(self.folder.name, clock=self.clock)

    def forget_leases(self):
        """None is given back; unlike a file a Redis learns of a clock that was set back by the next call, not by an opening."""
        self.take(0, 1, 5.0)

    def teardown(self):
        if hasattr(self, "lasting"):
            self.lasting.clear()
        super().teardown()


TwoFrontiers.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestTwoFrontiers = TwoFrontiers.TestCase


def test_redis_answers_what_memory_answers(redis_crawls):
    WithRedis.crawls = redis_crawls
    run_state_machine_as_test(WithRedis, settings=settings(max_examples=30, stateful_step_count=40, deadline=None))
