"""The robots.txt of many hosts, kept for a while."""

from __future__ import annotations

import pytest

from topicspider.politeness.robots import MAX_HOPS, RobotsCache

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
    assert (rules.allow("http://a.example/x"), rules.allow("http://a.example/y"), rules.crawl_delay) == (
        False,
        True,
        4.0,
    )
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
    ["https://a.example/robots.txt", "//b.example/robots.txt", "http://a.example:81/robots.txt", "ftp://a.example/"],
)
def test_a_redirect_to_another_host_counts_as_missing(target: str) -> None:
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
