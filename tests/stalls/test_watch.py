"""What is said of a stall when."""

from __future__ import annotations

from topicspider.stalls.causes import CALM_SECONDS, QUIET_SECONDS, Cause, StallWatch

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
    pairs = [(now, Cause("resting", f"until {now}")) for now in range(300)]
    assert looks(StallWatch(), pairs) == [(0, "resting")]


def test_it_is_over_after_some_calm_and_once():
    watch = StallWatch()
    pairs = [(now, DNS if now < 20 else None) for now in range(60)]
    assert looks(watch, pairs) == [(0, "dns"), (19 + CALM_SECONDS, "over")]


def test_a_host_that_rests_half_a_minute_after_each_page_is_one_stall():
    pairs = [(now, RESTING if now % 30 >= QUIET_SECONDS else None) for now in range(600)]
    assert looks(StallWatch(), pairs) == [(5, "resting")]
