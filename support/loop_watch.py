"""A Scrapy extension that notes each time the event loop of a crawl stood still, for how long, and where it stood.

LOOP_WATCH_FILE names the file: one JSON object a line, ``at`` (seconds of the monotonic clock, which all processes share),
``lag`` (how late the loop came), ``cpu`` (seconds of it in which its thread computed) and ``place``.
"""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler

TICK_SECONDS = 0.005
NOTED_SECONDS = 0.02
_ROOT = str(Path(__file__).resolve().parents[1])


class LoopWatch:
    """The loop beats each 5 ms; a thread looks where it stands when the beat does not come."""

    def __init__(self, file: str) -> None:
        self._file = Path(file)
        self._noted: list[dict[str, Any]] = []
        self._beat = time.monotonic()
        self._place = ""
        self._is_over = threading.Event()
        self._task: asyncio.Future[None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        watch = cls(crawler.settings["LOOP_WATCH_FILE"])
        crawler.signals.connect(watch.spider_opened, signals.spider_opened)
        crawler.signals.connect(watch.spider_closed, signals.spider_closed)
        return watch

    def spider_opened(self) -> None:
        self._beat = time.monotonic()
        self._task = asyncio.ensure_future(self._follow())
        threading.Thread(target=self._look, args=(threading.get_ident(),), name="loop-watch", daemon=True).start()

    def spider_closed(self) -> None:
        self._is_over.set()
        if self._task is not None:
            self._task.cancel()
        self._file.write_text("".join(json.dumps(one) + "\n" for one in self._noted), encoding="utf-8")

    async def _follow(self) -> None:
        while True:
            began, cpu = time.monotonic(), time.thread_time()
            self._beat, self._place = began, ""
            await asyncio.sleep(TICK_SECONDS)
            lag = time.monotonic() - began - TICK_SECONDS
            if lag >= NOTED_SECONDS:
                cpu_seconds = time.thread_time() - cpu
                self._noted.append({"at": began, "lag": lag, "cpu": cpu_seconds, "place": self._place})

    def _look(self, loop_thread: int) -> None:
        while not self._is_over.wait(TICK_SECONDS):
            if time.monotonic() - self._beat >= NOTED_SECONDS and not self._place:
                self._place = _place_of(loop_thread)


def _place_of(thread: int) -> str:
    """The innermost line of the project that the thread is in, and its innermost line of all where that is another's."""
    frame = innermost = sys._current_frames().get(thread)
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(_ROOT) and "loop_watch" not in name:
            own = f"{name.removeprefix(_ROOT).lstrip('/')}:{frame.f_lineno}"
            return own if frame is innermost else f"{own}, in {_line_of(innermost)}"
        frame = frame.f_back
    return "" if innermost is None else _line_of(innermost)


def _line_of(frame: FrameType | None) -> str:
    return "" if frame is None else f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
