"""A host as people read it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.url.host import canonical_host, readable_host


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("xn--zfvz1q.example", "旅游.example"),
        ("www.xn--fsqu00a.xn--fiqs8s", "www.例子.中国"),
        ("xn--mnchen-3ya.example", "münchen.example"),
        ("a.example", "a.example"),
        ("[::1]", "[::1]"),
        ("127.0.0.1", "127.0.0.1"),
        ("xn--.example", "xn--.example"),
        ("xn--zzzzzzz99999.example", "xn--zzzzzzz99999.example"),
        ("", ""),
    ],
)
def test_punycode_is_shown_as_its_characters(host: str, shown: str) -> None:
    assert readable_host(host) == shown


@given(st.text() | st.text(alphabet="xn-.abc19").map(lambda rest: f"xn--{rest}"))
def test_it_never_raises_and_what_is_shown_leads_back(host: str) -> None:
    shown = readable_host(host)
    assert shown == host or canonical_host(shown) == host
