"""The host, port and site of a URL."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.url.canonical import canonicalize
from topicspider.url.host import host_key, host_of, port_of, site_of


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://example.com/", "example.com:80"),
        ("https://example.com/", "example.com:443"),
        ("http://Example.COM:8080/x", "example.com:8080"),
        ("https://example.com", "example.com:443"),
        ("http://example.com?q=http://other.example/", "example.com:80"),
        ("http://user:pw@example.com/@x", "example.com:80"),
        ("http://[::1]:81/", "[::1]:81"),
        ("http://[2001:db8::1]/", "[2001:db8::1]:80"),
        ("http://127.0.0.1:5000", "127.0.0.1:5000"),
        ("http://xn--fsqu00a.xn--fiqs8s/", "xn--fsqu00a.xn--fiqs8s:80"),
        ("ftp://example.com/", ""),
        ("example.com/x", ""),
        ("http:///x", ""),
        ("", ""),
    ],
)
def test_a_host_is_its_name_and_port(url, key):
    assert host_key(url) == key
    assert f"{host_of(url)}:{port_of(url)}" == (key or ":0")


@given(st.text() | st.text(alphabet="http:/@[]?#.a1 ").map(lambda rest: "http://" + rest))
def test_no_text_raises_and_canonical_urls_always_have_a_host(text):
    assert (host_key(text) == "") == (host_of(text) == "") == (port_of(text) == 0 and host_key(text) == "")
    canonical = canonicalize(text)
    if canonical is not None:
        assert host_key(canonical) == f"{host_of(canonical)}:{port_of(canonical)}"


@pytest.mark.parametrize(
    ("host", "site"),
    [
        ("www.example.com", "example.com"),
        ("example.com", "example.com"),
        ("news.travel.example.com.cn", "example.com.cn"),
        ("www.example.com:8080", "example.com"),
        ("WWW.Example.CO.UK", "example.co.uk"),
        ("127.0.0.1:80", "127.0.0.1"),
        ("[::1]:80", "[::1]"),
        ("[::1]", "[::1]"),
        ("localhost", "localhost"),
        ("com.cn", "com.cn"),
        ("www.xn--fsqu00a.xn--fiqs8s", "xn--fsqu00a.xn--fiqs8s"),
        ("", ""),
    ],
)
def test_the_site_is_the_registered_domain(host, site):
    assert site_of(host) == site
