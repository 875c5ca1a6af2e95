"""The outbox keeps the order of what was said of a link, and the seen-cache what the frontier really has."""

from __future__ import annotations

from random import Random

import pytest

from tests.frontier.drive import entry
from topicspider.frontier.protocol import HostTiming, Work
from topicspider.frontier.seen import SeenCache
from topicspider.frontier.work_buffer import WorkBuffer
from topicspider.options import SEEN_CACHES


def test_a_revision_takes_the_place_of_what_was_said_before():
    outbox = WorkBuffer(entries=[entry(1, 0.9), entry(2, 0.8)])
    outbox.promote([(3, 0.7), (4, 0.6)])
    outbox.revise([(1, 0.2), (3, 0.1)])
    work = outbox.take()
    assert [one.score for one in work.entries] == [0.2, 0.8]
    assert dict(work.promotions) == {4: 0.6}
    assert dict(work.revisions) == {1: 0.2, 3: 0.1}
    assert not outbox
    assert not outbox.take()


def test_what_is_said_after_a_revision_stands_beside_it():
    outbox = WorkBuffer()
    outbox.revise([(1, 0.2), (2, 0.3)])
    outbox.revise([(2, 0.4)])
    outbox.promote([(1, 0.5)])
    outbox.entries.append(entry(2, 0.9))
    work = outbox.take()
    assert (dict(work.revisions), dict(work.promotions)) == ({1: 0.2, 2: 0.4}, {1: 0.5})
    assert [one.score for one in work.entries] == [0.9]


def test_a_fetch_that_told_nothing_of_its_host_takes_nothing_back():
    """One that was broken off after one that was not, between two calls; and after a call that failed."""
    outbox, host = WorkBuffer(), "旅游.example:80"
    outbox.note_timing(host, HostTiming(1.0, 0.2, 0.3, 50))
    outbox.note_timing(host, HostTiming(2.0))
    work = outbox.take()
    assert work.timings == {host: HostTiming(2.0, 0.2, 0.3, 50)}
    outbox.note_timing(host, HostTiming(3.0, response_seconds=0.1))
    outbox.put_back(work)
    assert outbox.timings == {host: HostTiming(3.0, 0.2, 0.1, 50)}


def test_work_that_comes_back_is_older_than_what_came_meanwhile():
    outbox = WorkBuffer(entries=[entry(1, 0.9), entry(2, 0.9)])
    outbox.promote([(3, 0.9)])
    outbox.revise([(4, 0.9)])
    work = outbox.take()
    outbox.revise([(1, 0.1), (3, 0.1), (4, 0.1)])
    outbox.put_back(work)
    again = outbox.take()
    assert [one.score for one in again.entries] == [0.1, 0.9]
    assert dict(again.promotions) == {}
    assert dict(again.revisions) == {1: 0.1, 3: 0.1, 4: 0.1}


class TestSeenCacheF7:
    def test_a_lowered_link_may_rise_again(self):
        seen = SeenCache()
        seen.confirm(Work(entries=[entry(1, 0.8)]))
        assert seen.covers(1, 0.5)
        seen.lower(1, 0.2)
        assert not seen.covers(1, 0.5)
        assert seen.covers(1, 0.2)

    @pytest.mark.parametrize("rule", SEEN_CACHES)
    def test_a_small_one_never_claims_what_was_not_confirmed_and_keeps_no_more_than_it_may(self, rule):
        """(e) Broder: whatever the rule, a miss costs a look-up, a false hit would cost a page."""
        seen, known, rng = SeenCache(20, rule, seed=3), {}, Random(1)
        answered = 0
        for _ in range(5_000):
            fingerprint, score = int(rng.expovariate(0.03)), rng.random()
            assert seen.covers(fingerprint, score) <= (score <= known.get(fingerprint, -1.0))
            answered += seen.covers(fingerprint, -1.0)
            seen.remember(fingerprint, score)
            known[fingerprint] = max(known.get(fingerprint, 0.0), score)
            assert len(seen) <= 20
        assert 0.1 < answered / 5_000 < 0.9
        seen.forget()
        assert len(seen) == 0

    def test_static_keeps_what_came_first(self):
        seen = SeenCache(2, "static")
        for fingerprint in (1, 2, 3):
            seen.remember(fingerprint, 0.5)
        assert [seen.covers(fingerprint, 0.5) for fingerprint in (1, 2, 3)] == [True, True, False]

    def test_it_holds_what_a_dictionary_would(self):
        seen, known, rng = SeenCache(), {}, Random(1)
        for _ in range(20_000):
            fingerprint, score = rng.getrandbits(64) - (1 << 63) >> rng.choice((0, 50)), rng.random()
            assert seen.covers(fingerprint, score) <= (score <= known.get(fingerprint, -1.0))
            seen.remember(fingerprint, score)
            known[fingerprint] = max(known.get(fingerprint, 0.0), score)
        assert sum(seen.covers(*one) for one in known.items()) > 0.99 * len(known)
