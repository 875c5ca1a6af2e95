"""Fits run beside the event loop; their results come to it."""

from __future__ import annotations

import asyncio
import logging
import threading

import pytest

from topicspider.steering.model_sync import ThreadFits


@pytest.fixture
def fits():
    fits = ThreadFits()
    yield fits
    fits.close()


def test_the_loop_goes_round_while_a_fit_is_at_work(fits):
    """The fit ends only when the loop has gone round: a fit on the loop would wait for ever."""

    async def crawl():
        rounds, adopted = 0, asyncio.Event()
        may_end = threading.Event()
        fits.run(lambda: may_end.wait(20), lambda is_told: adopted.set() if is_told else None)
        while not adopted.is_set():
            await asyncio.sleep(0)
            rounds += 1
            if rounds == 100:
                may_end.set()
        return rounds

    assert asyncio.run(asyncio.wait_for(crawl(), 30)) > 100


def test_a_fit_or_an_adoption_that_fails_is_one_line_and_the_next_goes_on(fits, caplog):
    async def crawl():
        done = asyncio.Event()
        fits.run(lambda: 1 / 0, lambda _: None)
        fits.run(lambda: 1, lambda _: int("三百元"))
        fits.run(lambda: None, lambda _: done.set())
        await done.wait()

    with caplog.at_level(logging.WARNING):
        asyncio.run(crawl())
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 2
    assert all(record.exc_info is None for record in caplog.records)
    assert "ZeroDivisionError" in lines[0]
