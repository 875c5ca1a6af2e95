"""The end of a crawl that is stopped: noticed at once, what was not begun goes back, what is in work has its time and no more."""

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

LOOK_SECONDS = 0.2  # Scrapy's engine tells nobody that it is closing
CTRL_C_SECONDS = 0.5
"""Whoever presses Ctrl-C waits for the end; a service has time for what is in work."""

_first_signal = 0


class GracefulShutdown:
    """Between the first signal (or order) and the end of the last request. ``is_on``: nothing new is to be begun.

    ``begin`` is called once, at once; ``look`` again and again after it. Downloads that take longer than ``seconds`` from then on, after
    Ctrl-C CTRL_C_SECONDS, are broken off: their URLs go back to the frontier as if they had not been tried.
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
    """From the first signal on, SIGTERM and SIGHUP are ignored: the drain is bounded anyway. A second Ctrl-C still forces the end.

    Scrapy takes any second signal as force. But services send SIGTERM to what another has stopped already, as systemd to a crawl that
    scrapyd was told to cancel, and a terminal that is closed sends SIGHUP twice, by the kernel and by its shell. Only Scrapy's own way to
    handle signals is changed, once a process.
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
            if callable(signal.getsignal(repeated)):  # nohup has SIGHUP ignored
                signal.signal(repeated, _pass_over)

    for number in (signal.SIGTERM, signal.SIGINT):
        if signal.getsignal(number) == ours:
            signal.signal(number, first)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:  # a terminal that was closed; nohup has it ignored
        signal.signal(signal.SIGHUP, first)


def was_stopped(process: CrawlerProcess | AsyncCrawlerProcess) -> bool:
    """Whether a signal has stopped the crawls of ``process``, also before ``watch``: of the next, Scrapy makes force."""
    return signal.getsignal(signal.SIGINT) in (process._signal_kill, signal.SIG_IGN)


def _pass_over(number: int, frame: FrameType | None) -> None:
    """Not SIG_IGN: programs that are started from here on would ignore it, too."""


def checked_slot(crawler: Crawler) -> Any:
    """The slot of the engine, which is private: with the set ``inprogress``, the call ``nextcall``, and ``closing``, None until it is; raises TopicSpiderError."""
    slot = getattr(crawler.engine, "_slot", None)
    has_calls = hasattr(getattr(slot, "nextcall", None), "schedule") and hasattr(slot, "closing")
    if isinstance(getattr(slot, "inprogress", None), set) and has_calls:
        return slot
    raise TopicSpiderError(
        f"Scrapy {scrapy_version} is not supported: its engine has no slot with inprogress, nextcall and closing"
    )
