"""What a robots.txt says to us."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.politeness.robots import read_rules

AGENT = "topicspider/0.1 (+https://crawler.example/contact)"
SITE = "http://a.example"


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        ("", "/", True),
        ("User-agent: *\nDisallow: /", "/", False),
        ("User-agent: *\nDisallow:", "/x", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/c", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: TopicSpider\nDisallow: /x", "/x", False),
        ("User-agent: other\nDisallow: /", "/", True),
        ("User-agent: spider\nDisallow: /", "/", True),  # "topicspider" does not begin with it
        ("User-agent: crawler\nDisallow: /", "/", True),  # stands only in our contact URL
        ("User-agent: other\nUser-agent: topicspider\nDisallow: /", "/", False),
        ("User-agent: topicspider\nDisallow: /a\nUser-agent: topicspider\nDisallow: /b", "/a", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/旅游.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/a.pdfx", True),
        ("User-agent: *\nDisallow: /旅游/", "/%E6%97%85%E6%B8%B8/1", False),
        ("User-agent: *\nDisallow: /%E6%97%85%E6%B8%B8/", "/旅游/1", False),
        ("User-agent: * # 所有爬虫\nDisallow: /a # 后台", "/a", False),
        ("\ufeffUser-agent: *\r\nDisallow: /a\r\n", "/a", False),
        ("user agent: *\ndisallow /a", "/a", False),
        ("Disallow: /", "/", True),  # speaks to nobody
        ("User-agent: *\nDisallow: /", "/robots.txt", True),
        ("<html><body>404 页面不存在</body></html>", "/", True),
        ("User-agent: *\nSitemap: http://a.example/s.xml\nDisallow: /a", "/a", False),
    ],
)
def test_rules_are_read_as_published(text: str, path: str, allowed: bool) -> None:
    assert read_rules(text.encode(), AGENT).allow(SITE + path) is allowed


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        ("User-agent: *\nCrawl-delay: 5", 5.0),
        ("User-agent: topicspider\nCrawl-delay: 3\nUser-agent: *\nCrawl-delay: 9", 3.0),
        ("User-agent: other\nCrawl-delay: 5", 0.0),
        ("User-agent: *\nCrawl-delay: -5", 0.0),
        ("User-agent: *\nCrawl-delay: inf", 0.0),
        ("User-agent: *\nCrawl-delay: 五秒", 0.0),
        ("User-agent: *\nDisallow: /", 0.0),
    ],
)
def test_crawl_delay_is_ours_or_everybodys(text: str, delay: float) -> None:
    assert read_rules(text.encode(), AGENT).crawl_delay == delay


def _hostile() -> list[bytes]:
    agents = "".join(f"User-agent: t{'o' * (n % 40)}{n}\n" for n in range(12_000))
    return [
        (agents + "Disallow: /x\n" * 30_000).encode(),
        ("User-agent: *\n" + "Disallow: /" + "*a" * 240_000).encode(),
        ("User-agent: *\n" + "".join(f"Disallow: /*{n}*a*b*c*d\n" for n in range(20_000))).encode(),
        ("".join(f"User-agent: {'topicspider'[: n % 11 + 1]}\nAllow: /\n" for n in range(16_000))).encode(),
        b"User-agent: *\nDisallow: /" + b"x" * 5_000_000,
        b"\x00\xff" * 250_000,
        b"User-agent" * 50_000,
        b" " * 500_000,
        b"crawl" + b" " * 500_000,
    ]


@pytest.mark.parametrize("body", _hostile(), ids=lambda body: f"{len(body)} bytes {body[:12]!r}")
def test_a_hostile_file_takes_bounded_time(body: bytes) -> None:
    started = time.process_time()
    rules = read_rules(body, AGENT)
    rules.allow(SITE + "/" + "a" * 2000)
    assert time.process_time() - started < 3.0


def test_a_disallow_that_is_too_long_still_forbids() -> None:
    rules = read_rules(b"User-agent: *\nDisallow: /" + b"x" * 5000, AGENT)
    assert not rules.allow(SITE + "/" + "x" * 5000)
    assert rules.allow(SITE + "/y")


@given(st.binary(max_size=300), st.text(max_size=20))
def test_nothing_raises(body: bytes, agent: str) -> None:
    read_rules(body, agent).allow(SITE + "/a")


def test_sitemap_lines_are_said_to_everybody_and_bounded() -> None:
    body = (
        "User-agent: other\nDisallow: /\nSitemap: http://旅游.example/一.xml\n SITEMAP :http://a.example/2.xml # 地图\n"
        "Sitemap:\nSitemaps: http://a.example/no\n# Sitemap: http://a.example/no\nSitemap: http://a.example/2.xml\n"
    )
    assert read_rules(body.encode(), AGENT).sitemaps == ("http://旅游.example/一.xml", "http://a.example/2.xml")
    many = "".join(f"Sitemap: http://a.example/{number}\n" for number in range(5000))
    rules = read_rules(many.encode(), AGENT)
    assert len(rules.sitemaps) == 20
    assert rules.size >= sum(map(len, rules.sitemaps))
    assert read_rules(f"Sitemap: {'a' * 300_000}".encode(), AGENT).sitemaps == ()
