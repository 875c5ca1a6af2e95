"""The numbered promises of Frontier, on every frontier."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from tests.frontier.drive import add, drain, ends, entry, finish, rest, take
from topicspider.errors import ConfigError
from topicspider.frontier.protocol import Completion, Counts, End, HostTiming, Work

A, B, C = "甲.example:80", "乙.example:80", "丙.example:443"


class TestPromise1AnEntryIsAddedOnce:
    def test_a_second_time_it_is_not_new(self, frontier):
        assert add(frontier, entry(1), entry(2)) == 2
        assert add(frontier, entry(2), entry(3), entry(3)) == 1
        assert frontier.counts().queued == 3

    @pytest.mark.parametrize("end", [End.PAGE, End.NO_PAGE])
    def test_not_even_after_it_was_done(self, frontier, end):
        add(frontier, entry(1))
        finish(frontier, take(frontier).leases, end)
        assert add(frontier, entry(1, score=9.0)) == 0
        assert take(frontier).leases == ()

    def test_known_says_which_were_ever_added(self, frontier):
        add(frontier, entry(1), entry(-(2**63)), entry(2**63 - 1))
        drain(frontier)
        assert frontier.known([1, 2, -(2**63), 2**63 - 1]) == {1, -(2**63), 2**63 - 1}
        assert frontier.known([]) == set()


class TestPromise2F5FindingALinkAgainOnlyRaises:
    def test_a_better_score_moves_a_url_up(self, frontier):
        add(frontier, entry(1, 0.5), entry(2, 0.4), entry(3, 0.3))
        add(frontier, entry(3, 0.9))
        assert drain(frontier) == [3, 1, 2]

    def test_a_lower_score_changes_nothing(self, frontier):
        add(frontier, entry(1, 0.5), entry(2, 0.4))
        frontier.apply(Work(entries=[entry(1, 0.1)], promotions=[(1, 0.2), (1, -5.0)]))
        assert drain(frontier) == [1, 2]

    def test_promotions_by_fingerprint_alone(self, frontier):
        add(frontier, entry(1, 0.5, A), entry(2, 0.4, B))
        frontier.apply(Work(promotions=[(2, 0.6), (77, 0.9)]))
        assert drain(frontier) == [2, 1]

    def test_a_leased_url_that_comes_back_keeps_a_score_it_won_meanwhile(self, frontier):
        add(frontier, entry(1, 0.1), entry(2, 0.2))
        frontier.apply(Work(promotions=[(1, 0.3)]))
        leases = take(frontier).leases
        frontier.apply(Work(promotions=[(1, 0.7), (2, 0.5)]))
        finish(frontier, leases, End.RELEASED)
        assert [(one.fingerprint, one.score) for one in frontier.peek()] == [(1, 0.7), (2, 0.5)]


class TestPromise3F5F9Order:
    def test_best_first_within_a_host(self, frontier):
        numbers = list(range(100))
        random.Random(1).shuffle(numbers)
        add(frontier, *(entry(number, score=number / 100) for number in numbers))
        assert drain(frontier, urls_per_host=7) == sorted(numbers, reverse=True)

    @pytest.mark.parametrize("policy", ["quality", "bfs", "performance", "capacity"])
    def test_order_is_that_of_the_scores_not_of_insertion(self, make_frontier, policy):
        entries = [entry(n, score=(n % 3) / 10, host=(A, B, C)[n % 4 % 3]) for n in range(60)]
        orders = []
        for shuffle in range(4):
            frontier = make_frontier(server_policy=policy, seed=5)
            random.Random(shuffle).shuffle(entries)
            add(frontier, *entries)
            orders.append(drain(frontier, hosts=2, urls_per_host=3))
        assert orders[0] == orders[1] == orders[2] == orders[3]
        assert sorted(orders[0]) == list(range(60))

    def test_equal_scores_are_ordered_by_the_seed(self, make_frontier):
        orders = []
        for seed in (1, 1, 2):
            frontier = make_frontier(seed=seed)
            add(frontier, *(entry(n, host=f"{n}.example:80") for n in range(50)), *(entry(n) for n in range(50, 99)))
            orders.append(drain(frontier))
        assert orders[0] == orders[1] != orders[2]

    def test_ten_thousand_levels_are_told_apart(self, frontier):
        add(frontier, *(entry(n, score=n / 10_000) for n in range(10_000)))
        first = [one.fingerprint for one in take(frontier, urls_per_host=500).leases[0].entries]
        assert first == list(range(9_999, 9_499, -1))

    @pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf, 1e300, -1e300, 1e-300])
    @pytest.mark.parametrize("policy", ["quality", "capacity"])
    def test_odd_scores_are_put_somewhere_and_break_nothing(self, make_frontier, policy, score):
        frontier = make_frontier(server_policy=policy)
        add(frontier, *(entry(n, score) for n in range(100)), entry(100, 0.5))
        frontier.apply(Work(promotions=[(100, score)]))
        assert sorted(drain(frontier, urls_per_host=3)) == list(range(101))


class TestPromise4F2OneHolderAHost:
    def test_a_leased_host_is_given_to_nobody_else(self, frontier):
        add(frontier, *(entry(n, host=A) for n in range(5)))
        assert len(frontier.acquire("node-1", 4, 1, 60).leases) == 1
        grant = frontier.acquire("node-2", 4, 1, 60)
        assert (grant.leases, grant.reason, grant.exhausted) == ((), "leased", False)
        assert grant.wait_seconds == 60

    def test_one_host_appears_once_in_a_grant(self, frontier):
        add(frontier, *(entry(n, host=(A, B)[n % 2]) for n in range(20)))
        leases = take(frontier, hosts=10, urls_per_host=3).leases
        assert sorted(lease.host for lease in leases) == sorted([A, B])
        assert [len(lease.entries) for lease in leases] == [3, 3]

    @pytest.mark.parametrize(("told", "given"), [(None, 9), (1, 1), (3, 3), (20, 9)])
    def test_no_more_of_a_host_than_it_gives_over_one_connection(self, frontier, told, given):
        """(c): P(s,i) = min(RequestsPerConnection(s,i), TaskURLs(s,i)), kept with the host."""
        add(frontier, *(entry(n, host=A) for n in range(9)))
        frontier.apply(Work(timings={A: HostTiming(requests_per_connection=told)}))
        (lease,) = take(frontier, urls_per_host=50).leases
        assert len(lease.entries) == given

    def test_a_host_is_free_when_its_last_url_is_completed(self, frontier):
        add(frontier, *(entry(n) for n in range(3)))
        (lease,) = take(frontier, urls_per_host=2).leases
        first, second = ends(lease)
        frontier.apply(Work(completions=[first]))
        assert take(frontier).leases == ()
        frontier.apply(Work(completions=[second]))
        assert len(take(frontier).leases) == 1


class TestPromise5F8MaxPages:
    def test_pages_and_leased_never_exceed_it(self, make_frontier):
        frontier = make_frontier(max_pages=10)
        add(frontier, *(entry(n, host=f"{n % 7}.example") for n in range(100)))
        held = []
        for step in itertools.count():
            grant = take(frontier, hosts=3, urls_per_host=2)
            held += grant.leases
            counts = frontier.counts()
            assert counts.pages + counts.leased <= 10
            if grant.exhausted:
                break
            if held:
                end = (End.PAGE, End.NO_PAGE, End.FAILED, End.RELEASED)[step % 4]
                finish(frontier, [held.pop(0)], end)
        assert frontier.counts().pages == 10
        assert grant.reason == "max_pages"

    @pytest.mark.parametrize("end", [End.NO_PAGE, End.FAILED, End.RELEASED])
    def test_what_brought_no_page_gives_its_grant_back(self, make_frontier, end):
        frontier = make_frontier(max_pages=1, attempts=9)
        add(frontier, *(entry(n) for n in range(4)))
        grant = take(frontier, urls_per_host=4)
        assert len(grant.leases[0].entries) == 1
        blocked = take(frontier)
        assert (blocked.reason, blocked.wait_seconds, blocked.exhausted) == ("max_pages", None, False)
        finish(frontier, grant.leases, end)
        assert len(take(frontier).leases) == 1


class TestPromise6F4StaleTokens:
    def test_a_stale_token_acks_nothing_but_its_links_survive(self, frontier, clock):
        add(frontier, entry(1))
        (old,) = take(frontier, lease_seconds=5).leases
        clock.now += 6
        (new,) = take(frontier).leases
        assert frontier.apply(Work(completions=ends(old), entries=[entry(2, host=B)])) == 1
        assert frontier.counts() == Counts(queued=1, leased=1, hosts=2)
        finish(frontier, [new])
        assert frontier.counts() == Counts(queued=1, done=1, pages=1, hosts=2)

    def test_an_expired_lease_that_nobody_took_over_still_acks(self, frontier, clock):
        add(frontier, entry(1))
        leases = take(frontier, lease_seconds=5).leases
        clock.now += 6
        finish(frontier, leases)
        assert frontier.counts().done == 1

    @pytest.mark.parametrize(
        ("fingerprint", "host", "token_step"), [(1, A, 1), (1, A, -1), (2, A, 0), (1, B, 0), (9, "无.example", 0)]
    )
    def test_token_host_and_url_must_all_fit(self, frontier, fingerprint, host, token_step):
        add(frontier, entry(1, 0.9, A), entry(2, 0.8, A))
        (lease,) = take(frontier).leases
        frontier.apply(Work(completions=[Completion(fingerprint, host, lease.token + token_step, End.PAGE)]))
        assert frontier.counts() == Counts(queued=1, leased=1, hosts=1)

    def test_a_completion_counts_once(self, frontier):
        add(frontier, entry(1), entry(2))
        (lease,) = take(frontier, urls_per_host=2).leases
        frontier.apply(Work(completions=ends(lease)[:1] * 3))
        frontier.apply(Work(completions=ends(lease)[:1]))
        assert frontier.counts() == Counts(leased=1, done=1, pages=1, hosts=1)


class TestPromise7And8FailedAndReleased:
    def test_failed_comes_back_with_one_attempt_more_then_dies_with_its_reason(self, make_frontier):
        frontier = make_frontier(attempts=3)
        add(frontier, entry(1))
        for attempts in range(3):
            (lease,) = take(frontier).leases
            assert lease.entries[0].attempts == attempts
            finish(frontier, [lease], End.FAILED, "超时")
        assert frontier.counts() == Counts(dead=1, hosts=1)

    def test_released_comes_back_as_it_was(self, frontier):
        given = entry(1, 0.25, depth=3, referrer="http://来.example/", payload='{"cb": "解析"}', attempts=1, model=7)
        add(frontier, given)
        for _ in range(5):
            (lease,) = take(frontier).leases
            assert lease.entries == (given,)
            finish(frontier, [lease], End.RELEASED)


class TestPromise9LeasesEnd:
    def test_after_its_time_a_lease_is_queued_again(self, frontier, clock):
        add(frontier, entry(1))
        take(frontier, lease_seconds=5)
        clock.now += 4.9
        assert take(frontier).leases == ()
        clock.now += 0.2
        (lease,) = take(frontier).leases
        assert lease.entries[0].attempts == 0

    def test_a_node_at_work_keeps_what_it_has(self, frontier, clock):
        """Promise 13: with the same token; another node's leases end all the same."""
        add(frontier, entry(1, 0.9, A), entry(2, 0.1, B))
        (kept,) = take(frontier, lease_seconds=5).leases
        frontier.acquire("node-2", 1, 1, 5)
        clock.now += 4
        frontier.renew("node-1", 5)
        clock.now += 4
        (taken,) = take(frontier, hosts=2).leases
        assert taken.host == B
        finish(frontier, [kept])
        assert frontier.counts() == Counts(leased=1, done=1, pages=1, hosts=2)

    def test_a_clock_set_back_does_not_lengthen_a_lease(self, frontier, clock):
        add(frontier, entry(1), entry(2))
        take(frontier, lease_seconds=5)
        clock.now -= 100_000
        assert take(frontier).wait_seconds == pytest.approx(5)
        clock.now += 5.1
        assert len(take(frontier).leases) == 1


class TestPromise11Rests:
    def test_a_host_rests_from_apply_on(self, frontier, clock):
        add(frontier, entry(1, 0.9, A), entry(2, 0.1, B))
        rest(frontier, A, 10)
        (lease,) = take(frontier, hosts=2).leases
        assert lease.host == B
        grant = take(frontier)
        assert (grant.reason, grant.exhausted) == ("resting", False)
        assert grant.wait_seconds == pytest.approx(10)
        clock.now += 10
        assert [lease.host for lease in take(frontier).leases] == [A]

    def test_a_shorter_rest_never_cuts_a_longer_one(self, frontier):
        add(frontier, entry(1, host=A))
        rest(frontier, A, 60)
        rest(frontier, A, 1)
        rest(frontier, A, 0)
        assert take(frontier).wait_seconds == pytest.approx(60)

    @pytest.mark.parametrize("seconds", [0.0, -5.0, math.nan, math.inf])
    def test_a_senseless_rest_is_none(self, frontier, seconds):
        add(frontier, entry(1, host=A))
        rest(frontier, A, seconds)
        assert len(take(frontier).leases) == 1

    def test_a_clock_set_back_does_not_lengthen_a_rest(self, frontier, clock):
        add(frontier, entry(1, host=A))
        rest(frontier, A, 10)
        clock.now -= 1_000_000
        assert take(frontier).wait_seconds == pytest.approx(10)
        clock.now += 10.001
        assert len(take(frontier).leases) == 1

    def test_links_found_for_a_resting_host_do_not_wake_it(self, frontier):
        add(frontier, entry(1, host=A))
        rest(frontier, A, 10)
        add(frontier, entry(2, 0.9, A))
        frontier.apply(Work(promotions=[(1, 0.95)]))
        assert take(frontier).reason == "resting"


class TestPromise12PagesPerHost:
    def test_a_host_gives_no_more_than_its_limit(self, make_frontier):
        frontier = make_frontier(pages_per_host=3)
        add(frontier, *(entry(n, host=A) for n in range(10)), *(entry(n, host=B) for n in range(10, 12)))
        assert len(drain(frontier, urls_per_host=2)) == 5
        grant = take(frontier)
        assert (grant.reason, grant.wait_seconds, grant.exhausted) == ("pages_per_host", None, True)
        assert frontier.counts() == Counts(queued=7, done=5, pages=5, hosts=2)


class TestEmptyAndOver:
    def test_a_new_frontier_is_exhausted(self, frontier):
        grant = take(frontier)
        assert (grant.leases, grant.wait_seconds, grant.reason, grant.exhausted) == ((), None, "empty", True)
        assert frontier.counts() == Counts()

    def test_nothing_queued_but_something_leased_is_not_the_end(self, frontier):
        add(frontier, entry(1))
        leases = take(frontier).leases
        grant = take(frontier)
        assert (grant.reason, grant.wait_seconds, grant.exhausted) == ("empty", None, False)
        finish(frontier, leases)
        assert take(frontier).exhausted

    def test_clear_forgets_everything(self, make_frontier):
        frontier = make_frontier(attempts=1)
        add(frontier, *(entry(n) for n in range(5)))
        finish(frontier, take(frontier).leases, End.FAILED)
        finish(frontier, take(frontier).leases)
        held = take(frontier).leases
        frontier.set_meta("摘要", "abc")
        frontier.clear()
        assert frontier.counts() == Counts()
        assert (frontier.known(range(5)), frontier.peek(), frontier.meta("摘要")) == (set(), [], "")
        assert add(frontier, entry(1)) == 1
        finish(frontier, held)
        assert frontier.counts().queued == 1


class TestPromise15Patience:
    """What is worth less than a half, or a tenth, of what is waited for stays queued."""

    @pytest.mark.parametrize(
        ("options", "score", "rest_seconds", "is_given"),
        [
            ({"patience": 2}, 0.29, 10, False),
            ({"patience": 2}, 0.30, 10, True),  # half of it is enough
            ({"patience": 2}, 0.29, 31, True),  # too long a rest
            ({"patience": 10}, 0.059, 10, False),
            ({"patience": 10}, 0.06, 10, True),
            ({"patience": 0}, 0.01, 10, True),
            ({"patience": 2, "server_policy": "performance"}, 0.29, 10, True),  # it is about speed
        ],
    )
    def test_a_resting_host(self, make_frontier, options, score, rest_seconds, is_given):
        frontier = make_frontier(**options)
        add(frontier, entry(1, 0.6, A), entry(2, score, B))
        rest(frontier, A, rest_seconds)
        grant = take(frontier)
        assert [lease.host for lease in grant.leases] == ([B] if is_given else [])
        if not is_given:
            assert (grant.reason, grant.wait_seconds, grant.exhausted) == ("patience", rest_seconds, False)

    def test_what_a_leased_host_has_more(self, make_frontier):
        frontier = make_frontier(patience=2)
        add(frontier, entry(1, 0.9, A), entry(2, 0.8, A), entry(3, 0.3, B), entry(4, 0.5, C))
        first = take(frontier, hosts=3)
        assert [lease.host for lease in first.leases] == [A, C]
        assert take(frontier).reason == "patience"
        finish(frontier, first.leases)
        second = take(frontier, hosts=3)  # A's last is leased: nothing is left to wait for
        assert [lease.host for lease in second.leases] == [A, B]

    def test_neither_blocked_hosts_nor_links_worth_nothing_are_waited_for(self, make_frontier):
        frontier = make_frontier(patience=2, pages_per_host=1)
        add(frontier, entry(1, 0.0, A), entry(2, -1.0, B), entry(3, 0.9, C), entry(4, 0.8, C))
        rest(frontier, A, 10)
        assert [lease.host for lease in take(frontier, hosts=3).leases] == [C, B]  # C gives one page, B beside A's 0

    def test_a_rest_that_is_over_ends_the_wait(self, make_frontier, clock):
        frontier = make_frontier(patience=2, clock=clock)
        add(frontier, entry(1, 0.6, A), entry(2, 0.2, B))
        rest(frontier, A, 10)
        assert take(frontier, hosts=2).leases == ()
        clock.now += 10
        assert [lease.host for lease in take(frontier, hosts=2).leases] == [A, B]


class TestPromise16LeastScore:
    def test_what_is_worth_less_stays_queued_and_is_said(self, make_frontier):
        frontier = make_frontier(least_score=0.3)
        add(frontier, entry(1, 0.9, A), entry(2, 0.3, A), entry(3, 0.29, A), entry(4, 0.2, B))
        assert drain(frontier, hosts=2, urls_per_host=9) == [1, 2]
        grant = take(frontier)
        assert (grant.reason, grant.wait_seconds, grant.exhausted) == ("low_score", None, True)
        assert [one.fingerprint for one in frontier.peek()] == [3, 4]

    @pytest.mark.parametrize("policy", ["quality", "bfs", "performance", "capacity"])
    def test_whatever_ranks_hosts(self, make_frontier, policy):
        frontier = make_frontier(least_score=0.3, server_policy=policy)
        add(frontier, *(entry(n, 0.1, A) for n in range(9)), entry(9, 0.5, B))
        assert drain(frontier, hosts=2, urls_per_host=2) == [9]

    def test_it_is_granted_when_it_has_risen_and_not_when_it_has_fallen(self, make_frontier):
        frontier = make_frontier(least_score=0.3)
        add(frontier, entry(1, 0.1, A), entry(2, 0.1, B), entry(3, 0.5, C))
        frontier.apply(Work(promotions=[(1, 0.4)], revisions=[(2, 0.35), (3, 0.2)]))
        assert drain(frontier, hosts=3) == [1, 2]

    def test_while_something_is_leased_it_is_not_the_end(self, make_frontier):
        frontier = make_frontier(least_score=0.3)
        add(frontier, entry(1, 0.9, A), entry(2, 0.1, A), entry(3, 0.1, B))
        (lease,) = take(frontier).leases
        grant = frontier.acquire("node-2", 1, 1, 60.0)
        assert (grant.reason, grant.wait_seconds, grant.exhausted) == ("low_score", None, False)
        frontier.apply(Work(completions=ends(lease), entries=[entry(4, 0.6, B)]))
        assert drain(frontier) == [4]

    def test_hosts_that_rest_are_waited_for_only_when_it_is_worth_it(self, make_frontier):
        frontier = make_frontier(least_score=0.3)
        add(frontier, entry(1, 0.1, A), entry(2, 0.4, B))
        rest(frontier, A, 10)
        rest(frontier, B, 20)
        grant = take(frontier)
        assert (grant.reason, grant.wait_seconds) == ("resting", 20)
        revise(frontier, (2, 0.2))
        assert take(frontier).exhausted


class TestViews:
    def test_peek_shows_the_best_queued_of_all_hosts(self, frontier):
        add(frontier, *(entry(n, n / 10, f"{n % 3}.example") for n in range(9)))
        rest(frontier, "2.example", 100)
        take(frontier)  # 7, on host 1: host 2 rests
        assert [one.fingerprint for one in frontier.peek(4)] == [8, 6, 5, 4]
        assert len(frontier.peek(100)) == 8
        assert frontier.peek(0) == []

    def test_meta_keeps_facts(self, frontier):
        assert frontier.meta("topic") == ""
        frontier.set_meta("topic", "旅游")
        frontier.set_meta("topic", "美食\x00𠮷")
        assert frontier.meta("topic") == "美食\x00𠮷"


class TestNumbers:
    """What a script or a column does to numbers when nobody is careful."""

    @pytest.mark.parametrize("number", [9007199254740993, -9007199254740993, 2**63 - 1, -(2**63), -1, 0])
    def test_fingerprints_come_back_whole(self, frontier, number):
        near = [number + step for step in (-1, 0, 1) if -(2**63) <= number + step < 2**63]
        assert add(frontier, *(entry(one) for one in near)) == len(near)
        leases = take(frontier, urls_per_host=9).leases
        assert sorted(one.fingerprint for lease in leases for one in lease.entries) == sorted(near)
        assert frontier.known([*near, 12345]) == set(near)

    @pytest.mark.parametrize("micros", [0, 1, -1, 970_000, 999_999, 123_456_789_012])
    def test_scores_come_back_whole(self, frontier, micros):
        add(frontier, entry(1, micros / 1e6))
        assert [one.score for one in frontier.peek()] == [micros / 1e6]


class TestTexts:
    @pytest.mark.parametrize("text", ["中文 路径", "𠮷", "a\x00b", "'; DROP TABLE urls; --", "", "x" * 100_000])
    def test_texts_come_back_as_they_went_in(self, frontier, text):
        given = entry(1, host=text or A, referrer=text, payload=text)
        add(frontier, given)
        assert take(frontier).leases[0].entries == (given,)

    def test_a_lone_surrogate_does_not_fail_the_flush(self, frontier):
        add(frontier, entry(1, host="\ud800.example", referrer="\udfff"), entry(2, host=A))
        frontier.apply(Work(timings={"\ud800.example": HostTiming(rest_seconds=1)}))
        frontier.set_meta("x", "\ud800")
        assert frontier.counts() == Counts(queued=2, hosts=2)
        rested = take(frontier, hosts=2)
        assert [lease.host for lease in rested.leases] == [A]


@pytest.mark.parametrize(
    ("option", "value", "named"),
    [("server_policy", "fastest", "TOPICSPIDER_SERVER_POLICY"), ("attempts", 0, "TOPICSPIDER_ATTEMPTS")],
)
def test_a_wrong_option_is_one_clear_line(make_frontier, option, value, named):
    with pytest.raises(ConfigError, match=f"{named}: {value!r} is not valid; allowed: "):
        make_frontier(**{option: value})


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
