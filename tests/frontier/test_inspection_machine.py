"""Whatever is steered, in whatever order, in the middle of a crawl: SqliteFrontier answers what the model answers."""

from __future__ import annotations

from contextlib import closing

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule

from tests.frontier.test_state_machine import HOSTS, LAST, TwoFrontiers, entries, numbers
from tests.reference.frontier_model import FrontierModel
from topicspider.frontier.inspection import DeadUrl, DoneUrls, HostState
from topicspider.frontier.protocol import Counts, Entry

host_states = st.builds(
    HostState,
    st.sampled_from(HOSTS),
    pages=st.integers(0, 3),
    is_blocked=st.booleans(),
    rest_seconds=st.sampled_from([0.0, 5.0]),
)
dead_urls = st.builds(DeadUrl, entries, st.sampled_from(["超时", "http_500"]))
done_urls = st.builds(DoneUrls, st.lists(numbers, max_size=3).map(tuple))


class SteeredFrontiers(TwoFrontiers):
    """The rules of TwoFrontiers, with somebody who delays, rescores, revives and takes in between them."""

    def both(self, do):
        """What ``do`` gives for each."""
        with closing(self.inspect_lasting()) as inspection:
            return do(self.memory), do(inspection)

    def same(self, do):
        ours, theirs = self.both(do)
        assert ours == theirs

    @rule(name=st.sampled_from(HOSTS), seconds=st.sampled_from([0.0, 0.0, 2.0, 100.0]))
    def delay(self, name, seconds):
        self.same(lambda one: one.set_delay(name, seconds))

    @rule(chosen=st.lists(numbers, max_size=30))
    def revive(self, chosen):
        self.same(lambda one: one.revive(chosen))

    @rule(records=st.lists(st.one_of(entries, dead_urls, done_urls, host_states), max_size=9))
    def take_in(self, records):
        for record in records:
            self.added.update(_marks(record))
            self.brought_pages += record.pages if isinstance(record, HostState) else 0
        self.same(lambda one: one.take_in(records))

    @invariant()
    def they_look_the_same(self):
        if hasattr(self, "memory"):
            self.same(lambda one: one.counts())
            self.same(lambda one: sorted(map(repr, one.hosts())))
            self.same(lambda one: (one.top(7), one.bottom(7), one.dead()))
            self.same(lambda one: sorted((lease.host, lease.urls) for lease in one.leases()))

    @invariant()
    def promise_2_hosts_sum_up(self):
        if hasattr(self, "memory"):
            counts, found = self.memory.counts(), list(self.memory.hosts())
            sums = [sum(getattr(one, name) for one in found) for name in ("queued", "leased", "dead", "pages")]
            assert sums == [counts.queued, counts.leased, counts.dead, counts.pages]

    @invariant()
    def f1_the_records_have_every_url_once(self):
        if hasattr(self, "memory"):
            for records in self.both(lambda one: list(one.records())):
                marks = [mark for record in records for mark in _marks(record)]
                assert len(marks) == len(set(marks))
                assert set(marks) == self.added <= set(range(LAST + 1))

    def teardown(self):
        if hasattr(self, "lasting"):
            self.moved_it_is_the_same()
        super().teardown()

    def moved_it_is_the_same(self):
        target = FrontierModel(**self.options)
        with closing(self.inspect_lasting()) as inspection:
            target.take_in(inspection.records())
            counts = inspection.counts()
            assert target.counts() == Counts(
                counts.queued + counts.leased, 0, counts.done, counts.dead, counts.pages, counts.hosts
            )
            assert target.dead() == inspection.dead()
            if not counts.leased:
                assert target.top(LAST) == inspection.top(LAST)


def _marks(record):
    if isinstance(record, DoneUrls):
        return record.fingerprints
    if isinstance(record, DeadUrl):
        return (record.entry.fingerprint,)
    return (record.fingerprint,) if isinstance(record, Entry) else ()


SteeredFrontiers.TestCase.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
TestSteeredFrontiers = SteeredFrontiers.TestCase
