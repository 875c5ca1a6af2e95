"""A URL as people read it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.url.canonical import canonicalize
from topicspider.url.display import readable_url


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://xn--zfvz1q.example/%E6%99%AF%E7%82%B9?q=%E6%9D%B1", "http://旅游.example/景点?q=東"),
        ("https://a.example:8080/%E6%99%AF%20%E7%82%B9%2F1", "https://a.example:8080/景%20点%2F1"),
        ("http://a.example/%BE%B0", "http://a.example/%BE%B0"),  # GBK
        ("http://a.example/%E2%80%AE", "http://a.example/%E2%80%AE"),  # turns the direction of what follows
        ("http://a.example/caf%C3%A9", "http://a.example/café"),
        ("http://a.example/plain?x=1", "http://a.example/plain?x=1"),
        ("", ""),
        ("http://[", "http://["),
    ],
)
def test_what_is_shown(url: str, shown: str) -> None:
    assert readable_url(url) == shown


@given(st.text() | st.text(alphabet="/%E4BD80AF旅a.:?#[]@ ").map(lambda rest: f"http://{rest}"))
def test_it_never_raises_and_leads_back(url: str) -> None:
    canonical = canonicalize(url) or url
    shown = readable_url(canonical)
    assert shown == canonical or canonicalize(shown) == canonical
