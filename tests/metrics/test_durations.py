"""Buckets of how long things took."""

from __future__ import annotations

import math

from topicspider.metrics.exposition import BOUNDS, Durations


def test_a_bound_belongs_to_its_bucket_and_each_bucket_holds_the_shorter_ones():
    durations = Durations((0.1, 1.0))
    for seconds in (0.05, 0.1, 0.100001, 1.0, 7.5):
        durations.add(seconds)
    assert durations.cumulative() == [(0.1, 2), (1.0, 4), (math.inf, 5)]
    assert durations.total_seconds == 0.05 + 0.1 + 0.100001 + 1.0 + 7.5


def test_nothing_measured_is_zero_everywhere():
    assert Durations().cumulative() == [(bound, 0) for bound in (*BOUNDS, math.inf)]
    assert Durations().total_seconds == 0.0
