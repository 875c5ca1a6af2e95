"""Garbage collection is calm while crawls run."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from scrapy import signals
from scrapy.utils.test import get_crawler

from topicspider.extensions.garbage import YOUNG, CalmGarbageCollection


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    """The process of the tests goes on as it was."""
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


def test_what_is_there_when_the_engine_starts_is_frozen_until_it_stops() -> None:
    gc.set_threshold(700, 10, 10)
    crawler = get_crawler()
    extension = CalmGarbageCollection.from_crawler(crawler)  # kept: signals hold their receivers weakly
    crawler.signals.send_catch_log(signals.engine_started)
    assert gc.get_freeze_count() > 1_000
    assert gc.get_threshold() == (YOUNG, 10, 10)
    crawler.signals.send_catch_log(signals.engine_stopped)
    assert gc.get_freeze_count() == 0
    del extension
