"""How often a page changes, from what visits saw; what another look at it is worth, and after how long."""

from __future__ import annotations

import math
import random

import pytest

from topicspider.recrawl.crawl_value import (
    LONGEST_CYCLE,
    SHORTEST_CYCLE,
    USUAL_RATE,
    Prospect,
    UsualRates,
    change_rate,
    level_of,
)


def visits(rate: float, days: float, count: int, seed: int = 0) -> list[tuple[float, bool]]:
    rng = random.Random(seed)
    return [(days, rng.random() < 1 - math.exp(-rate * days)) for _ in range(count)]


@pytest.mark.parametrize("rate", [0.05, 0.2, 1.0])
def test_many_visits_find_the_rate_whatever_the_usual(rate):
    found = [
        change_rate(visits(rate, 1.0, 30, seed), usual) for seed in range(40) for usual in (rate / 3, rate, rate * 3)
    ]
    middle = math.exp(sum(map(math.log, found)) / len(found))
    assert rate / 1.4 < middle < rate * 1.4


def test_a_page_that_always_changed_is_faster_the_more_often_that_was_seen_but_never_without_bound():
    rates = [change_rate([(1.0, True)] * count) for count in (1, 3, 10, 30, 1000)]
    assert rates == sorted(rates)
    assert rates[-1] < 20
    assert rates[-1] == rates[-2]  # of the oldest visits nothing is kept


def test_siblings_say_what_is_usual():
    lists = [("新闻 list", [(1.0, True)] * 10)] * 10
    articles = [("新闻 page", [(10.0, False)] * 10)] * 10
    usual = UsualRates.of([*lists, *articles, ("other page", [])])
    assert usual.of_group("新闻 list") > 10 * usual.of_group("新闻 page")
    assert usual.of_group("新闻 page") < usual.overall < usual.of_group("新闻 list")
    assert usual.of_group("other page") == usual.of_group("unheard of") == usual.overall
    assert UsualRates.of([]).overall == pytest.approx(USUAL_RATE)


def test_a_page_that_changes_far_too_fast_is_never_worth_much():
    assert Prospect(1.0, 24.0).value(1000.0) < Prospect(0.5, 0.05).value(7.0)
    assert Prospect(1.0, 24.0).cycle(0.5) == LONGEST_CYCLE


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
