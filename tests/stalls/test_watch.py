"""When a crawl counts as slow, and what is said of it when."""

from __future__ import annotations

from topicspider.stalls.causes import Cause
from topicspider.stalls.watch import CALM_SECONDS, QUIET_SECONDS, Pace, StallWatch

RESTING, DNS = Cause("resting"), Cause("dns")


def looks(watch, pairs):
    """What is said of (now, cause), as (now, kind or "over")."""
    said = []
    for now, cause in pairs:
        news = watch.look(now, cause)
        if news is not None:
            said.append((now, news.kind if isinstance(news, Cause) else "over"))
    return said


def test_a_cause_is_said_once_whatever_its_numbers_become():
    pairs = [(now, Cause("resting", {"until": now})) for now in range(300)]
    assert looks(StallWatch(), pairs) == [(0, "resting")]


def test_it_is_over_after_some_calm_and_once():
    watch = StallWatch()
    pairs = [(now, DNS if now < 20 else None) for now in range(60)]
    assert looks(watch, pairs) == [(0, "dns"), (19 + CALM_SECONDS, "over")]


def test_a_host_that_rests_half_a_minute_after_each_page_is_one_stall():
    pairs = [(now, RESTING if now % 30 >= QUIET_SECONDS else None) for now in range(600)]
    assert looks(StallWatch(), pairs) == [(5, "resting")]


def paced(rates):
    """Looks once a second at a crawl with ``rates`` pages in each second; whether it was slow after each."""
    pace, pages, slow = Pace(0.0), 0.0, []
    for second, rate in enumerate(rates, 1):
        pages += rate
        pace.look(float(second), int(pages))
        slow.append(pace.is_slow(float(second)))
    return slow


def test_no_page_for_five_seconds_is_slow_from_the_start():
    assert paced([0] * 6) == [False, False, False, False, True, True]


def test_a_drop_to_a_tenth_is_slow_within_ten_seconds_and_until_it_recovers():
    slow = paced([20] * 60 + [2] * 60 + [20] * 30)
    assert not any(slow[:60])
    assert all(slow[69:120])
    assert not any(slow[130:])
