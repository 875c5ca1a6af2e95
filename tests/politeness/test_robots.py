"""What a robots.txt says to us, and how long it is believed."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.politeness.robots import MAX_BYTES, MAX_HOPS, RobotsCache, read_rules

FORBID = b"User-agent: *\nDisallow: /x\nCrawl-delay: 4"
URL = "http://a.example/robots.txt"
HOST = "a.example:80"


def _cache(**more: int) -> RobotsCache:
    return RobotsCache("topicspider/0.1", 100.0, **more)


def _allows(cache: RobotsCache, now: float = 0.0) -> bool:
    rules = cache.rules(HOST, now)
    assert rules is not None
    return rules.allow("http://a.example/x")


def test_rules_hold_for_their_time_and_are_then_fetched_again() -> None:
    cache = _cache()
    assert cache.rules(HOST, 0.0) is None
    cache.answered(HOST, URL, 200, FORBID, "", 0.0)
    rules = cache.rules(HOST, 99.0)
    assert rules is not None
    assert [rules.allow(f"http://a.example/{name}") for name in "xy"] == [False, True]
    assert rules.crawl_delay == 4.0
    assert cache.rules(HOST, 100.0) is None


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_a_missing_file_allows_everything(status: int) -> None:
    cache = _cache()
    cache.answered(HOST, URL, status, FORBID, "", 0.0)
    assert _allows(cache, 0.0)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_failing_server_closes_the_host_for_a_while_that_doubles(status: int) -> None:
    cache = _cache()
    closed = []
    now = 0.0
    for _ in range(4):
        cache.answered(HOST, URL, status, b"", "", now)
        assert cache.rules(HOST, now) is None
        closed.append(cache.closed_seconds(HOST, now))
        now += closed[-1]
        assert cache.closed_seconds(HOST, now) == 0
    assert closed == [2.0, 4.0, 8.0, 16.0]
    cache.answered(HOST, URL, 200, b"", "", now)
    assert cache.rules(HOST, now) is not None


def test_a_redirect_on_the_same_host_is_followed() -> None:
    cache = _cache()
    assert cache.url_for("http://a.example/旅游?q=1", 0.0) == URL
    cache.answered(HOST, URL, 301, b"", "/other.txt", 0.0)
    assert cache.rules(HOST, 0.0) is None
    assert cache.closed_seconds(HOST, 0.0) == 0
    assert cache.url_for("http://a.example/旅游", 0.0) == "http://a.example/other.txt"
    cache.answered(HOST, "http://a.example/other.txt", 200, FORBID, "", 1.0)
    assert not _allows(cache, 1.0)
    assert cache.url_for("http://a.example/", 1.0) == URL


def test_a_redirect_without_end_counts_as_missing() -> None:
    cache = _cache()
    for _ in range(MAX_HOPS):
        cache.answered(HOST, URL, 302, b"", "/robots.txt", 0.0)
    assert _allows(cache, 0.0)


@pytest.mark.parametrize(
    "target",
    ["https://a.example/r", "//b.example/robots.txt", "http://a.example:81/robots.txt", "ftp://a.example/", "http://[::1", "http://a℀/"],
)  # fmt: skip
def test_a_redirect_to_another_host_or_to_none_counts_as_missing(target: str) -> None:
    cache = _cache()
    cache.answered(HOST, URL, 301, b"", target, 0.0)
    assert _allows(cache, 0.0)


def test_a_redirect_to_another_host_takes_its_rules_when_they_are_known() -> None:
    cache = _cache()
    cache.answered("www.a.example:80", "http://www.a.example/robots.txt", 200, FORBID, "", 0.0)
    cache.answered(HOST, URL, 301, b"", "http://www.a.example/robots.txt", 1.0)
    assert not _allows(cache, 1.0)


def test_the_least_recently_used_host_is_forgotten_first() -> None:
    cache = _cache(capacity=2)
    for host in ("a:80", "b:80"):
        cache.answered(host, "http://x/robots.txt", 200, b"", "", 0.0)
    cache.rules("a:80", 0.0)
    cache.answered("c:80", "http://x/robots.txt", 200, b"", "", 0.0)
    assert [cache.rules(f"{name}:80", 0.0) is not None for name in "abc"] == [True, False, True]


def test_all_files_together_are_bounded() -> None:
    cache = _cache(total_size=10_000)
    body = b"User-agent: *\n" + b"Disallow: /aaaaaaaaaa\n" * 100
    for number in range(20):
        cache.answered(f"h{number}:80", "http://x/robots.txt", 200, body, "", 0.0)
    kept = [number for number in range(20) if cache.rules(f"h{number}:80", 0.0)]
    assert kept == [16, 17, 18, 19]


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


def test_a_line_that_is_cut_at_the_limit_says_nothing() -> None:
    rules = read_rules(b"User-agent: *\nDisallow: /y\n#".ljust(MAX_BYTES - 12, b"#") + b"\nDisallow: /x", AGENT)
    assert (rules.allow(SITE + "/z"), rules.allow(SITE + "/y")) == (True, False)


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
