"""Memory while a crawl runs: what was there before it is not looked through for garbage, and what large pages have left goes back to the system.

The words, tables and modules of a started crawl are some 150,000 objects that stay. Python looks through all of them now and then, for .15 to
.2 s in which nothing else happens. Frozen they are passed over, as ``gc.freeze`` is meant for.

What holds itself (a page that knows its items, an exception whose traceback leads to it) stays until Python looks for it: pages must not.

The C library keeps what was freed, in pieces: 280 pages of megabytes each had a process grow from 300 to 880 MB, of which 290 were free.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from threading import Event, Thread

from scrapy.crawler import Crawler

from topicspider.crawl_components import CrawlComponents
from topicspider.scrapy_component import ScrapyComponent

_trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None  # of glibc alone


class CalmGarbageCollection(ScrapyComponent):
    """Freezes what there is when an engine starts, until one stops; a project that looks even less often keeps that."""

    def __init__(self, crawler: Crawler, components: CrawlComponents) -> None:
        super().__init__(crawler, components)
        self._is_over = Event()

    def engine_started(self) -> None:
        """Of what is there all garbage goes, also what crawls that ended have left, and the rest is frozen."""
        young, *older = gc.get_threshold()
        # a page leaves some thousand objects behind that are gone by themselves; with Python's 700 each is looked through several times
        gc.set_threshold(max(10_000, young) if young else 0, *older)
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        Thread(target=self._give_back, daemon=True).start()

    def item_dropped(self, exception: BaseException) -> None:
        """Scrapy's frames hold the exception, and its traceback holds them: each miss, a page of a megabyte, would stay until garbage is looked for."""
        exception.__traceback__ = None

    def engine_stopped(self) -> None:
        gc.unfreeze()
        self._is_over.set()

    def _give_back(self) -> None:
        while _trim is not None and not self._is_over.wait(10.0):
            _trim(0)
