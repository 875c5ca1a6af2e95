"""The outbox: rows are durable in order, and reach the store exactly once."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from support.store_rows import crawl, link, page
from tests.store.conftest import AwayStore
from topicspider.errors import BadRow, StoreUnavailable
from topicspider.store.outbox import Outbox
from topicspider.store.rows import Batch, NoPageResponse
from topicspider.store.writer import StoreWriter


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "made" / "outbox.db"


@pytest.fixture
def start_with_outbox(path: Path, start_writer: Callable[..., StoreWriter]) -> Callable[..., StoreWriter]:
    """Starts a writer with an outbox."""
    return lambda store, max_bytes=1 << 30, **options: start_writer(store, outbox=Outbox(path, max_bytes), **options)


def url(number: int) -> str:
    return f"http://a.example/页{number}"


def until(is_so: Callable[[], bool], seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "never"
        time.sleep(0.01)


ODD = [
    {"title": "𠮷野家\0\ud800 \u2028", "body": "漓江\n" * 1000, "data": {"x": [1.5, None, True, "山"]}},
    {"keywords": [], "relevance": 0.1 + 0.2, "content_length": 2**53 + 1, "parts": {}},
]


@pytest.mark.parametrize("fields", ODD, ids=["text", "numbers"])
def test_what_lies_in_it_comes_back_as_it_went_in(path: Path, fields: dict[str, object]) -> None:
    batch = Batch(
        (page(**fields),),
        (link(anchor="下一页"),),
        (crawl(),),
        (),
        (NoPageResponse("旅游", url(1), "2026-11-23", 404),),
    )
    outbox = Outbox(path)
    outbox.append([batch])
    outbox.close()
    outbox = Outbox(path)
    assert outbox.rows == 4
    found = outbox.first(10)[0].batch
    assert (tuple(found.pages), tuple(found.links), tuple(found.crawls)) == (batch.pages, batch.links, batch.crawls)
    assert tuple(found.visits) == batch.visits
    outbox.close()


def test_a_row_of_another_version_is_read_as_far_as_it_is_known(path: Path) -> None:
    outbox = Outbox(path)
    outbox.append([Batch([page()])])
    packed = outbox.first(1)[0]
    database = outbox._database()
    text = database.read("SELECT batch FROM outbox")[0][0].decode()
    newer = text.replace('"scorer":', '"new_field":7,"scorer":').replace('"author":"李白",', "")
    database.write([("UPDATE outbox SET batch = ? WHERE number = ?", [(newer.encode(), packed.number)])])
    assert outbox.first(1)[0].batch.pages[0] == page(author="")
    outbox.close()


def test_rows_are_acknowledged_while_the_store_is_away_and_written_in_order_when_it_is_back(
    away: AwayStore, path: Path, start_with_outbox: Callable[..., StoreWriter], caplog: pytest.LogCaptureFixture
) -> None:
    """Promises S1, S2: one line when it goes, one when it is back."""
    caplog.set_level(logging.INFO)
    writer = start_with_outbox(away, batch=20)
    assert writer.submit(pages=[page(url(0))]).result(5) == {}
    away.error = StoreUnavailable("store mysql://spider@h/db", "gone")
    futures = [writer.submit(pages=[page(url(number))]) for number in range(1, 300)]
    assert all(future.result(5) == {} for future in futures)
    assert (writer.waiting, writer.in_outbox, writer.is_away, writer.trouble) == (0, 299, True, None)
    assert away.inner.totals().pages == 1
    away.error = None
    until(lambda: not writer.in_outbox)
    until(lambda: not writer.is_away)
    assert away.urls == [url(number) for number in range(300)]
    assert writer.submit(pages=[page(url(300))]).result(5) == {}
    assert writer.close() == 0
    lines = [record.getMessage() for record in caplog.records]
    assert [line.split(",")[0].split(" after")[0] for line in lines] == ["the store is away", "the store is back"]
    assert str(path) in lines[0]


def test_rows_that_come_while_it_catches_up_stay_behind_the_others(
    away: AwayStore, start_with_outbox: Callable[..., StoreWriter]
) -> None:
    writer = start_with_outbox(away, batch=5)
    away.error = StoreUnavailable("store", "gone")
    for number in range(100):
        writer.submit(pages=[page(url(number))])
    threading.Timer(0.2, lambda: setattr(away, "error", None)).start()
    for number in range(100, 600):
        writer.submit(pages=[page(url(number))])
        time.sleep(0.001)
    assert writer.close(20) == 0
    assert away.urls == [url(number) for number in range(600)]


def test_a_store_that_stays_away_until_the_end_costs_nothing(
    away: AwayStore, path: Path, start_with_outbox: Callable[..., StoreWriter], caplog: pytest.LogCaptureFixture
) -> None:
    away.error = StoreUnavailable("store", "gone")
    writer = start_with_outbox(away)
    futures = [writer.submit(pages=[page(url(number))]) for number in range(30)]
    assert writer.close(timeout_seconds=0.5) == 0
    assert all(future.result(0) == {} for future in futures)
    assert f"30 row(s) wait in {path}" in caplog.text
    away.error = None
    assert start_with_outbox(away).close() == 0
    assert away.urls == [url(number) for number in range(30)]


def test_a_full_outbox_makes_the_crawl_wait_and_says_so_once(
    away: AwayStore, start_with_outbox: Callable[..., StoreWriter], caplog: pytest.LogCaptureFixture
) -> None:
    away.error = StoreUnavailable("store", "gone")
    writer = start_with_outbox(away, max_bytes=20_000, batch=5, max_waiting=10)
    futures = [writer.submit(pages=[page(url(number))]) for number in range(100)]
    until(lambda: writer.trouble is not None)
    assert 10 < writer.in_outbox < 50
    assert writer.is_full
    time.sleep(0.5)  # some attempts more
    assert [record.getMessage() for record in caplog.records if "is full" in record.getMessage()] != []
    away.error = None
    assert all(future.result(10) == {} for future in futures)
    assert writer.close() == 0
    assert away.urls == [url(number) for number in range(100)]
    assert sum("is full" in record.getMessage() for record in caplog.records) == 1
    assert writer.trouble is None


def test_an_outbox_on_a_full_disk_keeps_rows_in_memory_until_the_store_is_back(
    away: AwayStore, path: Path, start_with_outbox: Callable[..., StoreWriter], caplog: pytest.LogCaptureFixture
) -> None:
    away.error = StoreUnavailable("store", "gone")
    writer = start_with_outbox(away, batch=5)
    assert writer.submit(pages=[page(url(0))]).result(5) == {}
    database = writer._outbox._database()  # type: ignore[union-attr]
    database.read(f"PRAGMA max_page_count = {database.read('PRAGMA page_count')[0][0]}")
    futures = [writer.submit(pages=[page(url(number), body="山水" * 20_000)]) for number in range(1, 20)]
    until(lambda: writer.trouble is not None)
    assert "full" in str(writer.trouble)
    away.error = None
    assert all(future.result(10) == {} for future in futures)
    assert writer.close() == 0
    assert away.urls == [url(number) for number in range(20)]
    assert sum("row(s) wait in memory" in record.getMessage() for record in caplog.records) == 1


def test_a_bad_row_fails_its_own_future_only_also_while_the_store_is_away(
    away: AwayStore, start_with_outbox: Callable[..., StoreWriter]
) -> None:
    away.error = StoreUnavailable("store", "gone")
    writer = start_with_outbox(away, flush_seconds=0.3)
    good = [writer.submit(pages=[page(url(number))]) for number in range(10)]
    bad = writer.submit(pages=[page(relevance=float("nan"))])
    good += [writer.submit(pages=[page(url(number))]) for number in range(10, 20)]
    assert isinstance(bad.exception(5), BadRow)
    assert all(future.result(5) == {} for future in good)
    away.error = None
    assert writer.close() == 0
    assert away.urls == [url(number) for number in range(20)]


def test_a_row_that_only_this_store_refuses_does_not_hold_up_the_others(
    away: AwayStore, start_with_outbox: Callable[..., StoreWriter], caplog: pytest.LogCaptureFixture
) -> None:
    away.error, away.fails_at = StoreUnavailable("store", "gone"), url(7)
    writer = start_with_outbox(away)
    for number in range(20):
        writer.submit(pages=[page(url(number))])
    until(lambda: writer.in_outbox == 20)
    away.error = None
    assert writer.close() == 0
    assert away.urls == [url(number) for number in range(20) if number != 7]
    assert (writer.refused, "refused 1 row" in caplog.text) == (1, True)


def test_a_batch_that_cannot_be_read_does_not_hold_up_the_others(
    away: AwayStore, path: Path, start_with_outbox: Callable[..., StoreWriter], caplog: pytest.LogCaptureFixture
) -> None:
    left = Outbox(path)
    left.append([Batch([page("http://a.example/坏")]), Batch([page("http://a.example/好")])])
    left.close()
    with closing(sqlite3.connect(path)) as file:
        file.execute("UPDATE outbox SET batch = ? WHERE number = 1", (b'{"pages":[{"item":{}}]}',))
        file.commit()
    writer = start_with_outbox(away)
    writer.submit([page("http://a.example/新")]).result(5)
    assert writer.close(5) == 0
    assert away.urls == ["http://a.example/好", "http://a.example/新"]
    assert "batch 1 of" in caplog.text
    assert writer.in_outbox == Outbox(path).rows == 0
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("SELECT number FROM outbox").fetchall() == [(-1,)]
