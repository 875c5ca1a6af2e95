"""What the scheduler's talk with the frontier came to last."""

from __future__ import annotations

from topicspider.frontier.protocol import Grant
from topicspider.stalls.frontier_status import ENDS_KEPT, FrontierStatus


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def test_a_call_under_way_grows_older_until_it_ends():
    clock = Clock()
    pulse = FrontierStatus(clock)
    assert pulse.call_seconds == 0.0
    with pulse.call():
        clock.now += 4.0
        assert pulse.call_seconds == 4.0
    assert pulse.call_seconds == 0.0


def test_a_call_that_failed_is_over():
    pulse = FrontierStatus(Clock())
    try:
        with pulse.call():
            raise OSError
    except OSError:
        assert pulse.call_seconds == 0.0


def test_the_wait_that_was_granted_runs_down():
    clock = Clock()
    pulse = FrontierStatus(clock)
    pulse.granted(Grant((), 10.0, "resting"))
    clock.now += 4.0
    assert pulse.wait_seconds == 6.0
    clock.now += 40.0
    assert pulse.wait_seconds == 0.0
    pulse.granted(Grant((), None, "empty"))
    assert pulse.wait_seconds is None


def test_failures_are_those_since_the_last_page():
    pulse = FrontierStatus(Clock())
    for reason in ("dns", "", "robots", "redirect"):
        pulse.ended("旅游.example:80", reason)
    assert [end.outcome for end in pulse.ends_since_page()] == ["robots", "redirect"]


def test_few_ends_are_kept():
    pulse = FrontierStatus(Clock())
    for _ in range(10_000):
        pulse.ended("a.example:80", "dns")
    assert len(pulse.ends_since_page()) == ENDS_KEPT
