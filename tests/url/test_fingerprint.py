"""Fingerprints are the same on every run, platform and node."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.url.fingerprint import fingerprint

GOLDEN = [
    ("", -1970711489451281740),
    ("http://example.com/", -350646258024731386),
    ("https://www.example.com/lvyou/a.html?id=1", 5416172521244703725),
    ("http://xn--fsqu00a.xn--fiqs8s/%E6%97%85%E6%B8%B8", 356014383724051732),
    ("http://example.com:8080//a", -5695592479320621342),
]


@pytest.mark.parametrize(("url", "expected"), GOLDEN)
def test_golden_vectors_hold(url, expected):
    assert fingerprint(url) == expected


def test_golden_vectors_hold_both_signs():
    assert {number > 0 for _, number in GOLDEN} == {True, False}


@given(st.text())
def test_it_is_a_signed_64_bit_integer_for_any_text(text):
    assert -(2**63) <= fingerprint(text) < 2**63


def test_urls_that_differ_in_case_accents_or_spaces_differ():
    urls = [
        "http://a.cn/Page",
        "http://a.cn/page",
        "http://a.cn/page ",
        "http://a.cn/é",
        "http://a.cn/e",
        "http://a.cn/旅游",
        "http://a.cn/旅遊",
    ]
    assert len({fingerprint(url) for url in urls}) == len(urls)


def test_a_hundred_thousand_urls_collide_nowhere():
    assert len({fingerprint(f"http://example.com/{n}") for n in range(100_000)}) == 100_000
