"""Garbage collection is calm while crawls run, and as before when the last has ended."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from weakref import ref

import pytest
from scrapy import signals
from scrapy.utils.test import get_crawler

from topicspider.addon import FOCUS_EXTENSIONS
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
    assert gc.get_threshold() == (700, 10, 10)
    del extension


def test_the_last_of_two_crawls_in_a_process_puts_all_back() -> None:
    gc.set_threshold(500, 7, 9)
    first, second = CalmGarbageCollection(), CalmGarbageCollection()
    first.engine_started()
    second.engine_started()
    first.engine_stopped()
    assert gc.get_threshold() == (YOUNG, 7, 9)
    assert gc.get_freeze_count() > 0
    second.engine_stopped()
    assert gc.get_threshold() == (500, 7, 9)
    assert gc.get_freeze_count() == 0


def test_what_an_ended_crawl_leaves_goes_when_the_next_but_one_starts() -> None:
    """Crawls that overlap: what is frozen is not looked through, so each start looks anew."""

    class Left:
        def __init__(self) -> None:
            self.own = self

    first, second, third = CalmGarbageCollection(), CalmGarbageCollection(), CalmGarbageCollection()
    first.engine_started()
    left = Left()
    told = ref(left)
    second.engine_started()
    first.engine_stopped()
    del left
    third.engine_started()
    assert told() is None
    second.engine_stopped()
    third.engine_stopped()


@pytest.mark.parametrize(("given", "then"), [((0, 10, 10), (0, 10, 10)), ((50_000, 5, 5), (50_000, 5, 5))])
def test_who_switched_it_off_or_is_calmer_keeps_that(given: tuple[int, int, int], then: tuple[int, int, int]) -> None:
    gc.set_threshold(*given)
    extension = CalmGarbageCollection()
    extension.engine_started()
    assert gc.get_threshold() == then
    extension.engine_stopped()
    assert gc.get_threshold() == given


def test_every_crawl_has_it() -> None:
    name = f"{CalmGarbageCollection.__module__}.{CalmGarbageCollection.__qualname__}"
    assert FOCUS_EXTENSIONS[name] == max(FOCUS_EXTENSIONS.values())
