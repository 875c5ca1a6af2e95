"""The end of a crawl that is stopped: noticed at once, what was not begun goes back, what is in work has its time and no more."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from scrapy.crawler import Crawler

from topicspider.download.breaking import Downloads
from topicspider.engine_slot import checked_slot
from topicspider.frontier.beats import DRAINED, STOP

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.2  # Scrapy's engine tells nobody that it is closing


class Drain:
    """Between the first signal (or order) and the end of the last request. ``is_on``: nothing new is to be begun.

    ``begin`` is called once, at once; ``look`` again and again after it. Downloads that take longer than ``seconds`` from then on are
    broken off: their URLs go back to the frontier as if they had not been tried.
    """

    def __init__(self, crawler: Crawler, seconds: float, begin: Callable[[], None], look: Callable[[], None]) -> None:
        self._crawler, self._seconds = crawler, seconds
        self._slot, self._downloads = checked_slot(crawler), Downloads.of(crawler)
        self._begin, self._look = begin, look
        self._leaving: asyncio.Future[None] | None = None
        self.is_on = False

    def obey(self, asked: str) -> None:
        """Somebody wants this node to end (``scrapy nodes``); "" is nobody."""
        if asked == STOP:
            self._seconds = 0.0
        if asked and self._leaving is None and self._slot.closing is None:
            assert self._crawler.engine is not None
            logger.info("Asked to leave the crawl (%s)", asked)
            self._leaving = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason=DRAINED))

    async def watch(self) -> None:
        """Until cancelled."""
        while self._slot.closing is None:  # noqa: ASYNC110 - the engine has no event for it
            await asyncio.sleep(LOOK_SECONDS)
        self.is_on = True
        self._begin()
        self._look()
        began = time.monotonic()
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if not self._downloads.is_over and time.monotonic() - began >= self._seconds:
                broken = self._downloads.break_off()
                if broken:
                    logger.warning("%d downloads took too long to wait for; their URLs go back to the frontier", broken)
            self._look()
