"""Extension: says in one sentence, within ten seconds, why the crawl is slow or stands still, and when that is over."""

from __future__ import annotations

import logging
import time
from typing import Any

from scrapy import Spider
from scrapy.crawler import Crawler

from topicspider.crawl_components import CrawlComponents
from topicspider.download.reachability import proxy_of
from topicspider.i18n import gettext as _
from topicspider.middlewares.politeness import PolitenessMiddleware, is_closing
from topicspider.politeness.host_clock import DelayedHosts
from topicspider.scrapy_component import ScrapyComponent
from topicspider.stalls.causes import FRONTIER_AWAY, QUIET_SECONDS, Cause, Situation, StallWatch, cause_of
from topicspider.stalls.frontier_status import FrontierStatus, frontier_status_of
from topicspider.url import masked

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
_NAMES = {"redis": "Redis", "rediss": "Redis", "memory": "memory"}


class StallDoctor(ScrapyComponent):
    """Once a second, looks at figures that other components have; never waits for disk or network.

    A look while pages come costs some microseconds. The sentence is logged once, and shown on the live line as long as it is true.
    """

    def __init__(self, crawler: Crawler, components: CrawlComponents) -> None:
        super().__init__(crawler, components)
        self._proxy = masked(proxy_of("http://topicspider.example/"))
        self._watch = StallWatch()
        self._beat_at = self._page_at = time.monotonic()
        self._pages = 0

    def spider_opened(self) -> None:
        self._beat_at = self._page_at = time.monotonic()
        self._repeat(self._look, LOOK_SECONDS, "the cause of a stall could not be found")

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        self._components.stats.stall = ""
        await self._end_task()
        self._say_what_is_left(reason)

    def _look(self) -> None:
        now, stats = time.monotonic(), self._components.stats
        stats.loop_lags.append(max(0.0, now - self._beat_at - LOOK_SECONDS))
        self._beat_at = now
        if stats.pages != self._pages:
            self._page_at, self._pages = now, stats.pages
        status = frontier_status_of(self._crawler)
        if getattr(self._crawler.engine, "paused", False):  # a pause is no stall
            self._page_at = now
        situation = None if status is None else self._situation(status, now - self._page_at)
        cause = None if situation is None else cause_of(situation)
        stats.resting = 0 if situation is None else situation.resting.hosts
        stats.stall = "" if cause is None else cause.said
        if cause is not None and cause.kind == FRONTIER_AWAY:
            return  # the node itself logs when that began and when it is over
        news = self._watch.look(now, cause)
        if isinstance(news, Cause):
            logger.log(logging.WARNING if news.is_trouble else logging.INFO, "%s", news.said)
        elif news is not None:
            logger.info("%s", _("the crawl goes on as usual after {seconds:.0f} s", seconds=news))

    def _say_what_is_left(self, reason: str) -> None:
        """When a crawl ends by itself with links in its queue, log why it leaves them."""
        status = frontier_status_of(self._crawler)
        if reason == "finished" and status is not None and status.grant.reason in ("pages_per_host", "blocked"):
            left = Situation(quiet_seconds=QUIET_SECONDS, queued=status.counts.queued, reason=status.grant.reason)
            if cause := cause_of(left):
                logger.log(logging.WARNING if cause.is_trouble else logging.INFO, "%s", cause.said)

    def _situation(self, status: FrontierStatus, quiet_seconds: float) -> Situation:
        components, slot = self._components, getattr(self._crawler.engine, "_slot", None)
        politeness: Any = self._crawler.get_downloader_middleware(PolitenessMiddleware)
        trouble = components.writer.trouble
        return Situation(
            clock=time.time(),
            quiet_seconds=quiet_seconds,
            concurrency=self._crawler.settings.getint("CONCURRENT_REQUESTS") or 16,
            is_closing=is_closing(self._crawler),
            queued=status.counts.queued,
            known_hosts=status.counts.hosts,
            reason=status.grant.reason,
            wait_seconds=status.wait_seconds,
            granted_seconds=status.granted_seconds,
            frontier=_NAMES.get(components.options.frontier.partition(":")[0], "SQLite"),
            frontier_trouble=status.trouble,
            call_seconds=status.call_seconds,
            store_trouble="" if trouble is None else trouble.why,
            is_store_full=components.writer.is_full,
            rows_waiting=components.writer.waiting,
            downloads=politeness.downloads() if politeness is not None else (),
            in_work=len(getattr(slot, "inprogress", ())),
            failures=tuple(status.failures),
            resting=politeness.resting() if politeness is not None else DelayedHosts(),
            proxy=self._proxy,
        )
