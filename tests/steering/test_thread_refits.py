"""Fits run beside the event loop; their results come to it."""

from __future__ import annotations

import asyncio
import logging
import threading

import pytest

from topicspider.steering.fit_executor import ThreadFits


@pytest.fixture
def refits():
    refits = ThreadFits()
    yield refits
    refits.close()


def test_a_fit_runs_in_another_thread_and_is_adopted_in_the_loops(refits):
    async def crawl():
        adopted = asyncio.get_running_loop().create_future()
        refits.run(threading.get_ident, lambda fitted: adopted.set_result((fitted, threading.get_ident())))
        assert not adopted.done()
        return await adopted

    fitted, adopting = asyncio.run(crawl())
    assert adopting == threading.get_ident() != fitted


def test_the_loop_goes_round_while_a_fit_is_at_work(refits):
    """The fit ends only when the loop has gone round: a fit on the loop would wait for ever."""

    async def crawl():
        rounds, adopted = 0, asyncio.Event()
        may_end = threading.Event()
        refits.run(lambda: may_end.wait(20), lambda is_told: adopted.set() if is_told else None)
        while not adopted.is_set():
            await asyncio.sleep(0)
            rounds += 1
            if rounds == 100:
                may_end.set()
        return rounds

    assert asyncio.run(asyncio.wait_for(crawl(), 30)) > 100


def test_fits_are_adopted_in_the_order_in_which_they_were_asked_for(refits):
    async def crawl():
        order, done = [], asyncio.Event()
        for number in range(20):
            refits.run(lambda number=number: number, order.append)
        refits.run(lambda: None, lambda _none: done.set())
        await done.wait()
        return order

    assert asyncio.run(crawl()) == list(range(20))


def test_a_fit_or_an_adoption_that_fails_is_one_line_and_the_next_goes_on(refits, caplog):
    async def crawl():
        done = asyncio.Event()
        refits.run(lambda: 1 / 0, lambda _: None)
        refits.run(lambda: 1, lambda _: int("三百元"))
        refits.run(lambda: None, lambda _: done.set())
        await done.wait()

    with caplog.at_level(logging.WARNING):
        asyncio.run(crawl())
    assert refits.failures == 2
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) == 2
    assert all(record.exc_info is None for record in caplog.records)
    assert "ZeroDivisionError" in lines[0]


def test_nothing_is_adopted_after_the_crawl_has_ended(refits):
    async def crawl():
        may_end, adopted = threading.Event(), []
        refits.run(may_end.wait, adopted.append)
        refits.close()
        may_end.set()
        refits.run(lambda: 1, adopted.append)
        await asyncio.to_thread(refits._thread.shutdown)
        await asyncio.sleep(0)
        return adopted

    assert asyncio.run(crawl()) == []


def test_without_a_loop_it_is_done_at_once(refits):
    adopted = []
    refits.run(lambda: 7, adopted.append)
    refits.run(lambda: 1 / 0, adopted.append)
    assert (adopted, refits.failures) == ([7], 1)
