"""The outbox keeps the order of what was said of a link, and the seen-cache what the frontier really has."""

from __future__ import annotations

from tests.frontier.drive import entry
from topicspider.frontier.outbox import Outbox
from topicspider.frontier.protocol import Work
from topicspider.frontier.seen import SeenCache


def test_a_revision_takes_the_place_of_what_was_said_before():
    outbox = Outbox(entries=[entry(1, 0.9), entry(2, 0.8)])
    outbox.promote([(3, 0.7), (4, 0.6)])
    outbox.revise([(1, 0.2), (3, 0.1)])
    work = outbox.take()
    assert [one.score for one in work.entries] == [0.2, 0.8]
    assert dict(work.promotions) == {4: 0.6}
    assert dict(work.revisions) == {1: 0.2, 3: 0.1}
    assert not outbox
    assert not outbox.take()


def test_what_is_said_after_a_revision_stands_beside_it():
    outbox = Outbox()
    outbox.revise([(1, 0.2), (2, 0.3)])
    outbox.revise([(2, 0.4)])
    outbox.promote([(1, 0.5)])
    outbox.entries.append(entry(2, 0.9))
    work = outbox.take()
    assert (dict(work.revisions), dict(work.promotions)) == ({1: 0.2, 2: 0.4}, {1: 0.5})
    assert [one.score for one in work.entries] == [0.9]


def test_work_that_comes_back_is_older_than_what_came_meanwhile():
    outbox = Outbox(entries=[entry(1, 0.9), entry(2, 0.9)])
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

    def test_a_raised_one_covers_more_only_once_the_frontier_has_it(self):
        seen = SeenCache()
        seen.confirm(Work(entries=[entry(1, 0.2)]))
        seen.lower(1, 0.8)
        assert not seen.covers(1, 0.5)
        seen.confirm(Work(revisions=[(1, 0.8)]))
        assert seen.covers(1, 0.5)

    def test_work_under_way_does_not_hide_a_newer_revision(self):
        seen = SeenCache()
        seen.confirm(Work(entries=[entry(1, 0.8)], revisions=[(2, 0.7)]), {1: 0.2, 2: 0.1})
        assert not seen.covers(1, 0.5)
        assert seen.covers(1, 0.2)

    def test_what_it_does_not_know_stays_unknown(self):
        seen = SeenCache()
        seen.lower(1, 0.5)
        seen.confirm(Work(revisions=[(1, 0.5)]))
        assert not seen.covers(1, 0.1)
