"""How late the event loop was lately."""

from __future__ import annotations

import pytest

from topicspider.extensions.metrics import KEPT_SECONDS, LoopLag


def test_the_worst_of_the_last_minute_is_told_and_then_forgotten():
    lag = LoopLag(0.5, 100.0)
    lag.beat(100.5)
    lag.beat(103.0)
    lag.beat(103.6)
    assert lag.worst(104.0) == pytest.approx(2.0)
    assert lag.worst(103.0 + KEPT_SECONDS) == pytest.approx(2.0)
    assert lag.worst(103.5 + KEPT_SECONDS) == pytest.approx(0.1)
    assert lag.worst(200.0 + KEPT_SECONDS) == 0.0


def test_a_beat_that_comes_early_is_no_lag():
    lag = LoopLag(0.5, 100.0)
    lag.beat(100.2)
    assert lag.worst(100.2) == 0.0
