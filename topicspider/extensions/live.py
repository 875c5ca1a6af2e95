"""Extension: what a crawl is doing, as one line that stays in its place in a terminal, or as log lines."""

from __future__ import annotations

import logging
import os
import re
import sys
from typing import Any, Self, TextIO

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import create_looping_call

from topicspider.crawl import CrawlComponents
from topicspider.extensions.report import closing_lines, live_line
from topicspider.json_log import said_by

logger = logging.getLogger(__name__)

REDRAW_SECONDS = 0.5
LOG_SECONDS = 30.0
LOG_COLUMNS = 200
USUAL_COLUMNS = 80
CLEAR_LINE = "\r\x1b[2K"
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class LiveProgress:
    """The line is drawn on stderr, so that stdout stays free for feeds; other output moves it down."""

    def __init__(self, assembly: CrawlComponents, stream: TextIO, *, draws: bool) -> None:
        self._assembly = assembly
        self._stream = stream
        self._draws = draws
        self._loop: Any = None
        self._filter = _TerminalFilter(stream, draws=draws)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        assembly = CrawlComponents.of(crawler)
        extension = cls(assembly, sys.stderr, draws=draws_live_line(assembly.options.live))
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    def spider_opened(self) -> None:
        for handler in logging.root.handlers:
            handler.addFilter(self._filter)
        self._loop = create_looping_call(self._show)
        self._loop.start(REDRAW_SECONDS if self._draws else LOG_SECONDS, now=self._draws)

    def spider_closed(self, spider: Spider, reason: str) -> None:
        if self._loop is not None and self._loop.running:
            self._loop.stop()
        if self._draws:
            lines = self.closing(spider, reason, self._columns())
            self._stream.write(CLEAR_LINE + "".join(f"{line}\n" for line in lines))
            self._stream.flush()
        else:
            for line in self.closing(spider, reason, LOG_COLUMNS * 2):
                logger.info("%s", line)
        self._filter.draws = False

    def closing(self, spider: Spider, reason: str, columns: int) -> list[str]:
        """What is said when all is over."""
        return closing_lines(self._assembly, spider.name, reason, columns=columns)

    def _show(self) -> None:
        tally = self._assembly.tally
        if self._draws:
            self._stream.write(CLEAR_LINE + live_line(tally, self._columns() - 1))
            self._stream.flush()
        else:
            logger.info("%s", live_line(tally, LOG_COLUMNS, shows_stall=False))

    def _columns(self) -> int:
        """The width of the terminal that the line is drawn on, which need not be the one of stdout."""
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or USUAL_COLUMNS
        except (OSError, ValueError):
            return USUAL_COLUMNS


class _TerminalFilter(logging.Filter):
    """Keeps control characters of pages out of the log; wipes the live line, which is drawn again below."""

    def __init__(self, stream: TextIO, *, draws: bool) -> None:
        super().__init__()
        self._stream = stream
        self.draws = draws

    def filter(self, record: logging.LogRecord) -> bool:
        if self.draws:
            self._stream.write(CLEAR_LINE)
        message = said_by(record)
        if CONTROL.search(message):
            record.msg, record.args = _visible(message), None
        if record.exc_info and not record.exc_text:
            record.exc_text = _visible(logging.Formatter().formatException(record.exc_info))
        return True


def _visible(text: str) -> str:
    """``text`` with control characters as ``\\x1b``: a terminal would obey them."""
    return CONTROL.sub(lambda found: f"\\x{ord(found.group()):02x}", text)


def draws_live_line(option: str) -> bool:
    """Whether the live line is drawn: when asked for, or by itself in a terminal."""
    return option == "on" or (option == "auto" and sys.stderr.isatty())
