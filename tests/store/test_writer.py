"""The writer thread: durable before it says so (promise S1), nothing lost or doubled in an outage (promise S2)."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import wait
from pathlib import Path

import pytest

from support.servers import MysqlServer, fresh_database, run_sql
from support.store_rows import crawl, link, page
from tests.store.conftest import AwayStore
from topicspider.errors import BadRow, StoreUnavailable
from topicspider.store.location import open_store
from topicspider.store.store import Store
from topicspider.store.writer import StoreWriter


def test_a_future_ends_only_after_the_commit(away: AwayStore, start_writer: Callable[..., StoreWriter]) -> None:
    """Promise S1."""
    away.gate.clear()
    writer = start_writer(away)
    future = writer.submit(pages=[page()], links=[link()], crawls=[crawl()])
    assert away.entered.wait(5)
    assert not future.done()
    assert (writer.waiting, writer.written) == (3, 0)
    away.gate.set()
    assert future.result(5) == {}
    assert away.inner.totals().pages == 1
    assert (writer.waiting, writer.written) == (0, 3)


def test_submit_never_blocks_and_a_full_writer_says_so(
    away: AwayStore, start_writer: Callable[..., StoreWriter]
) -> None:
    away.gate.clear()
    writer = start_writer(away, max_waiting=10)
    assert not writer.is_full
    start = time.perf_counter()
    futures = [writer.submit(pages=[page(f"http://a.example/{i}")]) for i in range(500)]
    assert time.perf_counter() - start < 10  # a writer that blocks would wait for the gate for ever
    assert writer.is_full
    away.gate.set()
    wait(futures, 10)
    assert not writer.is_full
    assert away.inner.totals().pages == 500


def test_a_bad_row_fails_its_own_future_only(store: Store, start_writer: Callable[..., StoreWriter]) -> None:
    writer = start_writer(store, flush_seconds=0.5)  # all in one group
    good = [writer.submit(pages=[page(f"http://a.example/{i}")]) for i in range(40)]
    bad = writer.submit(pages=[page("http://a.example/bad", relevance=float("nan"))])
    good += [writer.submit(pages=[page(f"http://b.example/{i}")]) for i in range(59)]
    assert [future.result(10) for future in good] == [{}] * 99
    with pytest.raises(BadRow, match="relevance"):
        bad.result(10)
    assert (writer.refused, writer.written, writer.waiting, store.totals().pages) == (1, 99, 0, 99)


def test_close_gives_up_in_time_and_says_how_many_rows_were_not_written(
    away: AwayStore, start_writer: Callable[..., StoreWriter]
) -> None:
    away.error = StoreUnavailable("store", "gone")
    writer = start_writer(away, batch=10)
    futures = [writer.submit(pages=[page(f"http://a.example/{i}")]) for i in range(25)]
    start = time.monotonic()
    assert writer.close(timeout_seconds=0.5) == 25
    assert time.monotonic() - start < 10
    assert all(isinstance(future.exception(0), StoreUnavailable) for future in futures)


def test_two_writers_at_once_neither_lose_nor_double(
    lasting_url: str, opened: Callable[[str], Store], start_writer: Callable[..., StoreWriter]
) -> None:
    writers = [start_writer(opened(lasting_url), batch=20) for _ in range(2)]
    # the same 300 pages in opposite order, so that the writers meet on the same keys
    orders = [range(300), range(299, -1, -1)]
    futures = [
        writer.submit(pages=[page(f"http://a.example/{i}")], links=[link(f"http://a.example/{i}")])
        for numbers in zip(*orders, strict=True)
        for writer, i in zip(writers, numbers, strict=True)
    ]
    assert all(future.result(60) == {} for future in futures)
    assert [writer.refused for writer in writers] == [0, 0]
    store = opened(lasting_url)
    assert (store.totals().pages, len(store.links_from("tourism", "http://a.example/", 1000))) == (300, 300)


def test_mysql_killed_again_and_again_while_rows_are_written(
    mysql_server: MysqlServer, start_writer: Callable[..., StoreWriter], caplog: pytest.LogCaptureFixture
) -> None:
    """Promises S1, S2: kill -9 in the middle of commits; what was promised is there, nothing is lost or doubled."""
    caplog.set_level(logging.WARNING)
    with fresh_database(mysql_server.url) as url:
        store = open_store(url, Path(), connect_wait=0)
        writer = start_writer(store, batch=10)
        futures = []
        for kill in range(3):
            futures += [writer.submit(pages=[page(f"http://{kill}.example/{i}")]) for i in range(200)]
            futures[-150].result(20)
            mysql_server.kill()
            done = [number for number, future in enumerate(futures) if future.done()]
            futures += [writer.submit(pages=[page(f"http://{kill}.example/away/{i}")]) for i in range(100)]
            mysql_server.start()
            rows = run_sql(url, "SELECT url FROM pages")
            found = {row[0] for row in rows}
            assert len(found) == len(rows)
            assert {_url(number) for number in done} <= found
        assert all(future.result(30) == {} for future in futures)
        assert writer.close() == 0
        assert (store.totals().pages, run_sql(url, "SELECT COUNT(*) FROM pages")[0][0]) == (900, 900)
        away = [record for record in caplog.records if "is away" in record.getMessage()]
        assert 1 <= len(away) <= 3
        store.close()


def _url(number: int) -> str:
    kill, rest = divmod(number, 300)
    return f"http://{kill}.example/{rest}" if rest < 200 else f"http://{kill}.example/away/{rest - 200}"


def test_mysql_that_hangs_does_not_block_submit_or_close(
    mysql_server: MysqlServer, start_writer: Callable[..., StoreWriter]
) -> None:
    with fresh_database(mysql_server.url) as url:
        store = open_store(url, Path(), connect_wait=0)
        writer = start_writer(store)
        writer.submit(pages=[page()]).result(10)
        mysql_server.pause()
        try:
            start = time.monotonic()
            waiting = writer.submit(pages=[page("http://a.example/2")])
            assert time.monotonic() - start < 5
            assert writer.close(timeout_seconds=0.3) == 1
            assert time.monotonic() - start < 10
            assert not waiting.done()
        finally:
            mysql_server.resume()
        assert waiting.result(10) == {}  # it was on its way
        store.close()
