"""Extension: says why the crawl is slow or stands still, in one sentence, within ten seconds, and when that is over."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from scrapy import Spider, signals
from scrapy.crawler import Crawler

import topicspider
from topicspider.crawl_components import CrawlComponents
from topicspider.download.reachability import proxy_of
from topicspider.middlewares.politeness import PolitenessMiddleware, is_closing
from topicspider.politeness.host_clock import DelayedHosts
from topicspider.stalls.causes import LONG_LAG, Cause, Situation, cause_of, over_sentence, sentence, urgent_cause
from topicspider.stalls.frontier_status import FrontierStatus, frontier_status_of
from topicspider.stalls.watch import Pace, StallWatch
from topicspider.url import masked

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
BUSY = "busy_process"
FRONTIER_AWAY = "frontier_away"
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
        self._guard = _LoopGuard(self._say_busy)
        self._task: asyncio.Future[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler, CrawlComponents.of(crawler))
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_opened(self) -> None:
        self._guard.start()
        self._task = asyncio.ensure_future(self._follow())

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        self._guard.stop()
        self._assembly.tally.stall = ""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._say_what_is_left(reason)

    async def _follow(self) -> None:
        pace = Pace(time.monotonic(), self._assembly.tally.pages)
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                self._look(pace, time.monotonic())
            except Exception:
                logger.exception("the cause of a stall could not be found")

    def _look(self, pace: Pace, now: float) -> None:
        lag = self._guard.beat(now)
        pace.look(now, self._assembly.tally.pages)
        pulse = frontier_status_of(self._crawler)
        if pulse is not None and pace.is_slow(now):
            cause = cause_of(self._situation(pulse, pace.quiet_seconds(now), lag))
        else:
            trouble = "" if pulse is None else pulse.trouble
            cause = urgent_cause(Situation(frontier_trouble=trouble, lag_seconds=lag[0], lag_place=lag[1]))
        news = self._watch.look(now, cause)
        self._assembly.tally.stall = "" if cause is None else sentence(cause)
        if news is None or news.cause.kind == FRONTIER_AWAY:
            return  # of that the node has told in the log, when it began and when it was over
        if news.over_after is not None:
            self._guard.has_said = False
            logger.info("%s", over_sentence(news.over_after))
        elif not (news.cause.kind == BUSY and self._guard.has_said):
            self._guard.has_said |= news.cause.kind == BUSY
            self._say(news.cause)

    def _say(self, cause: Cause) -> None:
        logger.log(logging.WARNING if cause.is_trouble else logging.INFO, "%s", sentence(cause))

    def _say_busy(self, seconds: float, place: str) -> None:
        """From the guard's thread, while the event loop stands still."""
        cause = urgent_cause(Situation(lag_seconds=seconds, lag_place=place))
        if cause is not None:
            self._say(cause)

    def _say_what_is_left(self, reason: str) -> None:
        """A crawl that ends by itself with links in its queue says why it leaves them."""
        pulse = frontier_status_of(self._crawler)
        if reason == "finished" and pulse is not None and pulse.grant.reason in ("pages_per_host", "blocked"):
            cause = cause_of(Situation(queued=pulse.counts.queued, reason=pulse.grant.reason))
            if cause is not None:
                self._say(cause)

    def _situation(self, pulse: FrontierStatus, quiet_seconds: float, lag: tuple[float, str]) -> Situation:
        assembly, slot = self._assembly, getattr(self._crawler.engine, "_slot", None)
        links, reasons = assembly.tally.recent_links()
        pruned_for = min(reasons, key=lambda reason: (-reasons[reason], reason)) if reasons else ""
        politeness: Any = self._crawler.get_downloader_middleware(PolitenessMiddleware)
        trouble = assembly.writer.trouble
        # a host with links has its turn again within that time, unless it backs off
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
            is_log_full=assembly.log.is_busy,
            downloads=politeness.downloads() if politeness is not None else (),
            in_work=len(getattr(slot, "inprogress", ())),
            failures=pulse.ends_since_page(),
            asked_hosts=pulse.hosts_since(180.0),
            resting=politeness.resting() if politeness is not None else DelayedHosts(),
            proxy=self._proxy,
            links=links,
            pruned=reasons.total(),
            pruned_for=pruned_for,
            lag_seconds=lag[0],
            lag_place=lag[1],
        )


class _LoopGuard:
    """A thread that looks whether the event loop still turns, and says where it stands when it does not."""

    def __init__(self, say: Callable[[float, str], None]) -> None:
        self._say = say
        self._loop_thread = threading.get_ident()
        self._beat_at = time.monotonic()
        self._lag: tuple[float, str, float] = (0.0, "", 0.0)  # seconds, place, when it was noticed
        self._place = ""
        self.has_said = False  # of the stall that goes on
        self._is_over = threading.Event()

    def start(self) -> None:
        self._loop_thread, self._beat_at = threading.get_ident(), time.monotonic()
        threading.Thread(target=self._work, name="stall-doctor", daemon=True).start()

    def stop(self) -> None:
        self._is_over.set()

    def beat(self, now: float) -> tuple[float, str]:
        """The event loop turns; returns how long it did not, until a few seconds ago, and where it stood then."""
        lag = now - self._beat_at - LOOK_SECONDS
        if lag >= LONG_LAG:
            self._lag = (lag, self._place, now)
        self._beat_at, self._place = now, ""
        return self._lag[:2] if now - self._lag[2] < LONG_LAG else (0.0, "")

    def _work(self) -> None:
        while not self._is_over.wait(LOOK_SECONDS):
            seconds = time.monotonic() - self._beat_at - LOOK_SECONDS
            if seconds >= LONG_LAG and not self._place:
                self._place = _place_of(self._loop_thread)
                if not self.has_said:
                    self.has_said = True
                    self._say(seconds, self._place)


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
