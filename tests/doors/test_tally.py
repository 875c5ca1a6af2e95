"""The counts behind the live line."""

from __future__ import annotations

from collections import Counter

import pytest

from topicspider.crawl_components import CrawlStats
from topicspider.extensions.live import live_line


@pytest.fixture
def tally():
    now = [0.0]
    tally = CrawlStats(clock=lambda: now[0], max_pages=300, earlier_pages=40)
    for number in range(160):
        now[0] += 0.5
        tally.page(f"h{number % 7}.example", is_hit=number >= 100)
    tally.judged(kept=30, pruned=Counter({"low_rw": 60, "depth": 10}))
    tally.queued = 1234
    return tally


def test_harvest_rates_overall_and_of_the_last_hundred_differ(tally):
    assert tally.harvest_rate == pytest.approx(60 / 160)
    assert tally.recent_harvest_rate == pytest.approx(0.6)


def test_time_left_follows_the_limit_and_the_present_pace(tally):
    assert tally.pages_left == 300 - 40 - 160
    assert tally.seconds_left == pytest.approx(100 / 2, rel=0.05)


def test_an_empty_tally_divides_by_nothing():
    assert live_line(CrawlStats(), 79)


def test_the_links_of_the_last_pages_are_counted_by_reason():
    tally = CrawlStats()
    for _ in range(150):
        tally.judged(1, Counter({"low_rw": 8, "depth": 1}))
    assert tally.recent_links() == (1000, Counter({"low_rw": 800, "depth": 100}))
