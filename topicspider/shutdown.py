"""Graceful shutdown: notices the stop at once, gives back what was not started, and limits the time for running downloads."""

from __future__ import annotations

import asyncio
import logging
import signal
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

from scrapy import __version__ as scrapy_version
from scrapy.crawler import AsyncCrawlerProcess, Crawler, CrawlerProcess

from topicspider.download.cancellation import Downloads
from topicspider.errors import TopicSpiderError
from topicspider.frontier.heartbeat import DRAINED, STOP

logger = logging.getLogger(__name__)

LOOK_SECONDS = 0.2  # seconds between checks: Scrapy's engine does not announce that it is closing
CTRL_C_SECONDS = 0.5
"""Time limit for running downloads after Ctrl-C, because the user waits; a service has more time."""

_first_signal = 0


class GracefulShutdown:
    """Controls the time from the first signal (or order) to the end of the last request. ``is_on``: nothing new may start.

    ``begin`` is called once, when the shutdown begins; ``look`` again and again after it. Downloads that are still running ``seconds``
    later (after Ctrl-C: CTRL_C_SECONDS later) are cancelled: their URLs go back to the frontier as if they had not been tried.
    """

    def __init__(self, crawler: Crawler, seconds: float, begin: Callable[[], None], look: Callable[[], None]) -> None:
        self._crawler, self._seconds = crawler, seconds
        self._slot, self._downloads = checked_slot(crawler), Downloads.of(crawler)
        self._begin, self._look = begin, look
        self._leaving: asyncio.Future[None] | None = None
        self.is_on = False

    def obey(self, asked: str) -> None:
        """Obey a request to this node to end (``scrapy nodes``); "" is none."""
        if asked == STOP:
            self._seconds = 0.0
        if asked and self._leaving is None and self._slot.closing is None:
            logger.info("Asked to leave the crawl (%s)", asked)
            self._leaving = asyncio.ensure_future(self._crawler.engine.close_spider_async(reason=DRAINED))

    async def watch(self) -> None:
        ignore_repeated_sigterm()
        while self._slot.closing is None:  # noqa: ASYNC110 - the engine has no event for it
            await asyncio.sleep(LOOK_SECONDS)
        self.is_on = True
        self._begin()
        self._look()
        if _first_signal == signal.SIGINT:
            self._seconds = min(self._seconds, CTRL_C_SECONDS)
        began = time.monotonic()
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if not self._downloads.is_over and time.monotonic() - began >= self._seconds:
                broken = self._downloads.cancel_all()
                if broken:
                    logger.warning("%d downloads took too long to wait for; their URLs go back to the frontier", broken)
            self._look()


def ignore_repeated_sigterm() -> None:
    """After the first signal, ignore SIGTERM and SIGHUP: the shutdown has a time limit anyway. A second Ctrl-C still forces the end.

    Scrapy treats any second signal as force. But services send SIGTERM to a crawl that another program is stopping already (systemd to one
    that scrapyd was told to cancel), and closing a terminal sends SIGHUP twice, from kernel and shell. Only Scrapy's own signal handlers
    are changed, once per process.
    """
    ours = signal.getsignal(signal.SIGTERM)
    process = getattr(ours, "__self__", None)
    if not callable(ours) or not isinstance(process, CrawlerProcess | AsyncCrawlerProcess):
        return
    if was_stopped(process):
        signal.signal(signal.SIGTERM, _pass_over)
        return

    def first(number: int, frame: FrameType | None) -> Any:
        global _first_signal
        _first_signal = number
        ours(number, frame)
        for repeated in (signal.SIGTERM, signal.SIGHUP):
            if callable(signal.getsignal(repeated)):  # under nohup SIGHUP is ignored already
                signal.signal(repeated, _pass_over)

    for number in (signal.SIGTERM, signal.SIGINT):
        if signal.getsignal(number) == ours:
            signal.signal(number, first)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:  # for a closed terminal; nohup has it ignored
        signal.signal(signal.SIGHUP, first)


def was_stopped(process: CrawlerProcess | AsyncCrawlerProcess) -> bool:
    """Whether a signal has already stopped the crawls of ``process``, even before ``watch``: Scrapy would treat the next one as force."""
    return signal.getsignal(signal.SIGINT) in (process._signal_kill, signal.SIG_IGN)


def _pass_over(number: int, frame: FrameType | None) -> None:
    """Does nothing. SIG_IGN would be inherited by programs started from here on."""


def checked_slot(crawler: Crawler) -> Any:
    """The engine's private slot, with ``inprogress`` (set), ``nextcall``, and ``closing`` (None until closing); else TopicSpiderError."""
    slot = getattr(crawler.engine, "_slot", None)
    has_calls = hasattr(getattr(slot, "nextcall", None), "schedule") and hasattr(slot, "closing")
    if isinstance(getattr(slot, "inprogress", None), set) and has_calls:
        return slot
    raise TopicSpiderError(
        f"Scrapy {scrapy_version} is not supported: its engine has no slot with inprogress, nextcall and closing"
    )
