"""When a host may be asked again and how long it rests."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.politeness.host_clock import (
    DOWN_SECONDS,
    FAILURES_UNTIL_DOWN,
    PATIENCE_WITHOUT_NETWORK,
    HostClock,
    backoff_seconds,
    delay_seconds,
    retry_after_seconds,
)

NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("last", "crawl_delay", "factor", "low", "high", "rest"),
    [
        (0.5, 0, 10, 1, 60, 5.0),  # (e) Broder: ten times the last download
        (0.01, 0, 10, 1, 60, 1.0),
        (30, 0, 10, 1, 60, 60.0),
        (0.5, 7, 10, 1, 60, 7.0),
        (0.5, 500, 10, 1, 60, 60.0),
        (0.5, 0, 0, 0, 60, 0.0),
        (0.5, 2, 0, 0, 60, 2.0),
    ],
)
def test_rest_is_the_longer_wish_between_bounds(
    last: float, crawl_delay: float, factor: float, low: float, high: float, rest: float
) -> None:
    assert delay_seconds(last, crawl_delay, factor, low, high) == pytest.approx(rest)


def test_backoff_doubles_up_to_its_limit() -> None:
    assert [backoff_seconds(n) for n in (1, 2, 3, 4, 10, 5000)] == [2, 4, 8, 16, 600, 600]


def test_retry_after_lengthens_the_backoff_but_never_past_the_limit() -> None:
    assert backoff_seconds(1, 30) == 30
    assert backoff_seconds(1, 1e9) == 600
    assert backoff_seconds(6, 1) == 64


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("Sat, 21 Nov 2026 12:00:30 GMT", 30.0),
        ("Saturday, 21-Nov-26 12:00:30 GMT", 30.0),
        ("Sat, 21 Nov 2026 11:00:00 GMT", 0.0),
        ("Sat, 21 Nov 2026 20:00:30 +0800", 30.0),
        ("", None),
        ("-5", None),
        ("soon", None),
        ("99999999999999999999", None),
        ("Sat, 99 Nov 2026 12:00:30 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str, seconds: float | None) -> None:
    assert retry_after_seconds(header, NOW) == seconds


@given(st.text(max_size=60))
def test_no_retry_after_raises(header: str) -> None:
    seconds = retry_after_seconds(header, NOW)
    assert seconds is None or seconds >= 0


def _clock(**more: int) -> HostClock:
    return HostClock(10.0, 1.0, 60.0, **more)


def test_a_host_rests_ten_times_as_long_as_its_download_took() -> None:
    clock = _clock()
    assert clock.finished("a:80", 0.5, now=100.0) == 5.0
    assert clock.wait_seconds("a:80", 102.0) == 3.0
    assert clock.wait_seconds("a:80", 105.0) == 0.0


def test_what_we_broke_off_ourselves_says_nothing_of_its_host_but_it_rests() -> None:
    """Neither is it reached, nor does it refuse less."""
    clock = _clock()
    for failure in range(FAILURES_UNTIL_DOWN * PATIENCE_WITHOUT_NETWORK):
        assert not clock.is_down("断.example:80", failure)
        clock.unreachable("断.example:80", failure)
        assert clock.aborted("断.example:80", 0.5, failure) > 0
    assert clock.is_down("断.example:80", failure)
    assert clock.aborted("新.example:80", 0.5, 100.0) == 5.0


def test_crawl_delay_counts_from_the_robots_txt_that_told_it() -> None:
    clock = _clock()
    clock.finished("a:80", 0.1, now=100.0)
    clock.set_crawl_delay("a:80", 8.0)
    assert clock.wait_seconds("a:80", 100.5) == 7.5
    assert clock.finished("a:80", 0.1, now=110.0) == 8.0


def test_a_host_that_refuses_rests_longer_each_time_until_it_answers() -> None:
    clock = _clock()
    rests = [clock.blocked("a:80", 0.01, now) for now in (0.0, 1000.0, 2000.0)]
    assert rests == [2.0, 4.0, 8.0]
    clock.finished("a:80", 0.01, 3000.0)
    assert clock.blocked("a:80", 0.01, 4000.0) == 2.0


def test_a_refusal_that_looked_like_a_page_rests_the_host_longer_each_time_too() -> None:
    clock, rests = _clock(), []
    for now in (0.0, 1000.0, 2000.0):
        clock.finished("a:80", 0.01, now)
        rests.append(clock.penalise("a:80", now))
    assert rests == [2.0, 4.0, 8.0]
    clock.finished("a:80", 0.01, 3000.0)
    clock.finished("a:80", 0.01, 3100.0)
    assert clock.penalise("a:80", 3100.0) == 2.0


def test_a_rest_is_never_shortened() -> None:
    clock = _clock()
    clock.blocked("a:80", 0.01, 0.0, retry_after=120.0)
    assert clock.finished("a:80", 0.01, 10.0) == 110.0


def test_a_host_out_of_reach_is_given_up_when_others_answer() -> None:
    clock = _clock()
    clock.unreachable("gone:80", 0.0)
    clock.finished("well:80", 0.1, 1.0)
    for now in range(1, FAILURES_UNTIL_DOWN - 1):
        clock.unreachable("gone:80", float(now))
        assert not clock.is_down("gone:80", float(now))
    clock.unreachable("gone:80", 10.0)
    assert clock.is_down("gone:80", 11.0)
    assert not clock.is_down("well:80", 11.0)
    assert not clock.is_down("gone:80", 11.0 + DOWN_SECONDS)


def test_no_host_is_given_up_early_while_nothing_can_be_reached() -> None:
    clock = _clock()
    patience = FAILURES_UNTIL_DOWN * PATIENCE_WITHOUT_NETWORK
    for now in range(patience - 1):
        clock.unreachable("a:80", float(now))
    assert not clock.is_down("a:80", float(patience))
    clock.unreachable("a:80", float(patience))
    assert clock.is_down("a:80", float(patience))


def test_failures_in_a_row_rest_longer_but_within_bounds() -> None:
    clock = _clock()
    rests = [clock.unreachable("a:80", now) for now in (0.0, 1e3, 2e3, 3e3, 4e3, 5e3, 6e3)]
    assert rests == [2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]


@pytest.mark.parametrize("capacity", [1, 3])
def test_at_most_so_many_hosts_are_remembered(capacity: int) -> None:
    clock = _clock(capacity=capacity)
    for number in range(10):
        clock.finished(f"host{number}:80", 1.0, 0.0)
    assert sum(clock.wait_seconds(f"host{number}:80", 0.0) > 0 for number in range(10)) == capacity


def test_who_rests_longest_and_why() -> None:
    clock = _clock()
    clock.finished("usual:80", 0.3, now=100.0)
    clock.set_crawl_delay("asked:80", 8.0)
    clock.finished("asked:80", 0.1, now=100.0)
    clock.finished("done:80", 0.1, now=90.0)
    resting = clock.delayed(101.0)
    assert resting.reasons == {"": 1, "crawl_delay": 1}
    assert (resting.longest, resting.why) == ("asked:80", "crawl_delay")
    assert resting.seconds_left == pytest.approx(7.0)
    assert resting.delay_seconds == pytest.approx(8.0)
    clock.blocked("refused:80", 0.1, 101.0, retry_after=30.0)
    resting = clock.delayed(101.0)
    assert (resting.longest, resting.why, resting.reasons["backoff"]) == ("refused:80", "backoff", 1)
