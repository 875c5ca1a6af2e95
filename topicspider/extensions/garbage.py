"""Garbage collection while a crawl runs: what was there before it is left alone, and new objects are looked through less often.

The words, tables and modules of a started crawl are some 150,000 objects that stay. Python looks through all of them now and then, for .15 to
.2 s in which nothing else happens. Frozen they are passed over, as ``gc.freeze`` is meant for.
"""

from __future__ import annotations

import gc
from typing import Self

from scrapy import signals
from scrapy.crawler import Crawler

# A page leaves some thousand objects behind that are gone by themselves; with Python's 700 each is looked through several times
YOUNG = 10_000


class CalmGarbageCollection:
    """Freezes what there is when an engine starts, until one stops; a project that looks even less often keeps that."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls()
        crawler.signals.connect(extension.engine_started, signals.engine_started)
        crawler.signals.connect(extension.engine_stopped, signals.engine_stopped)
        return extension

    def engine_started(self) -> None:
        """Of what is there all garbage goes, also what crawls that ended have left, and the rest is frozen."""
        young, *older = gc.get_threshold()
        gc.set_threshold(max(YOUNG, young) if young else 0, *older)
        gc.unfreeze()
        gc.collect()
        gc.freeze()

    def engine_stopped(self) -> None:
        gc.unfreeze()
