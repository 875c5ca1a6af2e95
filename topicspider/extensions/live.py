"""Extension: what a crawl is doing, as one line that stays in its place in a terminal, or as log lines."""

from __future__ import annotations

import logging
import shutil
import sys
from typing import Any, Self, TextIO

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import create_looping_call

from topicspider.assembly import Assembly
from topicspider.extensions.report import closing_lines, live_line
from topicspider.text.wording import speaks_chinese

logger = logging.getLogger(__name__)

REDRAW_SECONDS = 0.5
LOG_SECONDS = 30.0
CLEAR_LINE = "\r\x1b[2K"


class LiveProgress:
    """The line is drawn on stderr, so that stdout stays free for feeds; other output moves it down."""

    def __init__(self, assembly: Assembly, stream: TextIO, *, draws: bool) -> None:
        self._assembly = assembly
        self._stream = stream
        self._draws = draws
        self._chinese = speaks_chinese(assembly.options.language)
        self._loop: Any = None
        self._filter = _LineClearer(stream)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        assembly = Assembly.of(crawler)
        extension = cls(assembly, sys.stderr, draws=draws_live_line(assembly.options.live))
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_opened(self) -> None:
        if self._draws:
            for handler in logging.root.handlers:
                handler.addFilter(self._filter)
        self._loop = create_looping_call(self._show)
        self._loop.start(REDRAW_SECONDS if self._draws else LOG_SECONDS, now=self._draws)

    def spider_closed(self, spider: Spider, reason: str) -> None:
        if self._loop is not None and self._loop.running:
            self._loop.stop()
        for handler in logging.root.handlers:
            handler.removeFilter(self._filter)
        lines = closing_lines(self._assembly, spider.name, reason, chinese=self._chinese)
        if self._draws:
            self._stream.write(CLEAR_LINE + "\n".join(lines) + "\n")
            self._stream.flush()
        else:
            for line in lines:
                logger.info("%s", line)

    def _show(self) -> None:
        tally = self._assembly.tally
        if self._draws:
            columns = shutil.get_terminal_size().columns
            self._stream.write(CLEAR_LINE + live_line(tally, columns - 1, chinese=self._chinese))
            self._stream.flush()
        else:
            logger.info("%s", live_line(tally, 200, chinese=self._chinese))


class _LineClearer(logging.Filter):
    """Wipes the live line before a log line is written where it stands; it is drawn again below."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream

    def filter(self, record: logging.LogRecord) -> bool:  # noqa: ARG002
        self._stream.write(CLEAR_LINE)
        return True


def draws_live_line(option: str) -> bool:
    """Whether the live line is drawn: when asked for, or by itself in a terminal."""
    return option == "on" or (option == "auto" and sys.stderr.isatty())
