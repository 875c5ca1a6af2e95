"""The parts of a URL: its host and site, its words, its fingerprint, and how people read it."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.url import (
    canonical_host,
    canonicalize,
    fingerprint,
    host_key,
    host_of,
    masked,
    port_of,
    readable_host,
    readable_url,
    site_of,
    words_in_url,
)


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
        ("b.a.city.kawasaki.jp", "city.kawasaki.jp"),  # !city is an exception to *.kawasaki.jp
        ("b.a.tokyo.kawasaki.jp", "a.tokyo.kawasaki.jp"),
        ("b.a.xn--55qx5d.cn", "a.xn--55qx5d.cn"),  # the list has 公司.cn
        ("", ""),
    ],
)
def test_the_site_is_the_registered_domain(host, site):
    assert site_of(host) == site


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
def test_a_url_is_shown_as_its_characters(url: str, shown: str) -> None:
    assert readable_url(url) == shown


@given(st.text() | st.text(alphabet="/%E4BD80AF旅a.:?#[]@ ").map(lambda rest: f"http://{rest}"))
def test_a_shown_url_never_raises_and_leads_back(url: str) -> None:
    canonical = canonicalize(url) or url
    shown = readable_url(canonical)
    assert shown == canonical or canonicalize(shown) == canonical


@pytest.mark.parametrize("name", ["pass", "PWD", "passwd", "password", "passphrase", "secret", "access_token"])
def test_a_secret_in_the_query_is_not_shown(name: str) -> None:
    shown = masked(f"mysql://db.example/pages?{name}=桂林zz7&ssl=on")
    assert shown == f"mysql://db.example/pages?{name}=***&ssl=on"


def test_other_values_are_shown() -> None:
    assert masked("http://a.example/?passage=1&word=桂林") == "http://a.example/?passage=1&word=桂林"


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://www.example.com/lvyou/yuntai-shan/2011_05/index.html", ["lvyou", "yuntai", "shan", "index"]),
        ("http://example.com/TravelGuide/XMLFeed.aspx", ["travel", "guide", "xml", "feed"]),
        (f"http://example.com/{quote('旅游')}/{quote('景点', encoding='gbk')}.asp", ["旅游", "景点"]),
        (f"http://example.com/s?q={quote('云台山 门票')}&page=2", ["云台山", "门票", "page"]),
        ("http://example.com/s?kw=red+valley", ["kw", "red", "valley"]),
        ("http://example.com/旅游day3", ["旅游", "day"]),
        ("http://example.com/café", ["café"]),
        (f"http://example.com/{quote('kawę-łódź')}/ÜberUns", ["kawę", "łódź", "über", "uns"]),
        (f"http://example.com/{quote('หน้าแรก')}/{quote('हिन्दी')}", ["หน้าแรก", "हिन्दी"]),
        ("http://travel.example.com/", []),
        ("http://travel.example.com", []),
        ("http://example.com/a/1/#fragment", []),
        ("", []),
    ],
)
def test_words_of_path_and_query_are_found(url, words):
    assert words_in_url(url) == words


@given(st.text().map(lambda rest: "http://example.com/" + rest))
def test_no_url_raises_and_words_are_few_and_not_empty(url):
    words = words_in_url(url)
    assert len(words) <= 64
    assert all(words)


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
