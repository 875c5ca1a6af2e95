"""Promise 14 of Frontier, on every frontier: what a learner thinks anew of queued links."""

from __future__ import annotations

import random

import pytest

from tests.frontier.drive import add, drain, entry, finish, take
from topicspider.frontier.protocol import End, Work

A, B = "甲.example:80", "乙.example:80"


def revise(frontier, *revisions):
    frontier.apply(Work(revisions=revisions))


def scores(frontier):
    return {one.fingerprint: one.score for one in frontier.peek(100)}


class TestPromise14RevisionsSetTheScore:
    def test_lower_and_higher(self, frontier):
        add(frontier, entry(1, 0.9), entry(2, 0.5), entry(3, 0.1))
        revise(frontier, (1, 0.2), (3, 0.7))
        assert scores(frontier) == {3: 0.7, 2: 0.5, 1: 0.2}
        assert drain(frontier) == [3, 2, 1]

    def test_hosts_change_places_with_their_best_url(self, make_frontier):
        frontier = make_frontier(server_policy="quality")
        add(frontier, entry(1, 0.9, A), entry(2, 0.4, A), entry(3, 0.5, B))
        revise(frontier, (1, 0.1))
        assert drain(frontier) == [3, 2, 1]

    def test_entries_and_promotions_of_the_same_work_come_after_it(self, frontier):
        add(frontier, entry(1, 0.9), entry(2, 0.9), entry(3, 0.5))
        frontier.apply(Work(revisions=[(1, 0.1), (2, 0.1)], entries=[entry(1, 0.3)], promotions=[(2, 0.7)]))
        assert scores(frontier) == {2: 0.7, 3: 0.5, 1: 0.3}

    def test_what_is_leased_comes_back_with_it(self, frontier):
        add(frontier, entry(1, 0.9), entry(2, 0.5))
        leases = take(frontier).leases
        revise(frontier, (1, 0.2))
        assert frontier.counts().leased == 1
        finish(frontier, leases, End.RELEASED)
        assert drain(frontier) == [2, 1]

    @pytest.mark.parametrize("end", [End.PAGE, End.NO_PAGE, End.FAILED])
    def test_what_is_over_stays_over(self, make_frontier, end):
        frontier = make_frontier(attempts=1)
        add(frontier, entry(1))
        finish(frontier, take(frontier).leases, end)
        revise(frontier, (1, 9.0))
        assert take(frontier).reason == "empty"

    def test_f9_the_order_is_that_of_the_scores_whatever_they_were(self, frontier):
        numbers = list(range(60))
        add(frontier, *(entry(n, random.Random(n).random()) for n in numbers))
        revise(frontier, *((n, n / 60) for n in numbers))
        assert drain(frontier, urls_per_host=4) == numbers[::-1]
