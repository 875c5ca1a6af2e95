"""OPIC against its paper: cash is handed on, never made or lost; the richest page is next."""

from __future__ import annotations

import random

import pytest

from tests.reference import opic as paper
from tests.relevance.topics import SEGMENTER, links, page, profile
from topicspider.frontier.host_ranking import to_micros
from topicspider.page.links import Link
from topicspider.relevance.interfaces import Parent, PolicyContext
from topicspider.relevance.policies import OpicPolicy
from topicspider.url import fingerprint

HOME, A, B, C = (f"http://旅游.example/{number}" for number in range(4))
SEED_SCORE = 1e9


def policy(remembered: int = 1_000_000) -> OpicPolicy:
    return OpicPolicy(PolicyContext(profile(), SEGMENTER), remembered)


def values(one: OpicPolicy, url: str, *targets: str) -> list[float]:
    return [score.value for score in one.judge(page(url), links(*(Link(target, "景点") for target in targets)))]


def test_worked_example() -> None:
    """Home shares its 1 among two; A its 1.5 among B and C, of which B had 1.5."""
    one = policy()
    assert values(one, HOME, A, B) == [1.5, 1.5]
    assert values(one, A, B, C) == [2.25, 1.75]
    assert (one.history(fingerprint(HOME)), one.history(fingerprint(A)), one.history(fingerprint(B))) == (1, 1.5, 0)


def test_cash_of_a_page_already_read_stays_there_until_it_is_read_again() -> None:
    one = policy()
    values(one, HOME, A)
    values(one, A, HOME)
    assert one.cash(fingerprint(HOME)) == 2
    assert list(one.promotions()) == []
    assert values(one, HOME, B) == [3]
    assert one.cash(fingerprint(HOME)) == 0
    assert one.history(fingerprint(HOME)) == 3


@pytest.mark.parametrize("seed", range(3))
def test_equals_the_paper_and_conserves_cash_on_random_webs(seed: int) -> None:
    """What all pages ever brought is what lies about now (as R2 for ranks)."""
    rng = random.Random(seed)
    web = {number: rng.choices(range(40), k=rng.randrange(8)) for number in range(30)}
    order = rng.choices(range(30), k=100)
    one = policy()
    for read in order:
        one.judge(Parent("", read, 0.0, False, 0), [(target, Link("")) for target in web[read]])
    met = {*order, *(target for read in order for target in web[read])}
    cash, history, _ = paper.read_pages(web, order)
    assert one.total == pytest.approx(len(met))
    assert {name: one.cash(name) for name in met} == pytest.approx({name: cash[name] for name in met})
    assert {name: one.history(name) for name in met} == pytest.approx({name: history[name] for name in met})


def test_memory_is_bounded_and_what_is_forgotten_keeps_the_sum() -> None:
    one = policy(remembered=50)
    brought = 0
    for number in range(200):
        known = len(one)
        fresh = [(1000 * number + place, Link("")) for place in range(1, 6)]
        one.judge(Parent("", -number, 0.0, False, 0), fresh)
        brought += 6
        assert len(one) <= 50
        assert len(one) >= min(known, 50)
    assert one.total == pytest.approx(brought)


def test_values_stay_within_what_the_frontier_can_tell_apart_after_100_000_pages() -> None:
    """Frontier promise 3: millionths count; and no link may come before a seed."""
    one, rng = policy(), random.Random(1)
    lowest, highest = SEED_SCORE, 0.0
    for number in range(100_000):
        targets = [(max(number + 1, 0) + rng.randrange(50_000), Link("")), (0, Link("")), (200_000, Link(""))]
        judged = one.judge(Parent("", number, 0.0, False, 0), targets)
        lowest, highest = min(lowest, judged[0].value), max(highest, judged[2].value)
    assert to_micros(lowest) >= 1_000_000
    assert highest < SEED_SCORE
    assert to_micros(one.cash(200_000)) == to_micros(highest) > 1_000_000 * 10_000
