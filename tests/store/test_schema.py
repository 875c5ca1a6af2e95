"""The tables of a store: one schema, made whole or refused in one line."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.servers import run_sql
from topicspider.errors import StoreUnavailable
from topicspider.store.database import VERSION
from topicspider.store.location import open_store
from topicspider.store.rows import changed_hit


def _open(url: str) -> None:
    open_store(url, Path(), 0).close()


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


def _of_versions(url: str, *versions: int) -> None:
    """Rows as a store has them that was made by those versions, a row each."""
    _open(url)
    _rows(url, "DELETE FROM schema_migrations")
    for version in versions:
        _rows(url, f"INSERT INTO schema_migrations VALUES ({version}, '', 1, 1, '')")


def test_a_store_of_the_last_version_before_the_release_is_continued(lasting_url: str) -> None:
    _of_versions(lasting_url, *range(1, VERSION + 1))
    _open(lasting_url)
    assert len(_applied(lasting_url)) == VERSION


def test_a_store_of_the_version_before_is_continued_with_its_rows(lasting_url: str) -> None:
    _of_versions(lasting_url, VERSION - 1)
    for column in ("added", "removed"):
        _rows(lasting_url, f"ALTER TABLE changes DROP COLUMN {column}")
    _rows(lasting_url, "INSERT INTO changes VALUES (1, 't', 5, '2026-01-01', 2, 3, 1)")
    _open(lasting_url)
    assert _rows(lasting_url, "SELECT simhash, added, removed FROM changes") == [(3, None, None)]
    assert changed_hit(("http://a.example/", "题", "2026-01-01", 2, None, None)).added == []


@pytest.mark.parametrize(
    ("version", "advice"), [(VERSION - 2, "crawl anew"), (1, "crawl anew"), (VERSION + 1, "Update topicspider")]
)
def test_a_store_of_another_version_is_refused_in_one_line_and_not_changed(
    lasting_url: str, version: int, advice: str
) -> None:
    _of_versions(lasting_url, version)
    with pytest.raises(StoreUnavailable, match=rf"version {version}, .* is {VERSION}.*{advice}") as refusal:
        _open(lasting_url)
    assert "\n" not in str(refusal.value)
    assert _applied(lasting_url) == [(version, 1)]


def test_tables_that_were_not_made_to_the_end_are_by_the_next_start(lasting_url: str) -> None:
    """MySQL cannot take back what is done already; it is passed over."""
    _of_versions(lasting_url)
    if lasting_url.startswith("sqlite:"):
        Path(lasting_url.removeprefix("sqlite:///")).unlink()
    else:
        _rows(lasting_url, "DROP TABLE claims")
    _open(lasting_url)
    assert _applied(lasting_url) == [(VERSION, 1)]
    assert _rows(lasting_url, "SELECT COUNT(*) FROM claims")[0][0] == 0


def test_two_processes_that_open_a_new_store_at_once_both_succeed(lasting_url: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(lambda _: open_store(lasting_url, Path(), 0), range(8)))
    for store in stores:
        store.close()
    assert _applied(lasting_url) == [(VERSION, 1)]
