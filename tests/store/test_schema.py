"""The tables of a store: one initial schema, then forward, resumable."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.servers import run_sql
from support.store_rows import page
from topicspider.errors import StoreUnavailable
from topicspider.store import location
from topicspider.store.database import MYSQL, SQLITE, Migration, migrations, statements
from topicspider.store.location import open_store
from topicspider.store.mysql import MysqlDatabase
from topicspider.store.rows import Batch
from topicspider.store.sqlite import SqliteDatabase
from topicspider.store.store import Store

SECOND = """-- a column; and a comment with a ; in it
ALTER TABLE pages ADD COLUMN flavour {name};
CREATE INDEX pages_by_flavour ON pages (flavour);
"""
BROKEN = SECOND + "CREATE INDEX pages_by_nothing ON pages (no_such_column);"

SHIPPED = [(migration.version, 1) for migration in migrations(SQLITE)]
FIRST = SHIPPED[0][0]
NEXT = SHIPPED[-1][0] + 1


def _open(url: str, second: str = "") -> Store:
    """A store whose newest migration is ``second``."""
    place = location.parse(url, Path())
    dialect = SQLITE if isinstance(place, location.SqlitePlace) else MYSQL
    known = [*migrations(dialect), *([Migration(NEXT, statements(second, dialect))] if second else [])]
    if isinstance(place, location.SqlitePlace):
        return Store(SqliteDatabase(place.path or ":memory:", known))
    return Store(MysqlDatabase(place, known))


def _rows(url: str, sql: str) -> list[tuple[object, ...]]:
    if url.startswith("mysql:"):
        return list(run_sql(url, sql))
    connection = sqlite3.connect(url.removeprefix("sqlite:///"))
    try:
        rows = connection.execute(sql).fetchall()
        connection.commit()
        return rows
    finally:
        connection.close()


def _applied(url: str) -> list[tuple[object, ...]]:
    return _rows(url, "SELECT version, is_complete FROM schema_migrations ORDER BY version")


def test_a_store_of_an_older_version_keeps_its_pages_and_gets_the_new_column(lasting_url: str) -> None:
    old = _open(lasting_url)
    old.write(Batch(pages=[page()]))
    old.close()
    new = _open(lasting_url, SECOND)
    assert new.page("tourism", "http://a.example/") == page()
    new.close()
    assert _applied(lasting_url) == [*SHIPPED, (NEXT, 1)]
    assert _rows(lasting_url, "SELECT flavour FROM pages") == [(None,)]


def _of_the_time_before_the_release(url: str, versions: range, is_complete: bool = True) -> None:
    """Rows as a store of those days has them, which had a file for each version."""
    _open(url).close()
    _rows(url, "DELETE FROM schema_migrations")
    for version in versions:
        state = int(is_complete or version < versions[-1])
        _rows(url, f"INSERT INTO schema_migrations VALUES ({version}, 'of {version}', 1, {state}, '')")


def test_a_store_made_before_the_first_release_is_continued_from_its_last_version(lasting_url: str) -> None:
    _of_the_time_before_the_release(lasting_url, range(1, FIRST + 1))
    store = _open(lasting_url)
    store.write(Batch(pages=[page()]))
    assert store.totals().pages == 1
    store.close()
    assert len(_applied(lasting_url)) == FIRST


@pytest.mark.parametrize(("newest", "is_complete"), [(FIRST - 1, True), (1, True), (FIRST, False)])
def test_a_store_of_an_older_version_is_refused_in_one_line(lasting_url: str, newest: int, is_complete: bool) -> None:
    _of_the_time_before_the_release(lasting_url, range(1, newest + 1), is_complete)
    with pytest.raises(
        StoreUnavailable, match=rf"version {min(newest, FIRST - 1)}, .*from {FIRST} on.*crawl anew"
    ) as refusal:
        _open(lasting_url)
    assert "\n" not in str(refusal.value)


def test_a_store_of_a_newer_version_is_refused_and_not_changed(lasting_url: str) -> None:
    _open(lasting_url, SECOND).close()
    with pytest.raises(StoreUnavailable, match=rf"version {NEXT}.*up to {NEXT - 1}.*Update topicspider"):
        _open(lasting_url)
    assert _applied(lasting_url) == [*SHIPPED, (NEXT, 1)]


def test_a_failed_migration_is_resumed_by_the_next_start(lasting_url: str) -> None:
    """On SQLite nothing of it was done; on MySQL, which cannot take it back, what is done already is passed over."""
    old = _open(lasting_url)
    old.write(Batch(pages=[page()]))
    old.close()
    with pytest.raises(StoreUnavailable, match="no_such_column"):
        _open(lasting_url, BROKEN)
    assert _applied(lasting_url) == SHIPPED
    mended = _open(lasting_url, BROKEN.replace("no_such_column", "host"))
    assert mended.page("tourism", "http://a.example/") == page()
    mended.close()
    assert _applied(lasting_url) == [*SHIPPED, (NEXT, 1)]


def test_two_processes_that_open_a_new_store_at_once_both_succeed(lasting_url: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(lambda _: open_store(lasting_url, Path(), 0), range(8)))
    for store in stores:
        store.close()
    assert _applied(lasting_url) == SHIPPED
