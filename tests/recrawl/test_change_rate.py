"""How often a page changes, from what visits saw."""

from __future__ import annotations

import math
import random

import pytest

from topicspider.recrawl.crawl_value import USUAL_RATE, UsualRates, change_rate


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


def test_a_page_that_never_changed_is_slower_the_longer_that_was_so():
    rates = [change_rate([(10.0, False)] * count) for count in (0, 1, 5, 20)]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] > 0


def test_the_same_visits_give_the_same_rate_in_any_order_and_none_of_no_length_counts():
    seen = [(1.0, True), (5.0, False), (2.0, True)]
    assert change_rate(seen) == pytest.approx(change_rate(seen[::-1]))
    assert change_rate([*seen, (0.0, True), (-1.0, True)]) == change_rate(seen)


def test_siblings_say_what_is_usual():
    lists = [("新闻 list", [(1.0, True)] * 10)] * 10
    articles = [("新闻 page", [(10.0, False)] * 10)] * 10
    usual = UsualRates.of([*lists, *articles, ("other page", [])])
    assert usual.of_group("新闻 list") > 10 * usual.of_group("新闻 page")
    assert usual.of_group("新闻 page") < usual.overall < usual.of_group("新闻 list")
    assert usual.of_group("other page") == usual.of_group("unheard of") == usual.overall
    assert UsualRates.of([]).overall == pytest.approx(USUAL_RATE)
