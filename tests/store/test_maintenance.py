"""Keeping a store in order: check, trim, copy, backup; on SQLite and a real MySQL."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from support.store_rows import crawl, link, page
from topicspider.errors import ConfigError
from topicspider.store import maintenance
from topicspider.store.rows import Batch, RecrawlSchedule
from topicspider.store.sqlite import SqliteDatabase
from topicspider.store.store import Store
from topicspider.store.topics import StoredTopics

Opened = Callable[[str], Store]


def url(number: int) -> str:
    return f"http://a.example/页{number}"


def filled(store: Store, count: int = 450) -> None:
    """Pages of two topics, every third a miss, with links, runs and a page that was collected again."""
    rows = [page(url(i), on_topic=i % 3 > 0, relevance=i / count, duplicate_of="") for i in range(count)]
    store.write(Batch(rows, [link(url(i)) for i in range(50)], [crawl(seed=7)]))
    store.write(Batch([page(topic="美食", title="米粉")]))
    later = page(url(1), body="变了", relevance=1 / count, fetched_at="2026-12-01T00:00:00Z", duplicate_of="")
    store.write(Batch([replace(later, etag='"山"')]))
    store.write(Batch(checks=[RecrawlSchedule("tourism", url(1), 3600.0, is_checked=False)]))
    StoredTopics(store.database).put("terms: {茶叶: 1}".encode(), "茶.yaml", "茶")


def seen(store: Store) -> list[object]:
    """All that a reader can see of a store."""
    return [
        list(store.all_hits()),
        sorted(store.page_meta("tourism"), key=lambda one: one.url),
        store.links_from("tourism", "http://a.example/", 100),
        store.crawls(),
        list(store.change_log("tourism")),
        store.totals(),
        StoredTopics(store.database).find("茶"),
    ]


@pytest.fixture(params=["sqlite to mysql", "mysql to sqlite", "sqlite to sqlite"])
def two(request: pytest.FixtureRequest, tmp_path: Path, opened: Opened) -> tuple[Store, Store]:
    """Two empty stores."""
    names = request.param.split(" to ")
    places = [
        request.getfixturevalue("mysql_database") if name == "mysql" else f"sqlite:///{tmp_path / str(number)}.db"
        for number, name in enumerate(names)
    ]
    return opened(places[0]), opened(places[1])


def test_a_copy_has_all_that_the_first_has_however_often_it_is_made(two: tuple[Store, Store]) -> None:
    first, second = two
    filled(first)
    for _ in range(2):
        counts = maintenance.copy(first.database, second.database)
        assert counts == {"pages": 451, "links": 50, "crawls": 1, "changes": 1, "models": 0, "topics": 1}
        assert seen(second) == seen(first)
    assert sorted(second.written().values()) == sorted(first.written().values())  # an index over it finds them


def test_a_copy_does_not_undo_what_is_newer(two: tuple[Store, Store]) -> None:
    first, second = two
    newer = page(title="新", fetched_at="2026-11-22T00:00:00Z")
    first.write(Batch([page(), page(url(1))]))
    second.write(Batch([newer]))
    maintenance.copy(first.database, second.database)
    assert second.page("tourism", "http://a.example/") == newer
    assert second.totals().pages == 2


def test_pages_that_cannot_be_read_or_found_are_named(store: Store) -> None:
    store.write(Batch([page(url(number)) for number in range(3)]))
    other = "x" * 16
    store.database.write([(f"UPDATE pages SET url_hash = '{other}' WHERE url = '{url(1)}'", [()])])
    store.database.write([(f"UPDATE pages SET data = 'no json' WHERE url = '{url(2)}'", [()])])
    findings = maintenance.check(store.database).findings
    assert [url(1) in findings[0], url(2) in findings[1], len(findings)] == [True, True, 2]


def test_a_topic_is_trimmed_of_misses_first_then_of_its_worst_hits(store: Store) -> None:
    filled(store)
    assert maintenance.trim(store.database, "tourism", 10_000) == 0
    assert maintenance.trim(store.database, "tourism", 320) == 130
    assert store.totals("tourism").hits == 300
    assert maintenance.trim(store.database, "tourism", 100) == 220
    left = {row.item.relevance for row in store.all_hits("tourism")}
    assert (len(left), min(left) > 0.6) == (100, True)
    assert store.totals("美食").pages == 1
    assert list(store.change_log("tourism")) == []  # of a page that is gone


def test_copies_are_trimmed_before_originals_however_good_they_are(store: Store) -> None:
    copies = [page(url(i), relevance=0.9 + i / 100, duplicate_of=url(3)) for i in range(3)]
    store.write(Batch([*copies, *(page(url(i), relevance=0.5, duplicate_of="") for i in (3, 4))]))
    assert [maintenance.trim(store.database, "tourism", left) for left in (4, 2, 1)] == [1, 2, 1]
    assert (store.totals("tourism").pages, store.totals("tourism").hits) == (1, 1)


def test_a_backup_is_a_whole_store_and_is_never_written_over(lasting_url: str, opened: Opened, tmp_path: Path) -> None:
    store, path = opened(lasting_url), tmp_path / "backup.db"
    filled(store)
    maintenance.backup(store.database, path)
    other = Store(SqliteDatabase(path))
    assert seen(other) == seen(store)
    other.close()
    with pytest.raises(ConfigError, match="does not exist yet"):
        maintenance.backup(store.database, path)
    assert [one.name for one in tmp_path.glob(".*")] == []


def test_a_backup_beside_a_crawl_that_writes_is_whole(lasting_url: str, opened: Opened, tmp_path: Path) -> None:
    crawling, store, is_over = opened(lasting_url), opened(lasting_url), threading.Event()
    crawling.write(Batch([page(url(number)) for number in range(300)]))

    def write() -> None:
        number = 300
        while not is_over.is_set():
            crawling.write(Batch([page(url(number))], [link(url(number))]))
            number += 1

    thread = threading.Thread(target=write)
    thread.start()
    try:
        maintenance.backup(store.database, tmp_path / "backup.db")
    finally:
        is_over.set()
        thread.join()
    with sqlite3.connect(tmp_path / "backup.db") as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        pages = file.execute("SELECT COUNT(*), COUNT(DISTINCT url_hash) FROM pages").fetchone()
    assert pages[0] == pages[1] >= 300
