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


@given(st.text())
def test_it_is_a_signed_64_bit_integer_for_any_text(text):
    assert -(2**63) <= fingerprint(text) < 2**63
