"""The four server policies of (c) Cao: golden vectors, the plain formulas, and the order they give."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.frontier.drive import add, drain, entry, finish, take
from tests.reference import frontier_reference as paper
from topicspider.frontier.host_ranking import SERVER_RANKS, HostView, moving_average, requests_told, task_seconds
from topicspider.frontier.protocol import End, HostTiming, Work

FAST, SLOW, POOR = "快.example:80", "慢.example:80", "差.example:80"

# queued, best, next_sum, entered, connect, response -> P, T, bfs, performance, quality, capacity; by hand
GOLDEN = [
    ((1, 0.9, 0.9, 7, 0.1, 0.5), (1, 0.8, -7.0, 1.25, 0.9, 1.125)),
    ((10, 0.5, 4.0, 0, 0.05, 0.2), (10, 2.5, 0.0, 4.0, 0.5, 1.6)),
    ((50, 1.0, 30.0, 3, 1.0, 1.0), (50, 62.0, -3.0, 50 / 62, 1.0, 30 / 62)),
    ((51, 1.0, 30.0, 3, 1.0, 1.0), (50, 62.0, -3.0, 50 / 62, 1.0, 30 / 62)),
    ((100_000, 0.25, 12.5, 9_999, 0.5, 0.1), (50, 7.0, -9_999.0, 50 / 7, 0.25, 12.5 / 7)),
    ((5, 0.2, 1.0, 1, None, None), (5, 3.2, -1.0, 1.5625, 0.2, 0.3125)),
    ((2, 0.2, 0.3, 1, 0.0, 0.0), (2, 0.001, -1.0, 2000.0, 0.2, 300.0)),
    # with the requests that a connection gives
    ((10, 0.5, 0.5, 0, 0.05, 0.2, 1), (1, 0.3, 0.0, 1 / 0.3, 0.5, 0.5 / 0.3)),  # one page a connection: no reserve
    ((10, 0.5, 0.9, 0, 0.05, 0.2, 2), (2, 0.58, 0.0, 2 / 0.58, 0.5, 0.9 / 0.58)),
    ((200, 1.0, 40.0, 3, 1.0, 1.0, 100), (100, 122.0, -3.0, 100 / 122, 1.0, 40 / 122)),
    ((60, 1.0, 30.0, 3, 1.0, 1.0, 100), (60, 74.0, -3.0, 60 / 74, 1.0, 30 / 74)),
    ((5, 0.2, 0.2, 1, None, None, 1), (1, 0.7, -1.0, 1 / 0.7, 0.2, 0.2 / 0.7)),
]


@pytest.mark.parametrize(("host", "expected"), GOLDEN)
def test_golden_vectors(host, expected):
    view = HostView(*host)
    ranks = [SERVER_RANKS[name](view) for name in ("bfs", "performance", "quality", "capacity")]
    assert [view.pages, task_seconds(view), *ranks] == pytest.approx(expected)


times = st.floats(0.001, 100)


@given(times, times, st.lists(st.floats(0, 1), min_size=1, max_size=120))
def test_policies_agree_with_the_plain_formulas(connect, response, qualities):
    next_sum = math.fsum(sorted(qualities, reverse=True)[: HostView(len(qualities)).pages])
    view = HostView(len(qualities), max(qualities), next_sum, 0, connect, response)
    assert SERVER_RANKS["performance"](view) == pytest.approx(paper.speed(connect, response, len(qualities)))
    assert SERVER_RANKS["capacity"](view) == pytest.approx(paper.capacity(connect, response, qualities))


@given(st.lists(times, min_size=1, max_size=20))
def test_moving_average_is_8_parts_old_2_parts_new(measurements):
    value = None
    for measurement in measurements:
        value = moving_average(value, measurement)
    assert value == pytest.approx(paper.average_after(measurements))


@pytest.mark.parametrize("new", [None, math.nan, math.inf, -1.0])
@pytest.mark.parametrize("old", [None, 0.5])
def test_what_was_not_measured_changes_no_average(old, new):
    assert moving_average(old, new) == old


@pytest.mark.parametrize(
    ("old", "new", "told"), [(None, None, None), (None, 1, 1), (7, None, 7), (7, 2, 2), (7, 0, 7), (7, -1, 7), (7, 5000, 100)]
)  # fmt: skip
def test_a_connection_gives_as_many_requests_as_the_last_answer_told(old, new, told):
    assert requests_told(old, new) == told


def _fill(frontier):
    """A slow host with the best URL, a fast one with many good URLs, an unknown one with poor URLs."""
    timings = {SLOW: HostTiming(0, 2.0, 4.0), FAST: HostTiming(0, 0.01, 0.05)}
    slow = [entry(n, 0.9 + n / 100, SLOW) for n in range(3)]
    fast = [entry(n, 0.5, FAST) for n in range(10, 20)]
    poor = [entry(n, 0.1, POOR) for n in range(20, 30)]
    frontier.apply(Work(entries=slow, timings=timings))
    add(frontier, *poor)
    add(frontier, *fast)


@pytest.mark.parametrize(
    ("policy", "hosts"),
    [
        ("bfs", [SLOW, POOR, FAST]),
        ("performance", [FAST, POOR, SLOW]),
        ("quality", [SLOW, FAST, POOR]),
        ("capacity", [FAST, POOR, SLOW]),
    ],
)
def test_each_policy_has_its_order_of_hosts(make_frontier, policy, hosts):
    frontier = make_frontier(server_policy=policy)
    _fill(frontier)
    assert [lease.host for lease in take(frontier, hosts=3).leases] == hosts


def test_capacity_counts_only_the_next_fifty_urls(make_frontier):
    frontier = make_frontier(server_policy="capacity")
    timing = HostTiming(0, 0.1, 0.1)
    many = [entry(n, 0.5, FAST) for n in range(500)]
    few = [entry(n, 0.6, SLOW) for n in range(500, 550)]
    frontier.apply(Work(entries=many + few, timings={FAST: timing, SLOW: timing}))
    assert take(frontier).leases[0].host == SLOW


@pytest.mark.parametrize(("policy", "first"), [("performance", SLOW), ("capacity", SLOW), ("quality", FAST)])
def test_a_host_that_closes_after_each_page_pays_for_each_connection(make_frontier, policy, first):
    """FAST answers sooner, but gives one page in 2·.5 + .1 s; SLOW gives ten in 2·.5 + 1.2·10·.3 s."""
    frontier = make_frontier(server_policy=policy)
    urls = [entry(n, 0.6, FAST) for n in range(10)] + [entry(n, 0.5, SLOW) for n in range(10, 20)]
    frontier.apply(Work(entries=urls, timings={FAST: HostTiming(0, 0.5, 0.1), SLOW: HostTiming(0, 0.5, 0.3)}))
    assert _first_host(frontier) == FAST
    frontier.apply(Work(timings={FAST: HostTiming(requests_per_connection=1)}))
    assert _first_host(frontier) == first
    frontier.apply(Work(timings={FAST: HostTiming(requests_per_connection=100)}))
    assert _first_host(frontier) == FAST


def test_capacity_follows_what_is_taken_added_and_promoted(make_frontier):
    frontier = make_frontier(server_policy="capacity")
    add(frontier, *(entry(n, 0.9, FAST) for n in range(59)), entry(59, 0.1, FAST))
    add(frontier, *(entry(n, 0.5, SLOW) for n in range(60, 120)))
    assert _first_host(frontier) == FAST
    finish(frontier, take(frontier, urls_per_host=59).leases)
    assert _first_host(frontier) == SLOW
    frontier.apply(Work(promotions=[(59, 0.95)]))
    assert _first_host(frontier) == FAST
    frontier.apply(Work(promotions=[(n, 2.0) for n in range(60, 90)]))
    assert _first_host(frontier) == SLOW
    add(frontier, *(entry(n, 2.0, FAST) for n in range(120, 180)))
    assert _first_host(frontier) == FAST


def _first_host(frontier):
    leases = take(frontier).leases
    finish(frontier, leases, End.RELEASED)
    return leases[0].host


def test_breadth_first_serves_hosts_in_turn(make_frontier):
    frontier = make_frontier(server_policy="bfs")
    for number in range(6):
        add(frontier, entry(number, number, f"{number % 3}.example"))
    assert [number % 3 for number in drain(frontier)] == [0, 1, 2, 0, 1, 2]
