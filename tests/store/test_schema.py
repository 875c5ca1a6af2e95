"""Migrations: from any older state to the newest and back, resumable."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.servers import run_sql
from support.store_rows import page
from topicspider.errors import StoreUnavailable
from topicspider.store import location, schema
from topicspider.store.contract import Batch, NoPageResponse, Store
from topicspider.store.mysql import MysqlStore
from topicspider.store.open import open_store
from topicspider.store.queries import MYSQL, SQLITE
from topicspider.store.sqlite import SqliteStore

SECOND = """-- a column; and a comment with a ; in it
ALTER TABLE pages ADD COLUMN flavour {name};
CREATE INDEX pages_by_flavour ON pages (flavour);
"""
BROKEN = SECOND + "CREATE INDEX pages_by_nothing ON pages (no_such_column);"

INSERT_OF_THE_FIRST_VERSION = """INSERT INTO pages (topic, url_hash, url, host, port, title, body, summary, keywords, published, modified, author, site_name, language, type, data, relevance, parts,
    depth, referrer, fetched_at, date, download_time, status, content_type, content_length, encoding, link_count, duplicate_of, snapshot, on_topic, threshold, scorer, first_seen, last_seen)
    VALUES ('tourism', '0123456789abcdef', 'http://a.example/', '', 0, '', '', '', '[]', '', '', '', '', '', '', '{}', 0.5, '{}', 0, '', '', '', 0.5, 0, '', 0, '', 0, '', '', 1, 0.2, '', '', '')"""

SHIPPED = [(migration.version, migration.name, 1) for migration in schema.load(SQLITE)]
NEXT = len(SHIPPED) + 1


def _open(url: str, second: str = "") -> Store:
    """A store whose newest migration is ``second``."""
    place = location.parse(url, Path())
    dialect = SQLITE if isinstance(place, location.SqlitePlace) else MYSQL
    more = schema.load(dialect, [(f"{NEXT:04}_second.sql", second)]) if second else []
    migrations = [*schema.load(dialect), *more]
    if isinstance(place, location.SqlitePlace):
        return SqliteStore(place.path or ":memory:", migrations)
    return MysqlStore(place, migrations)


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
    return _rows(url, "SELECT version, name, is_complete FROM schema_migrations ORDER BY version")


def test_a_new_store_has_all_migrations_once(lasting_url: str) -> None:
    for _ in range(2):
        _open(lasting_url).close()
    assert _applied(lasting_url) == SHIPPED


def test_a_store_of_an_older_version_keeps_its_pages_and_gets_the_new_column(lasting_url: str) -> None:
    old = _open(lasting_url)
    old.write(Batch(pages=[page()]))
    old.close()
    new = _open(lasting_url, SECOND)
    assert new.page("tourism", "http://a.example/") == page()
    new.close()
    assert _applied(lasting_url) == [*SHIPPED, (NEXT, "second", 1)]
    assert _rows(lasting_url, "SELECT flavour FROM pages") == [(None,)]


def test_a_store_of_the_first_version_gets_simhashes_of_nothing(lasting_url: str) -> None:
    place = location.parse(lasting_url, Path())
    is_sqlite = isinstance(place, location.SqlitePlace)
    first = schema.load(SQLITE if is_sqlite else MYSQL)[:1]
    (SqliteStore(place.path or "", first) if is_sqlite else MysqlStore(place, first)).close()
    _rows(lasting_url, INSERT_OF_THE_FIRST_VERSION)
    store = _open(lasting_url)
    assert store.totals("tourism").hits == 1
    store.close()
    assert _rows(lasting_url, "SELECT url, simhash FROM pages") == [("http://a.example/", 0)]


FILLED_BY_VERSION_4 = (
    INSERT_OF_THE_FIRST_VERSION,
    "UPDATE pages SET simhash = 77, written_at = 5, title = '漓江 𠮷', last_seen = '2026-11-20T00:00:00+00:00'",
    """INSERT INTO links (topic, source_hash, target_hash, source_url, target_url, anchor, score, pruned, parts)
    VALUES ('tourism', '0123456789abcdef', 'fedcba9876543210', 'http://a.example/', 'http://a.example/2', '下一页', 0.5, '', '{}')""",
    """INSERT INTO crawls (run_id, topic, topic_digest, started_at, ended_at, reason, settings, totals, version)
    VALUES ('run-1', 'tourism', 'd1', '2026-11-20', '', '', '{}', '{}', '0.1.0')""",
)
OF_VERSION_4 = "SELECT url, title, simhash, written_at, relevance, last_seen FROM pages"


def test_a_store_of_the_version_before_goes_up_down_and_up_again_with_its_rows(lasting_url: str) -> None:
    place = location.parse(lasting_url, Path())
    is_sqlite = isinstance(place, location.SqlitePlace)
    fourth = schema.load(SQLITE if is_sqlite else MYSQL)[:4]
    (SqliteStore(place.path or "", fourth) if is_sqlite else MysqlStore(place, fourth)).close()
    for statement in FILLED_BY_VERSION_4:
        _rows(lasting_url, statement)
    before = _rows(lasting_url, OF_VERSION_4)
    for _ in range(2):
        store = _open(lasting_url)
        assert store.hits()[0].item.title == "漓江 𠮷"
        assert store.crawls()[0].seed == 0
        assert _rows(lasting_url, "SELECT target_url, policy, score_rw FROM links") == [
            ("http://a.example/2", "", None)
        ]
        assert _rows(lasting_url, "SELECT update_cycle, checked, etag FROM pages") == [(604800, 1, "")]
        assert _rows(lasting_url, "SELECT host, pages, hits FROM hosts") == [("", 1, 1)]
        assert store.revert(4) == list(range(SHIPPED[-1][0], 4, -1))
        store.close()
        assert _rows(lasting_url, OF_VERSION_4) == before
        assert _applied(lasting_url) == SHIPPED[:4]


def test_signatures_of_an_older_kind_say_nothing_afterwards(lasting_url: str) -> None:
    place = location.parse(lasting_url, Path())
    is_sqlite = isinstance(place, location.SqlitePlace)
    fifth = schema.load(SQLITE if is_sqlite else MYSQL)[:5]
    old = SqliteStore(place.path or "", fifth) if is_sqlite else MysqlStore(place, fifth)
    old.write(Batch(pages=[page(fetched_at="2026-11-20T00:00:00+00:00")]))
    old.close()
    _rows(lasting_url, "UPDATE pages SET content_hash = 77")
    store = _open(lasting_url)
    assert _rows(lasting_url, "SELECT content_hash FROM pages") == [(0,)]
    store.write(Batch(visits=[NoPageResponse("tourism", "http://a.example/", "2026-11-21T00:00:00+00:00", 304)]))
    store.write(Batch(pages=[page(fetched_at="2026-11-22T00:00:00+00:00")]))
    store.write(Batch(pages=[page(fetched_at="2026-11-23T00:00:00+00:00", body="漓江改道了")]))
    told = [(bool(row.content_hash), row.is_changed) for row in store.change_log("tourism")]
    assert told == [(True, False), (True, False), (True, True)]  # there all the time, changed by the last
    assert store.revert(5)
    store.close()
    assert _rows(lasting_url, "SELECT content_hash FROM pages") == [(0,)]


def test_all_of_the_schema_can_be_taken_back(lasting_url: str) -> None:
    _rows(lasting_url, "CREATE TABLE notes (x INTEGER)")
    store = _open(lasting_url)
    store.write(Batch(pages=[page()]))
    assert len(store.revert(0)) == len(SHIPPED)
    store.close()
    tables = (
        "SHOW TABLES" if lasting_url.startswith("mysql:") else "SELECT name FROM sqlite_master WHERE type = 'table'"
    )
    left = {row[0] for row in _rows(lasting_url, tables)} - {"sqlite_sequence"}
    assert left == {"notes", "schema_migrations"}
    again = _open(lasting_url)
    again.write(Batch(pages=[page()]))
    assert again.totals().pages == 1
    again.close()


def test_a_way_down_that_was_interrupted_is_finished_by_the_next_start(mysql_database: str) -> None:
    """Killed between a statement of the way down and its note: the next start ends that, and goes up again."""
    _open(mysql_database).close()
    run_sql(mysql_database, "DROP VIEW hosts", "ALTER TABLE crawls DROP COLUMN seed")
    run_sql(mysql_database, "UPDATE schema_migrations SET statements = 1, is_complete = 2 WHERE version = 5")
    _open(mysql_database).close()
    assert _applied(mysql_database) == SHIPPED
    assert run_sql(mysql_database, "SELECT COUNT(seed) FROM crawls") == ((0,),)


def test_a_database_with_other_tables_is_used_beside_them(lasting_url: str) -> None:
    _rows(lasting_url, "CREATE TABLE notes (x INTEGER)")
    _rows(lasting_url, "INSERT INTO notes VALUES (7)")
    store = _open(lasting_url)
    store.write(Batch(pages=[page()]))
    store.close()
    assert _rows(lasting_url, "SELECT x FROM notes") == [(7,)]


def test_a_store_of_a_newer_version_is_refused_and_not_changed(lasting_url: str) -> None:
    _open(lasting_url, SECOND).close()
    with pytest.raises(StoreUnavailable, match=rf"version {NEXT}.*up to {NEXT - 1}.*Update topicspider"):
        _open(lasting_url)
    assert _applied(lasting_url) == [*SHIPPED, (NEXT, "second", 1)]


def test_a_failed_migration_is_resumed_by_the_next_start(lasting_url: str) -> None:
    """On SQLite nothing of it was done; on MySQL, which cannot take it back, it goes on where it stopped."""
    old = _open(lasting_url)
    old.write(Batch(pages=[page()]))
    old.close()
    with pytest.raises(StoreUnavailable, match="no_such_column"):
        _open(lasting_url, BROKEN)
    half_done = [] if lasting_url.startswith("sqlite") else [(NEXT, "second", 0)]
    assert _applied(lasting_url) == [*SHIPPED, *half_done]
    mended = _open(lasting_url, BROKEN.replace("no_such_column", "host"))
    assert mended.page("tourism", "http://a.example/") == page()
    mended.close()
    assert _applied(lasting_url) == [*SHIPPED, (NEXT, "second", 1)]


def test_a_migration_killed_between_a_statement_and_its_note_is_resumed(mysql_database: str) -> None:
    _open(mysql_database, SECOND).close()
    run_sql(mysql_database, "UPDATE schema_migrations SET statements = 1, is_complete = 0 WHERE version = " + str(NEXT))
    _open(mysql_database, SECOND).close()
    assert _applied(mysql_database) == [*SHIPPED, (NEXT, "second", 1)]


def test_two_processes_that_open_a_new_store_at_once_both_succeed(lasting_url: str) -> None:
    with ThreadPoolExecutor(8) as pool:
        stores = list(pool.map(lambda _: open_store(lasting_url, Path(), 0), range(8)))
    for store in stores:
        store.close()
    assert _applied(lasting_url) == SHIPPED


def test_migration_files_are_numbered_without_gaps() -> None:
    assert [migration.version for migration in schema.load(SQLITE)] == list(range(1, len(schema.load(SQLITE)) + 1))


@pytest.mark.parametrize("sql", ["hits", "stored", "all", "hosts"])
def test_reading_uses_an_index_and_sorts_no_bodies(sql: str) -> None:
    """A sort of whole rows would be felt from some 10,000 hits on."""
    from topicspider.store import queries

    text = {"hits": queries.HITS, "stored": queries.HITS_AFTER, "all": queries.HITS, "hosts": queries.HOSTS}[sql]
    plan = _plan(*queries.of_topic(text, "" if sql == "all" else "tourism"))
    assert any("USING" in step and "pages_" in step for step in plan), plan


@pytest.mark.parametrize("topics", [(), ("旅游",), ("旅游", "food")])
@pytest.mark.parametrize(("sql", "condition"), [("WRITTEN_AT", "written_at=?"), ("WRITTEN_AFTER", "written_at>?")])
def test_pages_written_since_are_one_range_of_their_index(sql: str, condition: str, topics: tuple[str, ...]) -> None:
    """Found by their topic, all its pages would be read for the last few, each time."""
    from topicspider.store import queries

    first = _plan(*queries.of_topics(getattr(queries, sql), topics))[0]
    assert first.endswith(f"USING COVERING INDEX pages_written ({condition})")


def _plan(sql: str, first: tuple[str, ...]) -> list[str]:
    """What SQLite does for ``sql``, step by step."""
    connection = sqlite3.connect(":memory:")
    for statement in (one for migration in schema.load(SQLITE) for one in migration.statements):
        connection.execute(statement)
    values = (*first, *[1] * (sql.count("?") - len(first)))
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
    connection.close()
    return plan
