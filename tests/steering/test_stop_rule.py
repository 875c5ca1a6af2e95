"""A crawl stops when its last pages brought too little, or too little is left; the estimate is that of a thinning stream."""

from __future__ import annotations

import math
import random

import pytest

from topicspider.steering.stop_rule import FEW_LEFT, LOW_YIELD, StopRule, estimate


def run(rule, finds, queued=1_000):
    """At which page it stops and why; None when it goes on."""
    for number, is_find in enumerate(finds, 1):
        rule.note(is_find)
        if (stop := rule.verdict(queued)) is not None:
            return number, stop.reason
    return None


def test_without_a_rule_nothing_stops():
    assert run(StopRule(10), [False] * 200) is None


@pytest.mark.parametrize(
    ("percent", "stops"), [(30, (18, LOW_YIELD)), (20, (19, LOW_YIELD)), (10, (20, LOW_YIELD)), (0, None)]
)
def test_too_few_hits_on_the_last_pages(percent, stops):
    """Of the last ten pages three are hits at page 17, then one less with each page."""
    assert run(StopRule(10, least_percent=percent), [True] * 10 + [False] * 60) == stops


def test_nothing_stops_before_enough_pages_are_seen():
    assert run(StopRule(50, least_percent=50), [False] * 49) is None
    assert run(StopRule(50, least_left=1e9), [False] * 124) is None
    assert run(StopRule(50, least_left=1e9), [False] * 125) == (125, FEW_LEFT)


def test_a_steady_stream_goes_on_and_a_thinning_one_stops():
    steady = [number % 4 == 0 for number in range(2_000)]
    assert run(StopRule(100, least_left=5), steady) is None
    thinning = [random.Random(number).random() < 0.8 * math.exp(-number / 250) for number in range(3_000)]
    at, reason = run(StopRule(100, least_left=5), thinning)
    assert reason == FEW_LEFT
    assert sum(thinning[at:]) <= 20


def test_the_estimate_is_the_sum_of_what_thins_out_by_a_fixed_share():
    assert estimate(before=80, last=40, pages=100, queued=10**6).about == pytest.approx(40, rel=0.15)
    assert estimate(before=90, last=30, pages=100, queued=10**6).about == pytest.approx(15, rel=0.15)


def test_no_more_is_left_than_the_present_rate_over_the_queue():
    assert estimate(before=50, last=50, pages=100, queued=20).about == pytest.approx(10, rel=0.05)
    assert estimate(before=0, last=0, pages=100, queued=0).high == 0


@pytest.mark.parametrize(("before", "last"), [(40, 20), (3, 1), (0, 0), (5, 50)])
def test_the_interval_holds_the_estimate(before, last):
    left = estimate(before, last, 100, 5_000)
    assert 0 <= left.low <= left.about <= left.high <= 5_000
