"""Extension: says why the crawl is slow or stands still, in one sentence, within ten seconds, and when that is over."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
from pathlib import Path
from typing import Any, Self

from scrapy import Spider, signals
from scrapy.crawler import Crawler

import topicspider
from topicspider.crawl_components import CrawlComponents
from topicspider.download.reachability import proxy_of
from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.middlewares.politeness import PolitenessMiddleware, is_closing
from topicspider.politeness.host_clock import DelayedHosts
from topicspider.stalls.causes import FRONTIER_AWAY, QUIET_SECONDS, Cause, Situation, StallWatch, cause_of
from topicspider.stalls.frontier_status import FrontierStatus, frontier_status_of
from topicspider.url import masked

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
LONG_LAG = 3.0  # seconds that nothing else could happen in this process
BUSY = N_("this process was busy for {seconds:.0f} s and could do nothing else; it is at {place}")
PACKAGE = Path(topicspider.__file__).parent


class StallDoctor:
    """Looks once a second at what others know anyway; nothing here waits for disk or network.

    A look while pages come costs some microseconds. The sentence stands in the log once, and on the live line as long as it
    holds. While this very process is too busy to look, a thread does, and says where it is.
    """

    def __init__(self, crawler: Crawler, assembly: CrawlComponents) -> None:
        self._crawler = crawler
        self._assembly = assembly
        self._proxy = masked(proxy_of("http://topicspider.example/"))
        self._watch = StallWatch()
        self._beat_at = self._page_at = time.monotonic()
        self._pages = 0
        self._is_over = threading.Event()
        self._task: asyncio.Future[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler, CrawlComponents.of(crawler))
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_opened(self) -> None:
        self._beat_at = self._page_at = time.monotonic()
        threading.Thread(target=self._guard, args=[threading.get_ident()], name="stall-doctor", daemon=True).start()
        self._task = asyncio.ensure_future(self._follow())

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        self._is_over.set()
        self._assembly.tally.stall = ""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._say_what_is_left(reason)

    def _guard(self, loop_thread: int) -> None:
        """In a thread: say of each time that the event loop does not turn, where it stands."""
        has_said = False
        while not self._is_over.wait(LOOK_SECONDS):
            seconds = time.monotonic() - self._beat_at - LOOK_SECONDS
            if seconds >= LONG_LAG and not has_said:
                logger.warning("%s", _(BUSY, seconds=seconds, place=_place_of(loop_thread)))
            has_said = seconds >= LONG_LAG

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                self._look(time.monotonic())
            except Exception:
                logger.exception("the cause of a stall could not be found")

    def _look(self, now: float) -> None:
        tally = self._assembly.tally
        tally.loop_lags.append(max(0.0, now - self._beat_at - LOOK_SECONDS))
        self._beat_at = now
        if tally.pages != self._pages:
            self._page_at, self._pages = now, tally.pages
        pulse = frontier_status_of(self._crawler)
        cause = None if pulse is None else cause_of(self._situation(pulse, now - self._page_at))
        tally.stall = "" if cause is None else cause.said
        if cause is not None and cause.kind == FRONTIER_AWAY:
            return  # the node itself tells in the log when that began and when it is over
        news = self._watch.look(now, cause)
        if isinstance(news, Cause):
            self._say(news)
        elif news is not None:
            logger.info("%s", _("the crawl goes on as usual after {seconds:.0f} s", seconds=news))

    def _say(self, cause: Cause) -> None:
        logger.log(logging.WARNING if cause.is_trouble else logging.INFO, "%s", cause.said)

    def _say_what_is_left(self, reason: str) -> None:
        """A crawl that ends by itself with links in its queue says why it leaves them."""
        pulse = frontier_status_of(self._crawler)
        if reason == "finished" and pulse is not None and pulse.grant.reason in ("pages_per_host", "blocked"):
            left = Situation(quiet_seconds=QUIET_SECONDS, queued=pulse.counts.queued, reason=pulse.grant.reason)
            if cause := cause_of(left):
                self._say(cause)

    def _situation(self, pulse: FrontierStatus, quiet_seconds: float) -> Situation:
        assembly, slot = self._assembly, getattr(self._crawler.engine, "_slot", None)
        politeness: Any = self._crawler.get_downloader_middleware(PolitenessMiddleware)
        trouble = assembly.writer.trouble
        return Situation(
            clock=time.time(),
            quiet_seconds=quiet_seconds,
            concurrency=self._crawler.settings.getint("CONCURRENT_REQUESTS") or 16,
            is_closing=is_closing(self._crawler),
            queued=pulse.counts.queued,
            known_hosts=pulse.counts.hosts,
            reason=pulse.grant.reason,
            wait_seconds=pulse.wait_seconds,
            frontier=_frontier_name(assembly.options.frontier),
            frontier_trouble=pulse.trouble,
            call_seconds=pulse.call_seconds,
            store_trouble="" if trouble is None else trouble.why,
            is_store_full=assembly.writer.is_full,
            rows_waiting=assembly.writer.waiting,
            downloads=politeness.downloads() if politeness is not None else (),
            in_work=len(getattr(slot, "inprogress", ())),
            failures=pulse.ends_since_page(),
            resting=politeness.resting() if politeness is not None else DelayedHosts(),
            proxy=self._proxy,
        )


def _place_of(thread: int) -> str:
    """The innermost line of ours that the thread is in, else its innermost line: ``page/markup/walk.py:101``."""
    frame = innermost = sys._current_frames().get(thread)
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(PACKAGE) and path.name != "stalls.py":
            return f"{path.relative_to(PACKAGE)}:{frame.f_lineno}"
        frame = frame.f_back
    return "" if innermost is None else f"{Path(innermost.f_code.co_filename).name}:{innermost.f_lineno}"


def _frontier_name(place: str) -> str:
    return {"redis": "Redis", "rediss": "Redis", "memory": "memory"}.get(place.partition(":")[0], "SQLite")
