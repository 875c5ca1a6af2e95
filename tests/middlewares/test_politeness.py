"""Promise F2 on real servers: no two requests of a host overlap, each is followed by the rest, robots.txt comes first."""

from __future__ import annotations

import asyncio
import time
from itertools import pairwise

import pytest
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.statscollectors import StatsCollector
from scrapy.utils.test import get_crawler

from tests.download.crawling import crawl
from tests.download.odd_server import Exchange, Hit, Manner, OddServer, in_turn, odd_server, page
from topicspider.download.handler import Refused
from topicspider.middlewares.politeness import PolitenessMiddleware, Postponed
from topicspider.politeness.host_clock import HostClock
from topicspider.politeness.robots import RobotsCache

SCHEDULERS = pytest.mark.parametrize("ready", [False, True], ids=["stock scheduler", "scheduler of ready hosts"])
SLACK = 0.002  # of clocks and their digits


def robots(text: str) -> Manner:
    return page(200, text.encode(), content_type="text/plain")


async def slow(exchange: Exchange) -> None:
    await asyncio.sleep(0.15)
    await exchange.answer(200, "慢".encode())


async def slow_body(exchange: Exchange) -> None:
    """The head at once, the body late: only the whole download time tells how slow the server is."""
    await exchange.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\n12")
    await asyncio.sleep(0.3)
    await exchange.send(b"34")


async def hang_up(exchange: Exchange) -> None:
    exchange.hang_up()


def gaps(server: OddServer) -> list[float]:
    """Seconds between the end of each request and the start of the next, negative if they overlap."""
    hits: list[Hit] = sorted(server.hits, key=lambda hit: hit.start)
    return [later.start - (earlier.end or earlier.start) for earlier, later in pairwise(hits)]


@SCHEDULERS
def test_requests_of_a_host_never_overlap_and_keep_the_delay(ready: bool) -> None:
    """Promise F2, robots.txt included, with errors and hang-ups among the answers, and two hosts at once."""
    ways = {
        "robots_txt": robots("User-agent: *\nDisallow: /private"),
        "missing": page(404),
        "hang_up": hang_up,
        "*": slow,
    }
    with odd_server(**ways) as one, odd_server(**ways) as two:
        paths = ["a", "missing", "hang_up", "旅游", "b"]
        urls = [server.url(path) for server in (one, two) for path in paths]
        done = crawl(urls, ready=ready, ROBOTSTXT_OBEY=True, TOPICSPIDER_DELAY_MIN=0.3)
        for server in (one, two):
            assert [hit.path for hit in server.hits].count("robots.txt") == 1
            assert server.hits[0].path == "robots.txt"
            assert len(server.hits) == 1 + len(paths)
            assert min(gaps(server)) >= 0.3 - SLACK
        first, last = one.hits[0].start, one.hits[-1].end
        assert any(first < hit.start < last for hit in two.hits), "hosts do not wait for each other"
    assert len(done.ends) == len(urls)


@SCHEDULERS
def test_the_rest_is_a_multiple_of_the_whole_download(ready: bool) -> None:
    """(e) Broder: to the last byte, not to the head."""
    with odd_server(**{"*": slow_body}) as server:
        crawl([server.url(str(number)) for number in range(3)], ready=ready, TOPICSPIDER_DELAY_FACTOR=2)
        assert min(gaps(server)) >= 0.6 - SLACK


@SCHEDULERS
def test_crawl_delay_is_kept_from_the_robots_txt_on(ready: bool) -> None:
    text = "User-agent: topicspider\nCrawl-delay: 0.7\n\nUser-agent: *\nDisallow: /"
    with odd_server(robots_txt=robots(text)) as server:
        done = crawl([server.url("a"), server.url("b")], ready=ready, ROBOTSTXT_OBEY=True)
        assert len(server.hits) == 3
        assert min(gaps(server)) >= 0.7 - SLACK
    assert [end["outcome"] for end in done.ends] == ["page", "page"]


@SCHEDULERS
def test_what_robots_txt_forbids_is_never_asked(ready: bool) -> None:
    with odd_server(robots_txt=robots("User-agent: *\nDisallow: /不许")) as server:
        done = crawl([server.url("不许/a"), server.url("可以")], ready=ready, ROBOTSTXT_OBEY=True)
        assert len(server.hits) == 2
    assert sorted(end["outcome"] for end in done.ends) == ["page", "robots"]
    assert done.stats["robotstxt/forbidden"] == 1
    assert done.stats["topicspider/refused/robots"] == 1


def test_robotstxt_obey_off_asks_for_none() -> None:
    with odd_server(robots_txt=robots("User-agent: *\nDisallow: /")) as server:
        crawl([server.url("a")], ROBOTSTXT_OBEY=False)
        assert [hit.path for hit in server.hits] == ["a"]


@SCHEDULERS
def test_retry_after_is_waited_out(ready: bool) -> None:
    with odd_server(a=page(429, retry_after="3")) as server:
        done = crawl([server.url("a"), server.url("b")], ready=ready)
        assert min(gaps(server)) >= 3 - SLACK
    assert done.end(server.url("a"))["topicspider_rest_seconds"] == pytest.approx(3, abs=0.1)


def test_a_robots_txt_that_fails_closes_the_host_for_a_while() -> None:
    """RFC 9309, 2.3.1.4: unreachable means everything is forbidden, until it can be had."""
    with odd_server(robots_txt=in_turn(page(503), robots("User-agent: *\nDisallow: /b"))) as server:
        done = crawl([server.url("a"), server.url("b"), server.url("c")], ROBOTSTXT_OBEY=True)
        assert [hit.path for hit in server.hits][:2] == ["robots.txt", "robots.txt"]
        assert gaps(server)[0] >= 2 - SLACK
    assert sorted(end["outcome"] for end in done.ends) == ["page", "robots", "robots_unreachable"]


@SCHEDULERS
def test_a_robots_txt_redirected_on_its_host_is_followed_with_the_rest_between(ready: bool) -> None:
    with odd_server(
        **{"robots.txt": page(302, location="/rules"), "rules": robots("User-agent: *\nDisallow: /x")}
    ) as server:
        done = crawl([server.url("x")], ready=ready, ROBOTSTXT_OBEY=True, TOPICSPIDER_DELAY_MIN=0.3)
        assert [hit.path for hit in server.hits] == ["robots.txt", "rules"]
        assert min(gaps(server)) >= 0.3 - SLACK
    assert done.outcome(server.url("x")) == "robots"


def test_a_robots_txt_redirected_to_another_host_is_not_followed() -> None:
    with odd_server() as other, odd_server(robots_txt=page(301, location=other.url("robots.txt"))) as server:
        done = crawl([server.url("x")], ROBOTSTXT_OBEY=True)
        assert other.hits == []
    assert done.outcome(server.url("x")) == "page"


@pytest.mark.parametrize("length", [b"", b"content-length: 104857600\r\n"])
def test_a_robots_txt_without_end_is_read_to_its_limit(length: bytes) -> None:
    async def endless(exchange: Exchange) -> None:
        await exchange.send(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n%s\r\nUser-agent: *\nDisallow: /x\n" % length
        )
        for _ in range(1600):
            await exchange.send(b"# " + b"x" * 65534)

    with odd_server(robots_txt=endless) as server:
        done = crawl([server.url("x"), server.url("y")], ROBOTSTXT_OBEY=True)
        assert len(server.of("robots.txt")) == 1
    assert sorted(end["outcome"] for end in done.ends) == ["page", "robots"]
    assert done.peak_mib < 200


def test_a_redirect_counts_as_a_request() -> None:
    with odd_server(old=page(301, location="/new")) as server:
        done = crawl([server.url("old")], TOPICSPIDER_DELAY_MIN=0.4)
        assert [hit.path for hit in server.hits] == ["old", "new"]
        assert min(gaps(server)) >= 0.4 - SLACK
    assert done.outcome(server.url("old")) == "page"


def test_robots_txt_goes_through_the_proxy_too() -> None:
    answers = {"*": page(200, b"User-agent: *\nDisallow: /x", content_type="text/html")}
    with odd_server(**answers) as proxy:
        done = crawl(["http://a.example/x", "http://a.example/y"], ROBOTSTXT_OBEY=True, env={"http_proxy": proxy.url()})
        assert [hit.target for hit in proxy.hits] == ["http://a.example/robots.txt", "http://a.example/y"]
    assert sorted(end["outcome"] for end in done.ends) == ["page", "robots"]


def test_a_page_that_is_not_wanted_still_lets_its_host_rest() -> None:
    with odd_server(big=page(200, b"x" * 5000)) as server:
        done = crawl([server.url("big"), server.url("a")], TOPICSPIDER_DELAY_MIN=0.4, DOWNLOAD_MAXSIZE=1024)
        assert min(gaps(server)) >= 0.4 - SLACK
    assert done.outcome(server.url("big")) == "too_large"


class _Engine:
    """As much of an engine as the middleware asks for."""

    running = True
    scheduler = None

    def __init__(self, answer: Exception | Response) -> None:
        self.answer = answer
        self.asked: list[Request] = []
        self.downloader, self.active = self, set()

    async def download_async(self, request: Request) -> Response:
        self.asked.append(request)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class _Crawler:
    def __init__(self, answer: Exception | Response = IgnoreRequest()) -> None:  # noqa: B008
        self.engine = _Engine(answer)
        self.stats = StatsCollector(get_crawler())


def _politeness(crawler: _Crawler, *, obey: bool = False, low: float = 0.0) -> PolitenessMiddleware:
    robots = RobotsCache("topicspider", 100.0) if obey else None
    return PolitenessMiddleware(crawler, HostClock(0.0, low, 60.0), robots)  # type: ignore[arg-type]


def test_a_request_that_is_dropped_on_its_way_gives_its_turn_back() -> None:
    async def play() -> tuple[bool, bool]:
        politeness = _politeness(_Crawler())
        lost = Request("http://a.example/1")
        await politeness.process_request(lost)
        second = asyncio.ensure_future(politeness.process_request(Request("http://a.example/2")))
        await asyncio.sleep(0.05)
        waited = not second.done()
        del lost
        await asyncio.wait_for(second, 5)
        return waited, second.done()

    assert asyncio.run(play()) == (True, True)


def test_a_download_that_is_broken_off_has_its_host_rest() -> None:
    """Another node, or the next start, gets the URL: not before the rest."""

    async def play() -> None:
        politeness, request = _politeness(_Crawler(), low=50.0), Request("http://a.example/慢")
        await politeness.process_request(request)
        politeness.process_exception(request, Refused("postponed", "broken off"))
        assert request.meta["topicspider_rest_seconds"] == pytest.approx(50, abs=1)

    asyncio.run(play())


def test_a_crawl_that_is_being_closed_waits_for_no_host() -> None:
    async def play() -> None:
        crawler = _Crawler()
        politeness = _politeness(crawler, low=50.0)
        first, second = Request("http://a.example/1"), Request("http://a.example/2")
        await politeness.process_request(first)
        politeness.process_response(first, Response(first.url))
        crawler.engine.running = False
        with pytest.raises(Postponed) as caught:
            await politeness.process_request(second)
        assert caught.value.wait_seconds == pytest.approx(50, abs=1)
        assert second.meta["topicspider_rest_seconds"] == pytest.approx(50, abs=1)
        assert second.meta["topicspider_outcome"] == "postponed"

    asyncio.run(play())


def test_a_host_that_is_gone_is_given_up_without_being_asked() -> None:
    async def play() -> None:
        politeness = _politeness(_Crawler())
        for number in range(20):
            politeness._clock.unreachable("gone.example:80", time.monotonic() - 100 + number)
        with pytest.raises(Refused) as caught:
            await politeness.process_request(Request("http://gone.example/"))
        assert caught.value.outcome == "host_down"

    asyncio.run(play())


def test_a_page_from_the_cache_costs_its_host_no_rest() -> None:
    async def play() -> None:
        politeness, request = _politeness(_Crawler(), low=50.0), Request("http://a.example/1")
        await politeness.process_request(request)
        politeness.process_response(request, Response(request.url, flags=["cached"]))
        assert request.meta["topicspider_rest_seconds"] == 0

    asyncio.run(play())
