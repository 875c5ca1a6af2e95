"""Downloader middleware: enforces robots.txt, the delay between requests, and one connection per host at a time."""

from __future__ import annotations

import asyncio
import time
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from topicspider.download.handler import Refused
from topicspider.download.outcome import Outcome, is_unreachable, may_retry, outcome_of_exception
from topicspider.meta import (
    CONNECT_SECONDS,
    CUT_AT,
    DOWNLOAD_SECONDS,
    OUTCOME,
    REST_SECONDS,
    ROBOTS_REQUEST,
    TIMINGS,
    WITHIN_TURN,
)
from topicspider.options import Options
from topicspider.politeness.host_clock import SHORT_WAIT, DelayedHosts, HostClock, retry_after_seconds
from topicspider.politeness.robots import MAX_BYTES, ROBOTS_TTL_SECONDS, RobotsCache, Rules
from topicspider.url import host_key


class Postponed(Refused):
    """The host must rest for ``wait_seconds`` more. The request was not tried, and should be tried again after that time."""

    def __init__(self, wait_seconds: float, url: str) -> None:
        self.wait_seconds = wait_seconds
        super().__init__(Outcome.POSTPONED, f"{url}: its host rests for {wait_seconds:.3f} s")


@dataclass(slots=True)
class _RequestInFlight:
    """A request that was let through. ``turn`` releases the lock of its host, also when the request is garbage-collected."""

    host: str
    sent_at: float
    turn: weakref.finalize[Any, Any] | None


class PolitenessMiddleware:
    """Keeps promise F2 in this process: requests to a host never overlap, and after each the host rests.

    The rest begins with the last byte; requests for robots.txt count, too. A scheduler with ``hands_out_ready_hosts`` hands out only hosts
    that have rested. If the host of its request must rest again, because robots.txt was fetched first, the request is sent back with
    :class:`Postponed`; the scheduler finds the rest in ``request.meta["topicspider_rest_seconds"]``. With any other scheduler the request
    waits here.

    The middleware must be nearer to the downloader than redirects, retries and decompression (order 760), to see the end of every download.
    """

    def __init__(self, crawler: Crawler, clock: HostClock, robots: RobotsCache | None) -> None:
        """``robots`` None: robots.txt is not requested (ROBOTSTXT_OBEY is off)."""
        self._crawler = crawler
        self._clock = clock
        self._robots = robots
        self._host_locks: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()
        self._in_flight: weakref.WeakKeyDictionary[Request, _RequestInFlight] = weakref.WeakKeyDictionary()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        options, settings = Options.read(crawler.settings), crawler.settings
        agent = settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT") or ""
        robots = RobotsCache(str(agent), ROBOTS_TTL_SECONDS) if settings.getbool("ROBOTSTXT_OBEY") else None
        return cls(crawler, HostClock(options.delay_factor, options.delay_min, options.delay_max), robots)

    async def process_request(self, request: Request) -> None:
        """Let the request through when its host may be asked; raises Refused or Postponed."""
        for key in (REST_SECONDS, *TIMINGS):
            request.meta.pop(key, None)  # a redirect or a retry inherits them
        host = host_key(request.url)
        if not host:
            return
        request.meta["download_slot"] = host
        if request.meta.get(ROBOTS_REQUEST):
            self._in_flight[request] = _RequestInFlight(host, time.monotonic(), None)
            return
        if request.meta.get(WITHIN_TURN) == host:
            await self._check_robots(request, host, may_wait=True)
            self._in_flight[request] = _RequestInFlight(host, time.monotonic(), None)
            return
        # a postponed request would be lost by a stock scheduler, and by a component that downloads it itself
        may_wait = request.callback is NO_CALLBACK or not returns_to_queue(self._crawler)
        turn = self._host_lock(host)
        await turn.acquire()
        try:
            await self._wait_for_rest(request, host, may_wait)
            await self._check_robots(request, host, may_wait)
        except BaseException as error:
            turn.release()
            self._note_refusal(request, host, error)
            raise
        end = weakref.finalize(request, turn.release)
        end.atexit = False
        self._in_flight[request] = _RequestInFlight(host, time.monotonic(), end)

    def process_response(self, request: Request, response: Response) -> Response:
        sent = self._in_flight.pop(request, None)
        if sent is not None:
            if "cached" not in response.flags:
                self._note_response(request, response, sent)
            self._end_turn(request, sent)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Record the host's rest; a request that was never sent causes none."""
        sent = self._in_flight.pop(request, None)
        if sent is not None:
            outcome, now = outcome_of_exception(exception), time.monotonic()
            if is_unreachable(outcome):
                self._clock.unreachable(sent.host, now)
            elif outcome == Outcome.POSTPONED:
                self._clock.aborted(sent.host, self._seconds(request, sent, now), now)
            elif not isinstance(exception, Refused):
                self._clock.finished(sent.host, self._seconds(request, sent, now), now)
            self._end_turn(request, sent)

    @asynccontextmanager
    async def turn(self, request: Request) -> AsyncIterator[None]:
        """Hold the host's turn, after its rest, for several requests in a row.

        These requests carry WITHIN_TURN, and each must obey robots.txt. Raises Refused as ``process_request`` does.
        """
        host = host_key(request.url)
        async with self._host_lock(host):
            try:
                await self._wait_for_rest(request, host, may_wait=True)
                yield
            finally:
                request.meta[REST_SECONDS] = self._clock.wait_seconds(host, time.monotonic())

    def downloads(self) -> list[tuple[str, float]]:
        """The requests in flight, as (host, seconds since sent), longest first."""
        now = time.monotonic()
        return sorted(((one.host, now - one.sent_at) for one in self._in_flight.values()), key=lambda pair: -pair[1])

    def sitemaps(self, host: str) -> tuple[str, ...]:
        """The addresses in the Sitemap lines of the host's robots.txt; none if that is not cached."""
        rules = self._robots.rules(host, time.monotonic()) if self._robots is not None else None
        return () if rules is None else rules.sitemaps

    def resting(self) -> DelayedHosts:
        return self._clock.delayed(time.monotonic())

    def refused_after_all(self, request: Request) -> None:
        """The answer to ``request`` is a refusal, although its status does not say so: a captcha, for example."""
        host, now = host_key(request.url), time.monotonic()
        self._clock.penalise(host, now)
        request.meta[REST_SECONDS] = self._clock.wait_seconds(host, now)

    def _host_lock(self, host: str) -> asyncio.Lock:
        """The lock of a host: one request at a time, in order of arrival. It exists as long as a task holds it or waits for it."""
        return self._host_locks.setdefault(host, asyncio.Lock())

    async def _check_robots(self, request: Request, host: str, may_wait: bool) -> None:
        if self._robots is None or request.meta.get("dont_obey_robotstxt"):
            return
        rules = await self._rules(self._robots, request, host, may_wait)
        if not rules.allow(request.url):
            self._count("robotstxt/forbidden")
            raise Refused(Outcome.ROBOTS, f"forbidden by robots.txt: {request.url}")

    async def _wait_for_rest(self, request: Request, host: str, may_wait: bool) -> None:
        if self._clock.is_down(host, time.monotonic()):
            raise Refused(Outcome.HOST_DOWN, f"{host} was not reached several times in a row: {request.url}")
        while (wait := self._clock.wait_seconds(host, time.monotonic())) > 0:
            if (wait > SHORT_WAIT and not may_wait) or is_closing(self._crawler):
                raise Postponed(wait, request.url)
            # wakes up now and then to check whether the crawl is closing
            await asyncio.sleep(min(wait, 0.5))

    async def _rules(self, robots: RobotsCache, request: Request, host: str, may_wait: bool) -> Rules:
        while (rules := robots.rules(host, time.monotonic())) is None:
            # the host's rest and the time for which robots.txt closes it begin with the same answer
            if (closed := robots.closed_seconds(host, time.monotonic())) > 0.5:
                raise Refused(Outcome.ROBOTS_UNREACHABLE, f"no robots.txt could be had: {request.url}")
            if closed:
                await asyncio.sleep(closed)
                continue
            await self._fetch_robots(robots, request, host)
            await self._wait_for_rest(request, host, may_wait)
        return rules

    async def _fetch_robots(self, robots: RobotsCache, request: Request, host: str) -> None:
        """Request the robots.txt of ``host`` once; raises Refused when that failed.

        The request opens the connection that the page then uses, so its connection time is recorded for the page.
        """
        url = robots.url_for(request.url, time.monotonic())
        self._count("robotstxt/request_count")
        engine = self._crawler.engine
        asked, active = _robots_request(url, request), engine.downloader.active
        active.discard(request)  # it only waits: so a host takes one of CONCURRENT_REQUESTS, not two
        try:
            response = await engine.download_async(asked)
        except Exception as error:
            outcome = outcome_of_exception(error)
            is_failure = may_retry(outcome) and outcome != Outcome.POSTPONED  # POSTPONED: we cancelled it
            if is_failure or not isinstance(error, Refused):
                robots.failed(host, time.monotonic())
            raise Refused(outcome, f"{url}: {error}") from error
        finally:
            active.add(request)  # Scrapy removes it at its end
        self._count(f"robotstxt/response_status_count/{response.status}")
        if CONNECT_SECONDS in asked.meta:
            request.meta[CONNECT_SECONDS] = asked.meta[CONNECT_SECONDS]
        location, now = _text(response, "Location"), time.monotonic()
        robots.answered(host, response.url, response.status, response.body, location, now, _retry_after(response))
        rules = robots.rules(host, now)
        if rules is not None:
            self._clock.set_crawl_delay(host, rules.crawl_delay)
        elif robots.closed_seconds(host, now):
            raise Refused(Outcome.ROBOTS_UNREACHABLE, f"{response.url} answered {response.status}")

    def _note_refusal(self, request: Request, host: str, error: BaseException) -> None:
        now = time.monotonic()
        closed = self._robots.closed_seconds(host, now) if self._robots else 0.0
        request.meta[REST_SECONDS] = max(closed, self._clock.wait_seconds(host, now))
        if isinstance(error, Refused):
            kind = "postponed" if isinstance(error, Postponed) else f"refused/{error.outcome}"
            self._count(f"topicspider/{kind}")
            request.meta[OUTCOME] = str(error.outcome)

    def _note_response(self, request: Request, response: Response, sent: _RequestInFlight) -> None:
        now = time.monotonic()
        seconds = self._seconds(request, sent, now)
        if request.meta.get(ROBOTS_REQUEST) and (response.status >= 500 or response.status == 429):
            self._clock.unreachable(sent.host, now, _retry_after(response))
        elif response.status in (429, 503):
            self._clock.blocked(sent.host, seconds, now, _retry_after(response))
        else:
            self._clock.finished(sent.host, seconds, now)

    def _end_turn(self, request: Request, sent: _RequestInFlight) -> None:
        request.meta[REST_SECONDS] = self._clock.wait_seconds(sent.host, time.monotonic())
        if sent.turn is not None:
            sent.turn()

    def _seconds(self, request: Request, sent: _RequestInFlight, now: float) -> float:
        measured = request.meta.get(DOWNLOAD_SECONDS)  # set by our download handler only
        return float(measured) if measured is not None else now - sent.sent_at

    def _count(self, name: str) -> None:
        self._crawler.stats.inc_value(name)


def must_give_up(crawler: Crawler) -> bool:
    """Whether the crawl is closing and a page given up now will be handed out again."""
    return is_closing(crawler) and returns_to_queue(crawler)


def is_closing(crawler: Crawler) -> bool:
    """Whether the crawl is closing: whatever has not started goes back to the queue."""
    engine = crawler.engine
    is_over = not getattr(engine, "running", True)
    return is_over or getattr(getattr(engine, "_slot", None), "closing", None) is not None


def returns_to_queue(crawler: Crawler) -> bool:
    """Whether a page given up now will be handed out again; a stock scheduler would lose it."""
    return getattr(getattr(crawler.engine, "scheduler", None), "hands_out_ready_hosts", False)


def _robots_request(url: str, page: Request) -> Request:
    """The request for robots.txt, with the proxy and user agent of the page that needs it."""
    robots = Request(
        url,
        callback=NO_CALLBACK,
        headers={"Accept-Encoding": "identity"},  # it may be cut at its limit
        meta={
            ROBOTS_REQUEST: True,
            CUT_AT: MAX_BYTES,
            "dont_obey_robotstxt": True,
            "dont_redirect": True,
            "dont_retry": True,
        },
        priority=page.priority,
        dont_filter=True,
    )
    if page.meta.get("proxy") and "_scheme_proxy" not in page.meta:
        robots.meta["proxy"] = page.meta["proxy"]
        if login := page.headers.get("Proxy-Authorization"):
            robots.headers["Proxy-Authorization"] = login
    if agent := page.headers.get("User-Agent"):
        robots.headers["User-Agent"] = agent
    return robots


def _text(response: Response, header: str) -> str:
    return (response.headers.get(header) or b"").decode("utf-8", "replace")[:4096]


def _retry_after(response: Response) -> float | None:
    return retry_after_seconds(_text(response, "Retry-After"))
