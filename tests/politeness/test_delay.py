"""How long a host is left alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.politeness.host_clock import backoff_seconds, delay_seconds, retry_after_seconds

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
    assert [backoff_seconds(n, base=1, limit=10) for n in (1, 2, 3, 4, 5, 5000)] == [1, 2, 4, 8, 10, 10]


def test_retry_after_lengthens_the_backoff_but_never_past_the_limit() -> None:
    assert backoff_seconds(1, 30, base=1, limit=100) == 30
    assert backoff_seconds(1, 1e9, base=1, limit=100) == 100
    assert backoff_seconds(6, 1, base=1, limit=100) == 32


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
