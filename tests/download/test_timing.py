"""Averages of each host's speed ((c) Cao)."""

from __future__ import annotations

import pytest

from topicspider.download.timing import HostSpeeds, smoothed


@pytest.mark.parametrize(
    ("average", "measured", "result"),
    [(None, None, None), (None, 2.0, 2.0), (1.0, None, 1.0), (1.0, 2.0, 1.2), (0.5, 0.0, 0.4)],
)
def test_a_new_measurement_counts_a_fifth(average: float | None, measured: float | None, result: float | None) -> None:
    assert smoothed(average, measured) == (None if result is None else pytest.approx(result))


def test_a_kept_connection_leaves_the_connection_time_alone() -> None:
    speeds = HostSpeeds()
    speeds.measured("a:80", 1.0, 1.0)
    speed = speeds.measured("a:80", None, 2.0)
    assert (speed.connect_seconds, speed.response_seconds) == (1.0, pytest.approx(1.2))


def test_at_most_so_many_hosts_are_remembered() -> None:
    speeds = HostSpeeds(capacity=2)
    for host in ("a", "b", "a", "c"):
        speeds.measured(host, 1.0, 1.0)
    assert [speeds.of(host).response_seconds for host in "abc"] == [1.0, None, 1.0]
