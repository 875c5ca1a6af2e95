"""Canonical URLs: promise P3 (idempotent, never raises), and the rules one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from w3lib.url import safe_url_string

from topicspider.url import MAX_LENGTH, canonicalize

PAGE = "http://www.example.com/a/b/c.html?x=1"

SPELLINGS = [
    # already canonical, by the fast way and by the slow one
    ("http://www.example.com/lvyou/index.html", "http://www.example.com/lvyou/index.html"),
    ("https://a-b.example.com.cn:8443/x?id=3&page=2", "https://a-b.example.com.cn:8443/x?id=3&page=2"),
    ("http://my_site.example.com/", "http://my_site.example.com/"),
    # scheme, host, port
    ("HTTP://WWW.Example.COM/Path", "http://www.example.com/Path"),
    ("http://example.com", "http://example.com/"),
    ("http://example.com?q=1", "http://example.com/?q=1"),
    ("http://example.com:80/", "http://example.com/"),
    ("https://example.com:443/", "https://example.com/"),
    ("http://example.com:/", "http://example.com/"),
    ("http://example.com:0080/", "http://example.com/"),
    ("http://example.com./", "http://example.com/"),
    ("http://user:secret@example.com/", "http://example.com/"),
    ("http://%65xample.com/", "http://example.com/"),
    ("http://例子.中国/", "http://xn--fsqu00a.xn--fiqs8s/"),
    ("http://www.旅游。com/", "http://www.xn--zfvz1q.com/"),
    ("http://BÜCHER.example/", "http://xn--bcher-kva.example/"),
    ("http://Ｅｘａｍｐｌｅ.com/", "http://example.com/"),
    ("http://[2001:DB8:0:0::1]:8080/", "http://[2001:db8::1]:8080/"),
    # browsers' leniency
    ("http:\\\\example.com\\a\\b?c\\d", "http://example.com/a/b?c%5Cd"),
    ("http:////example.com/a", "http://example.com/a"),
    # dot segments, and double slashes that stay
    ("http://example.com/a/./b/../c", "http://example.com/a/c"),
    ("http://example.com/a/..", "http://example.com/"),
    ("http://example.com/../../x", "http://example.com/x"),
    ("http://example.com/a/%2E%2e/b", "http://example.com/b"),
    ("http://example.com//a//b/", "http://example.com//a//b/"),
    ("http://example.com/a...b/.hidden", "http://example.com/a...b/.hidden"),
    # fragment
    ("http://example.com/a#top", "http://example.com/a"),
    # percent-encoding
    ("http://example.com/%7euser/%41", "http://example.com/~user/A"),
    (
        "http://example.com/旅游/景点?词=山",
        "http://example.com/%E6%97%85%E6%B8%B8/%E6%99%AF%E7%82%B9?%E8%AF%8D=%E5%B1%B1",
    ),
    ("http://example.com/%c2%c3%d3%CE.asp", "http://example.com/%C2%C3%D3%CE.asp"),
    ("http://example.com/100%", "http://example.com/100%25"),
    ("http://example.com/a b", "http://example.com/a%20b"),
    ("http://example.com/%2F", "http://example.com/%2F"),
    ("http://example.com/?a[]=1|2", "http://example.com/?a%5B%5D=1%7C2"),
    # white space and control characters
    ("  http://example.com/a\n", "http://example.com/a"),
    ("\u3000http://example.com/a\ufeff", "http://example.com/a"),
    ("http://exam\nple.com/a\tb\x00c", "http://example.com/abc"),
    ("http://example.com/\ud800x", "http://example.com/x"),
    # tracking parameters, session ids; everything else keeps its order
    ("http://example.com/a?utm_source=x&b=2&UTM_Medium=y&a=1", "http://example.com/a?b=2&a=1"),
    ("http://example.com/a?", "http://example.com/a"),
    ("http://example.com/a?PHPSESSID=abc&id=7", "http://example.com/a?id=7"),
    ("http://example.com/a;jsessionid=0AF3.n1?x=1", "http://example.com/a?x=1"),
    ("http://example.com/a;JSESSIONID=0AF3/b", "http://example.com/a/b"),
    ("http://example.com/a?sid=0123456789abcdef0123", "http://example.com/a"),
    ("http://example.com/a?sid=42", "http://example.com/a?sid=42"),
    ("http://example.com/a?gclid", "http://example.com/a"),
    ("http://example.com/a?gclids=1&x_utm_y=2", "http://example.com/a?gclids=1&x_utm_y=2"),
    ("http://example.com/a?b=&c&&d=1", "http://example.com/a?b=&c&&d=1"),
]


@pytest.mark.parametrize(("url", "expected"), SPELLINGS)
def test_one_page_has_one_spelling(url, expected):
    assert canonicalize(url) == expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("d.html", "http://www.example.com/a/b/d.html"),
        ("../d//e", "http://www.example.com/a/d//e"),
        ("/d", "http://www.example.com/d"),
        ("//other.example/x", "http://other.example/x"),
        ("?x=2", "http://www.example.com/a/b/c.html?x=2"),
        ("?", "http://www.example.com/a/b/c.html"),
        ("", PAGE),
        ("#top", PAGE),
        (".", "http://www.example.com/a/b/"),
        ("http:d.html", "http://www.example.com/a/b/d.html"),
        ("HTTPS://example.com/x", "https://example.com/x"),
        ("旅游.html", "http://www.example.com/a/b/%E6%97%85%E6%B8%B8.html"),
        ("a:b", None),
        ("javascript:void(0)", None),
    ],
)
def test_links_are_made_absolute_by_the_page_s_base(url, expected):
    assert canonicalize(url, PAGE) == expected


NO_URLS = ["", "a.html", "/a", "//example.com/", "ftp://example.com/", "file:///etc/passwd", "http://", "http:example.com", "http://a b.com/", "http://exa<mple.com/", "http://a..com/", "http://[::1/", "http://[::1]x/", "http://[fe80::1%25eth0]/", "http://example.com:0/", "http://example.com:65536/", "http://example.com:８０x/"]  # fmt: skip


@pytest.mark.parametrize(
    "url",
    [
        *NO_URLS,
        f"http://{'a' * 64}.com/",
        f"http://{'a.' * 130}com/",
        f"http://example.com/{'a' * MAX_LENGTH}",
        f"http://example.com/{'旅' * 300}",
    ],
)
def test_what_is_no_absolute_http_url_of_bounded_length_is_none(url):
    assert canonicalize(url) is None


@pytest.mark.parametrize("base", ["", "a.html", "ftp://example.com/", "http://[bad/", "http://example.com:x/"])
def test_a_bad_base_makes_relative_links_none_and_spoils_no_absolute_one(base):
    assert canonicalize("b.html", base) is None
    assert canonicalize("http://example.com/b.html", base) == "http://example.com/b.html"


def test_the_longest_url_is_kept():
    url = "http://example.com/".ljust(MAX_LENGTH, "a")
    assert canonicalize(url) == url


@pytest.mark.parametrize(("_url", "canonical"), SPELLINGS)
def test_scrapy_s_requests_leave_canonical_urls_as_they_are(_url, canonical):
    assert safe_url_string(canonical) == canonical


# text in which the marks of URLs are frequent
_URLISH = st.lists(
    st.sampled_from(
        [
            *"/.?#&=;:@[]\\% \n'\"<>",
            *("..", "//", "%2e", "%2E", "%41", "%zz", "%C2", "http:", "https://", "HTTP://", ":80", ":443", "[::1]"),
            *("example.com", "例子.cn", "旅游", "xn--", "℀", "ß", "．", "\ud800", "\x00"),
            *("jsessionid=", ";jsessionid=1", "utm_a=1", "sid=0123456789abcdef"),
        ]
    )
    | st.text(max_size=4),
    max_size=12,
).map("".join)


@given(_URLISH | st.text(), st.sampled_from(["", PAGE, "http://例子.cn/旅游/"]) | _URLISH)
def test_p3_it_never_raises_and_is_idempotent(url, base):
    once = canonicalize(url, base)
    if once is not None:
        assert canonicalize(once) == once
        assert canonicalize(once, base) == once


@given(_URLISH)
def test_canonical_urls_are_ascii_bounded_and_accepted_by_scrapy_as_they_are(rest):
    url = canonicalize("http://example.com/" + rest)
    if url is not None:
        assert url.isascii()
        assert url.isprintable()
        assert " " not in url
        assert "#" not in url
        assert len(url) <= MAX_LENGTH
        assert safe_url_string(url) == url
