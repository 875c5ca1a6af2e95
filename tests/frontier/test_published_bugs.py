"""The best-first bugs that other crawlers have published, each by its name: none of them is in any of our frontiers."""

from __future__ import annotations

import random

import pytest

from tests.frontier.drive import add, drain, ends, entry, finish, take
from topicspider.frontier.protocol import End, Work


def test_f5_inverted_order(frontier):
    add(frontier, entry(1, 0.1), entry(2, 0.9), entry(3, -0.5), entry(4, 0.5))
    assert drain(frontier) == [2, 4, 1, 3]


def test_f5_candidates_cut_before_they_are_scored(frontier):
    """The best of a page with more links than anybody would keep is its last."""
    add(frontier, *(entry(n, n / 10_000) for n in range(3_000)))
    assert [one.fingerprint for one in take(frontier, urls_per_host=3).leases[0].entries] == [2_999, 2_998, 2_997]
    assert frontier.counts().queued == 2_997, "nothing was dropped"


@pytest.mark.parametrize("end", [End.PAGE, End.NO_PAGE, End.FAILED, End.RELEASED])
def test_f8_max_pages_overrun(make_frontier, end):
    frontier = make_frontier(max_pages=5)
    add(frontier, *(entry(n, host=f"{n}.例子.example:80") for n in range(40)))
    held = list(take(frontier, hosts=40).leases)
    assert len(held) == 5
    finish(frontier, held[:2], end)
    held += take(frontier, hosts=40).leases
    counts = frontier.counts()
    assert counts.pages + counts.leased == 5


def test_f5_coarse_integer_bins(frontier):
    """Ten thousand levels between 0 and 1, and a hundred between two of them."""
    numbers = list(range(200))
    random.Random(3).shuffle(numbers)
    add(frontier, *(entry(n, 0.5 + n / 1_000_000) for n in numbers))
    assert drain(frontier, urls_per_host=20) == sorted(numbers, reverse=True)


def test_f5_last_parent_wins(frontier):
    """A library took a link of .45 for one of .005, because a worse page linked to it later."""
    add(frontier, entry(1, 0.45), entry(2, 0.2))
    add(frontier, entry(1, 0.005))
    assert [(one.fingerprint, one.score) for one in frontier.peek()] == [(1, 0.45), (2, 0.2)]


def test_f5_a_better_link_is_swallowed_as_a_duplicate(frontier):
    add(frontier, entry(1, 0.1), entry(2, 0.2))
    assert add(frontier, entry(1, 0.9)) == 0
    assert drain(frontier) == [1, 2]


def test_promise_14_stale_inherited_score(frontier):
    """What the page inherited counts no more once the learner thinks otherwise, also of what is just being fetched."""
    add(frontier, entry(1, 0.9), entry(2, 0.8), entry(3, 0.7))
    (lease,) = take(frontier).leases
    frontier.apply(Work(revisions=[(1, 0.05), (2, 0.1)]))
    frontier.apply(Work(ends(lease, End.FAILED)))
    assert drain(frontier) == [3, 2, 1]
