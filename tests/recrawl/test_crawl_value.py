"""What another look at a page is worth, and after how long."""

from __future__ import annotations

import pytest

from topicspider.recrawl.crawl_value import LONGEST_CYCLE, SHORTEST_CYCLE, Prospect, level_of


def test_a_fetch_just_made_is_worth_nothing_and_one_of_a_page_of_no_weight_never_anything():
    assert Prospect(1.0, 1.0, 1.0).value(0.0) == 0.0
    assert Prospect(0.0, 1.0).value(1000.0) == 0.0
    assert Prospect(0.0, 1.0).cycle(0.5) == LONGEST_CYCLE


def test_a_page_that_changes_far_too_fast_is_never_worth_much():
    assert Prospect(1.0, 24.0).value(1000.0) < Prospect(0.5, 0.05).value(7.0)
    assert Prospect(1.0, 24.0).cycle(0.5) == LONGEST_CYCLE


def test_the_more_new_hits_a_hub_gives_the_sooner_it_comes():
    hubs = [Prospect(0.05, 0.03, hits) for hits in (0.0, 0.1, 1.0, 10.0)]
    values = [hub.value(3.0) for hub in hubs]
    cycles = [hub.cycle(0.5) for hub in hubs]
    assert values == sorted(values)
    assert cycles == sorted(cycles, reverse=True)
    assert values[-1] > 10 * values[0]


@pytest.mark.parametrize("level", [0.01, 0.3, 2.0])
@pytest.mark.parametrize("prospect", [Prospect(0.8, 0.05), Prospect(0.9, 0.3), Prospect(0.2, 0.02, 0.5)])
def test_at_the_end_of_its_cycle_a_page_is_worth_the_level(prospect, level):
    cycle = prospect.cycle(level)
    assert SHORTEST_CYCLE <= cycle <= LONGEST_CYCLE
    rest = 0.0513 / (prospect.rate + prospect.hits_a_day)  # one chance in twenty
    if cycle < LONGEST_CYCLE and cycle > 1.01 * rest:
        assert prospect.value(cycle) == pytest.approx(level, rel=0.01)


def test_at_the_level_all_pages_together_want_what_is_there():
    prospects = [
        Prospect(0.1 * weight, 0.02 * rate, 0.01 * (rate % 3)) for weight in range(1, 10) for rate in range(1, 20)
    ]
    for fetches in (5.0, 20.0, 60.0):
        level = level_of(prospects, fetches)
        assert sum(1 / one.cycle(level) for one in prospects) == pytest.approx(fetches, rel=0.01)
    assert level_of(prospects, 5.0) > level_of(prospects, 60.0)
    assert level_of([], 5.0) > 0
