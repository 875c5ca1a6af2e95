"""One line when a store goes away, one when it is back for good."""

from __future__ import annotations

import logging

import pytest

from topicspider.errors import StoreUnavailable
from topicspider.store.writer import STEADY_SECONDS, Outage

FULL = StoreUnavailable("store mysql://h/库", "The table 'pages' is full")


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO)
    return caplog


def said(lines: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage().split(":")[0] for record in lines.records]


class Clock:
    """Goes on when it is told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_store_that_takes_all_that_waited_is_back(lines: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    outage = Outage(clock)
    outage.end(3)  # it was not away
    outage.begin(FULL, 7, "outbox.db")
    clock.now += 2
    outage.begin(FULL, 9, "outbox.db")
    clock.now += 1
    assert outage.is_on
    assert outage.so_far == (1, 3.0)
    outage.end(12)
    assert not outage.is_on
    clock.now += 60
    assert outage.so_far == (1, 3.0)
    assert said(lines) == [
        "the store is away, 7 row(s) wait for it in outbox.db",
        "the store is back after 3.0 s, 12 row(s) were waiting",
    ]


def test_a_store_that_takes_a_row_now_and_then_is_still_away(lines: pytest.LogCaptureFixture) -> None:
    """As MariaDB does whose disk is full: small rows still fit into pages that it has."""
    clock = Clock()
    outage = Outage(clock)
    for _ in range(20):
        outage.begin(FULL, 40)
        clock.now += 1
        outage.end(40, left=39)
        clock.now += STEADY_SECONDS - 0.1
    assert outage.is_on
    assert len(said(lines)) == 1
    outage.end(50, left=49)
    clock.now += STEADY_SECONDS
    outage.end(1000, left=900)  # a long queue, of which all was taken for a while
    assert not outage.is_on
    assert said(lines)[1:] == ["the store is back after 113.1 s, 40 row(s) were waiting"]


def test_every_outage_is_told_of(lines: pytest.LogCaptureFixture) -> None:
    outage = Outage(Clock())
    assert outage.so_far == (0, 0.0)
    for _ in range(2):
        outage.begin(FULL, 1)
        outage.end(1)
    assert len(said(lines)) == 4
    assert outage.so_far[0] == 2
