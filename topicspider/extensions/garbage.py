"""Memory management of a running crawl: freezes long-lived objects for the garbage collector, and returns freed memory to the system.

The words, tables and modules of a started crawl are some 150,000 objects that stay. Now and then Python's garbage collector examines them
all, which stops everything else for .15 to .2 s. Frozen objects are skipped; ``gc.freeze`` is meant for this. Objects in a reference cycle
(a page that refers to its items, an exception whose traceback leads to it) stay until the collector runs: pages must not be in one.

The C library keeps freed memory, in pieces: 280 pages of megabytes each made a process grow from 300 to 880 MB, of which 290 were free.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from threading import Event, Thread

from scrapy.crawler import Crawler

from topicspider.crawl_components import CrawlComponents
from topicspider.scrapy_component import ScrapyComponent

_trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None  # only in glibc


class CalmGarbageCollection(ScrapyComponent):
    """Freezes the existing objects from engine start to engine stop; a project's own higher collection threshold is kept."""

    def __init__(self, crawler: Crawler, components: CrawlComponents) -> None:
        super().__init__(crawler, components)
        self._is_over = Event()

    def engine_started(self) -> None:
        """Collect all garbage, also that of crawls that have ended, and freeze the rest."""
        young, *older = gc.get_threshold()
        # a page leaves some thousand objects that free themselves; with Python's 700 each is examined several times
        gc.set_threshold(max(10_000, young) if young else 0, *older)
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        Thread(target=self._give_back, daemon=True).start()

    def item_dropped(self, exception: BaseException) -> None:
        """Break a cycle: the exception's traceback holds Scrapy's frames, they hold it, and so each dropped page would stay in memory."""
        exception.__traceback__ = None

    def engine_stopped(self) -> None:
        gc.unfreeze()
        self._is_over.set()

    def _give_back(self) -> None:
        while _trim is not None and not self._is_over.wait(10.0):
            _trim(0)
