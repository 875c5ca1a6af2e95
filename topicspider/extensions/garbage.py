"""Garbage collection while a crawl runs: what was there before it is left alone, and new objects are looked through less often.

The words, tables and modules of a started crawl are some 150,000 objects that stay. Python looks through all of them now and then, for .15 to
.2 s in which nothing else happens. Frozen they are passed over, as ``gc.freeze`` is meant for.
"""

from __future__ import annotations

import gc
from typing import ClassVar, Self

from scrapy import signals
from scrapy.crawler import Crawler

# A page leaves some thousand objects behind that are gone by themselves; with Python's 700 each is looked through several times
YOUNG = 10_000


class CalmGarbageCollection:
    """Freezes what there is when the engine starts; when the last crawl of the process ends, nothing is frozen any more."""

    _running: ClassVar[int] = 0
    _before: ClassVar[tuple[int, int, int]] = (0, 0, 0)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls()
        crawler.signals.connect(extension.engine_started, signals.engine_started)
        crawler.signals.connect(extension.engine_stopped, signals.engine_stopped)
        return extension

    def engine_started(self) -> None:
        """Of what is there all garbage goes, and the rest is frozen."""
        own = CalmGarbageCollection
        if not own._running:
            own._before = gc.get_threshold()
            gc.set_threshold(max(YOUNG, own._before[0]) if own._before[0] else 0, *own._before[1:])
        own._running += 1
        gc.unfreeze()  # what crawls that ended meanwhile have left is garbage, too
        gc.collect()
        gc.freeze()

    def engine_stopped(self) -> None:
        """As it was before the first crawl."""
        own = CalmGarbageCollection
        own._running -= 1
        if not own._running:
            gc.unfreeze()
            gc.set_threshold(*own._before)
