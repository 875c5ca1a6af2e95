"""No request reaches a private address, whatever leads there (promise G1); a real canary server counts."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest
from scrapy import Request
from scrapy.http import Response
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from tests.download.crawling import crawl
from tests.download.odd_server import Exchange, OddServer, odd_server, page
from topicspider.download.handler import Refused
from topicspider.middlewares.guard import PAGE_TYPES, GuardMiddleware
from topicspider.politeness.blocklist import DoNotCrawl

if TYPE_CHECKING:
    from collections.abc import Iterator

LINKS = [
    "http://127.0.0.1:{port}/a",
    "http://2130706433:{port}/b",
    "http://[::ffff:127.0.0.1]:{port}/c",
    "http://localhost:{port}/d",
    "http://0:{port}/e",
]


def _guard(**more: object) -> GuardMiddleware:
    given = {
        "allow_private": False,
        "do_not_crawl": DoNotCrawl(frozenset({"stop.example"})),
        "max_bytes": 1000,
        "content_types": PAGE_TYPES,
        **more,
    }
    return GuardMiddleware(StatsCollector(get_crawler()), **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("url", "outcome"),
    [
        ("http://127.0.0.1/", "private_address"),
        ("http://stop.example/", "do_not_crawl"),
        ("http://www.stop.example:8080/", "do_not_crawl"),
        ("ftp://a.example/", "scheme"),
        ("data:text/html,旅游", "scheme"),
        ("file:///etc/passwd", "scheme"),
    ],
)
def test_a_refusal_is_named_counted_and_costs_its_host_no_rest(url: str, outcome: str) -> None:
    guard, request = _guard(), Request(url)
    with pytest.raises(Refused) as caught:
        guard.process_request(request)
    assert caught.value.outcome == request.meta["topicspider_outcome"] == outcome
    assert request.meta["topicspider_rest_seconds"] == 0.0
    assert guard._stats.get_value(f"topicspider/refused/{outcome}") == 1


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("text/html; charset=gbk", True),
        ("TEXT/HTML", True),
        ("application/xhtml+xml", True),
        ("text/plain", True),
        ("", True),
        ("image/png", False),
        ("application/octet-stream", False),
        ("text/html-but-not-quite", False),
    ],
)
def test_only_pages_are_wanted(kind: str, wanted: bool) -> None:
    response = Response("http://a.example/", headers={"Content-Type": kind} if kind else {}, flags=["download_stopped"])
    guard, request = _guard(), Request("http://a.example/")
    if wanted:
        assert guard.process_response(request, response) is response
    else:
        with pytest.raises(Refused, match="wrong_type"):
            guard.process_response(request, response)


async def _proxy(exchange: Exchange) -> None:
    """Plays the whole web: redirects, refreshes and robots.txt that lead to the target in the query."""
    target = exchange.hit.target
    inner = unquote(target.partition("?to=")[2])
    if "/meta" in target:
        text = f'<meta http-equiv="refresh" content="0;url={inner}">'.encode()
        await exchange.answer(200, text)
    elif "/robots.txt" in target:
        await exchange.answer(301, location="http://127.0.0.1:1/robots.txt")
    else:
        await exchange.answer(302, location=inner)


@pytest.fixture
def canary() -> Iterator[OddServer]:
    with odd_server() as server:
        yield server


def test_nothing_private_is_asked_directly(canary: OddServer) -> None:
    """Names are looked up here: a public-looking name with a private address is refused at the connection."""
    urls = [link.format(port=canary.port) for link in LINKS]
    done = crawl(urls, TOPICSPIDER_ALLOW_PRIVATE=False, ROBOTSTXT_OBEY=True)
    assert canary.hits == []
    assert {end["outcome"] for end in done.ends} == {"private_address"}
    assert done.stats["topicspider/refused/private_address"] == len(urls)


@pytest.mark.parametrize("way", ["redirect", "meta"])
def test_nothing_private_is_asked_through_a_proxy_over_redirects(canary: OddServer, way: str) -> None:
    with odd_server(**{"*": _proxy}) as proxy:
        urls = [f"http://site{n}.example/{way}?to={link.format(port=canary.port)}" for n, link in enumerate(LINKS)]
        done = crawl(urls, env={"http_proxy": proxy.url()}, TOPICSPIDER_ALLOW_PRIVATE=False, ROBOTSTXT_OBEY=True)
        asked = {hit.target.partition("://")[2].partition("/")[0].partition(":")[0] for hit in proxy.hits}
    assert canary.hits == []
    assert asked == {f"site{n}.example" for n in range(len(LINKS))}, (
        "the proxy itself must be reachable, and see no private target"
    )
    assert len(done.ends) == len(urls)
    assert {end["outcome"] for end in done.ends} == {"private_address"}


async def _picture(exchange: Exchange) -> None:
    await exchange.send(b"HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-encoding: br\r\n\r\n")
    for _ in range(1600):
        await exchange.send(b"x" * 65536)


def test_a_body_that_is_no_page_is_not_read() -> None:
    chain = {
        "tests.download.page_guard.PageGuard": 745,
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "topicspider.middlewares.politeness.PolitenessMiddleware": 760,
    }
    moved = page(302, location="/page", content_type="image/png", content_encoding="br")
    with odd_server(picture=_picture, moved=moved, missing=page(404, b"x", content_type="image/png")) as server:
        paths = {"picture": "wrong_type", "moved": "page", "missing": "not_found", "page": "page"}
        done = crawl([server.url(path) for path in paths], DOWNLOADER_MIDDLEWARES=chain, TOPICSPIDER_PAGE_TIMEOUT=5)
        assert {path: done.outcome(server.url(path)) for path in paths} == paths
    assert done.stats["topicspider/refused/wrong_type"] == 1
    assert done.stats["downloader/response_bytes"] < 1_000_000
