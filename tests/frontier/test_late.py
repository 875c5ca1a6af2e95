"""What a part that is away could not be told: within bounds, the newest of each link, and told when it is back."""

from __future__ import annotations

import pytest

from tests.frontier.drive import add, ends, entry
from tests.frontier.masters import hosts_of
from topicspider.errors import FrontierUnavailable
from topicspider.frontier.protocol import Completion, End, HostTiming, Work
from topicspider.frontier.redis import late
from topicspider.frontier.redis.late import Late
from topicspider.frontier.redis.parting import Share

(A,), (B,) = hosts_of(0, 1), hosts_of(1, 1)


@pytest.fixture(autouse=True)
def few(monkeypatch):
    monkeypatch.setattr(late, "MOST_SCORES", 10)


def test_the_newest_of_each_link_is_kept_and_the_oldest_dropped():
    waiting = Late()
    for n in range(8):
        waiting.add(Share(promotions=[(n, 0.5)], revisions=[(100 + n, 0.5)]))
    waiting.add(Share(promotions=[(0, 0.2)], revisions=[(100, 0.2)]))  # heard of again
    waiting.add(Share(promotions=[(n, 0.5) for n in range(8, 12)], revisions=[(n, 0.5) for n in range(108, 112)]))
    assert dict(waiting.promotions) == {0: 0.5, **dict.fromkeys(range(3, 12), 0.5)}, "a promotion only raises"
    assert dict(waiting.revisions) == {100: 0.2, **dict.fromkeys(range(103, 112), 0.5)}
    assert waiting.dropped == 4


def test_a_revision_takes_the_place_of_what_was_said_before_and_not_of_what_is_said_after():
    waiting = Late()
    waiting.add(Share(entries=[entry(1, 0.9), entry(2, 0.9)], promotions=[(3, 0.9), (4, 0.9)]))
    waiting.add(Share(entries=[entry(5, 0.9)], promotions=[(6, 0.9)], revisions=[(n, 0.1) for n in (1, 3, 5, 6)]))
    assert waiting.entries == [entry(1, 0.1), entry(2, 0.9), entry(5, 0.9)]
    assert dict(waiting.promotions) == {4: 0.9, 6: 0.9}


def test_pages_and_links_are_never_dropped_and_come_before_what_is_new():
    waiting = Late()
    old = [Completion(n, A, 1, End.PAGE) for n in range(30)]
    waiting.add(Share(entries=[entry(n) for n in range(30)], completions=old, timings={A: HostTiming(1.0)}))
    new = Share([entry(30)], [(1, 0.5)], [], [Completion(30, A, 1, End.PAGE)], {A: HostTiming(2.0)})
    told = waiting.before(new)
    assert [one.fingerprint for one in told.entries] == [one.fingerprint for one in told.completions] == list(range(31))
    assert told.timings == {A: HostTiming(2.0)}
    assert len(waiting.entries) == 30, "it may have to be told once more"
    waiting.clear()
    assert not waiting
    assert waiting.before(new) is new


def test_a_part_that_is_away_is_told_the_newest_when_it_is_back(spread_crawls, monkeypatch):
    frontier = spread_crawls.open()
    add(frontier, *(entry(n, 0.1, B) for n in range(40)), entry(99, 0.1, A))
    now, looked = [0.0], []
    part = frontier._parts[1]
    monkeypatch.setattr(part, "_clock", lambda: now[0])
    real = Late.before
    monkeypatch.setattr(Late, "before", lambda one, share: looked.append(one) or real(one, share))

    def away(*_, **__):
        raise FrontierUnavailable("redis", "away")

    with monkeypatch.context() as patched:
        patched.setattr(part.frontier, "exchange", away)
        (lease,) = frontier.turn(Work(), "n", 4, 1, 60.0)[0].leases
        for n in range(40):
            frontier.turn(Work(revisions=[(n, 0.2 + n / 100)]), "n", -1, 1, 60.0)
        frontier.turn(Work(ends(lease), revisions=[(39, 0.05)]), "n", -1, 1, 60.0)
    assert looked.count(part.late) <= 2, "what waits is copied only where it may be told"
    assert (len(part.late.revisions), part.late.dropped) == (10, 30)
    now[0] += 60.0
    counts = frontier.turn(Work(), "n", -1, 1, 60.0)[1]
    assert counts.pages == 1
    assert (bool(part.late), part.late.dropped) == (False, 0)
    scores = {one.fingerprint: one.score for one in frontier.peek(100)}
    assert scores == {n: pytest.approx(0.1 if n < 30 else 0.05 if n == 39 else 0.2 + n / 100) for n in range(40)}
    frontier.close()
