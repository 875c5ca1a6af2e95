"""A crawl stops when its last pages brought too little."""

from __future__ import annotations

import pytest

from topicspider.steering import stop_rule


@pytest.mark.parametrize(("percent", "stops"), [(30, 18), (20, 19), (10, 20), (0, None)])
def test_it_stops_at_the_first_page_with_too_few_finds_before_it(monkeypatch, percent, stops):
    """Of the last ten pages three are finds at page 17, then one less with each page."""
    monkeypatch.setattr(stop_rule, "LAST_PAGES", 10)
    rule = stop_rule.StopRule(percent)
    for number, is_find in enumerate([True] * 10 + [False] * 60, 1):
        rule.note(is_find)
        if (stop := rule.verdict()) is not None:
            assert (number, stop.reason, stop.pages) == (stops, "low_yield", 10)
            return
    assert stops is None


def test_nothing_stops_before_enough_pages_are_seen():
    rule = stop_rule.StopRule(50)
    for _ in range(stop_rule.LAST_PAGES - 1):
        rule.note(False)
        assert rule.verdict() is None


@pytest.mark.parametrize(
    ("percent", "least", "waits", "stops"),
    [(-1, 0.005, False, 1_001), (-1, 0.0, False, None), (-1, 0.005, True, None), (0, 0.005, False, None)],
)
def test_the_usual_rule_ends_a_focused_crawl_when_a_thousand_pages_gave_no_hit(percent, least, waits, stops):
    rule = stop_rule.stop_rule_of(percent, least, waits=waits)
    found = []
    for number in range(1, 1_500):
        rule.note(number == 1)
        if rule.verdict() is not None:
            found.append(number)
    assert (found[0] if found else None) == stops
