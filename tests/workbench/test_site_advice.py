"""Keep, drop or raise: a site is only judged by what its pages can prove."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.workbench.sites.advice import DROP, KEEP, LEAST_FETCHES, RAISE, Advice, advise, interval


@pytest.mark.parametrize(
    ("hits", "fetches", "low", "high"),
    [
        (0, 0, 0.0, 1.0),
        (0, 10, 0.0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1.0),
        (30, 1000, 0.0211, 0.0425),
    ],
)  # of Wilson's formula, by hand
def test_wilsons_interval(hits: int, fetches: int, low: float, high: float) -> None:
    assert interval(hits, fetches) == pytest.approx((low, high), abs=1e-4)


@given(st.integers(0, 10_000), st.integers(1, 10_000))
def test_the_share_that_was_seen_lies_in_the_interval(hits: int, more: int) -> None:
    low, high = interval(hits, hits + more)
    assert 0.0 <= low <= hits / (hits + more) + 1e-12
    assert hits / (hits + more) - 1e-12 <= high <= 1.0


@pytest.mark.parametrize(
    ("hits", "leads", "fetches", "rate", "advice"),
    [
        (9, 0, 9, 0.05, Advice(KEEP, "few_fetches")),
        (0, 0, 9, 0.9, Advice(KEEP, "few_fetches")),
        (0, 0, 500, 0.0, Advice(KEEP, "no_hits_yet")),
        (30, 0, 40, 0.4, Advice(RAISE, "above")),
        (12, 0, 20, 0.4, Advice(KEEP, "usual")),  # 60 %, of so few pages
        (0, 0, 20, 0.1, Advice(KEEP, "usual")),  # none, but of so few that it may be 16 %
        (0, 0, 20, 0.4, Advice(DROP, "below")),
        (0, 0, 40, 0.4, Advice(DROP, "below")),
        (2, 0, 100, 0.4, Advice(DROP, "below")),
        (15, 0, 100, 0.4, Advice(KEEP, "lower")),  # half as good as the others is still good
        (0, 9, 40, 0.4, Advice(KEEP, "leads")),  # a hub
        (0, 900, 40, 0.4, Advice(KEEP, "leads")),
        (0, 1, 400, 0.4, Advice(DROP, "below")),
    ],
)
def test_what_is_advised(hits: int, leads: int, fetches: int, rate: float, advice: Advice) -> None:
    assert advise(hits, leads, fetches, rate) == advice


@given(st.integers(0, 500), st.integers(0, 500), st.integers(0, 500), st.floats(0.0, 1.0))
def test_advice_is_given_of_anything_and_more_hits_never_make_it_worse(
    hits: int, misses: int, leads: int, rate: float
) -> None:
    order = {DROP: 0, KEEP: 1, RAISE: 2}
    fewer, more = advise(hits, leads, hits + misses + 1, rate), advise(hits + 1, leads, hits + misses + 1, rate)
    assert order[fewer.word] <= order[more.word]
    assert (hits + misses + 1 >= LEAST_FETCHES) or fewer.word == KEEP
