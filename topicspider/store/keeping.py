"""Keeps a store in order: checks it, makes it small, trims a topic, copies it into another."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from topicspider.errors import ConfigError, StoreUnavailable
from topicspider.store import records
from topicspider.store.queries import CHANGES, CRAWLS, LINKS, PAGES, Upsert
from topicspider.store.relational import Database, Rows
from topicspider.store.sqlite import SqliteDatabase, SqliteStore

_ROWS_AT_ONCE = 200  # a page may hold 1 MB of text
_SHOWN_FINDINGS = 20
_JSON = ("keywords", "data", "parts")

_MODELS = Upsert("models", ("crawl", "number", "node", "state"), ("crawl", "number"))
_COPIED = (
    Upsert("pages", ("update_cycle", *PAGES.columns), PAGES.key, newest="last_seen", oldest="first_seen"),
    LINKS,
    CRAWLS,
    CHANGES,
    _MODELS,
)
_WRITTEN_AT = _COPIED[0].columns.index("written_at")


@dataclass(frozen=True, slots=True)
class Checked:
    """``findings`` are what is wrong, in words; ``topics`` has (topic, pages, hits)."""

    version: int
    topics: Sequence[tuple[str, int, int]]
    findings: Sequence[str]


def check(database: Database) -> Checked:
    """Look whether every page can be read and is found by its URL; the database's own check comes first."""
    try:
        findings = [words for words in map(_complaint, database.read(database.dialect.check)) if words]
    except StoreUnavailable as error:
        if "malformed" not in error.why:
            raise
        return Checked(0, (), (error.why,))
    if not findings:
        findings = [words for _, words in zip(range(_SHOWN_FINDINGS), _wrong_pages(database), strict=False)]
    topics = database.read("SELECT topic, COUNT(*), SUM(on_topic) FROM pages GROUP BY topic ORDER BY topic")
    return Checked(check_version(database), [(topic, int(pages), int(hits)) for topic, pages, hits in topics], findings)


def check_version(database: Database) -> int:
    """The version of the schema."""
    return int(database.read("SELECT MAX(version) FROM schema_migrations")[0][0])


def vacuum(database: Database) -> None:
    """Give the space of rows that are gone back to the disk."""
    database.read(database.dialect.vacuum)


def trim(database: Database, topic: str, pages: int) -> int:
    """Drop what a topic has beyond ``pages`` pages: misses first, those not seen for longest; then the worst hits. How many were dropped."""
    name = records.clean(topic)
    total = int(database.read("SELECT COUNT(*) FROM pages WHERE topic = ?", (name,))[0][0])
    left = dropped = max(0, total - pages)
    worst = """SELECT url_hash FROM pages WHERE topic = ?
        ORDER BY on_topic, CASE WHEN on_topic = 1 THEN relevance ELSE 0 END, last_seen, id LIMIT ?"""
    marker = database.dialect.marker
    while left:
        rows = database.read(worst, (name, min(left, _ROWS_AT_ONCE)))
        keys = [(name, mark) for (mark,) in rows]
        columns = (("pages", "url_hash"), ("changes", "url_hash"), ("links", "source_hash"))
        database.write(
            [
                (f"DELETE FROM {table} WHERE topic = {marker} AND {column} = {marker}", keys)  # noqa: S608 - our names
                for table, column in columns
            ]
        )
        left -= len(rows)
    return dropped


def copy(source: Database, target: Database) -> dict[str, int]:
    """Write every row of ``source`` into ``target``, in the order of their numbers; how many of each table.

    A page that is there already stays as it is when it is newer. After an interruption it may be done again: nothing is doubled.
    """
    return {upsert.table: sum(_copied(upsert, source, target)) for upsert in _COPIED}


def backup(source: Database, path: Path) -> None:
    """The store as it is at one moment, in a new SQLite file; a crawl may go on writing (of MySQL: row by row, newer ones may be in it)."""
    if path.exists():
        raise ConfigError("backup", str(path), "a file that does not exist yet")
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    try:
        if isinstance(source, SqliteDatabase):
            source.backup(part)
        else:
            target = SqliteStore(part)
            copy(source, target.database)
            target.database.read("PRAGMA journal_mode = DELETE")
            target.close()
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _copied(upsert: Upsert, source: Database, target: Database) -> Iterator[int]:
    sql = upsert.sql(target.dialect)
    for rows in _rows(source, upsert.table, upsert.columns):
        if upsert.table == "pages":  # an index over the target has to read them
            now = time.time_ns() // 1000
            rows = [(*row[:_WRITTEN_AT], now, *row[_WRITTEN_AT + 1 :]) for row in rows]
        target.write([(sql, rows)])
        yield len(rows)


def _rows(database: Database, table: str, columns: Sequence[str]) -> Iterator[Rows]:
    sql = f"SELECT id, {', '.join(columns)} FROM {table} WHERE id > ? ORDER BY id LIMIT ?"  # noqa: S608 - our names
    last = 0
    while found := database.read(sql, (last, _ROWS_AT_ONCE)):
        yield [tuple(row[1:]) for row in found]
        last = found[-1][0]


def _wrong_pages(database: Database) -> Iterator[str]:
    for rows in _rows(database, "pages", ("topic", "url", "url_hash", *_JSON)):
        for topic, url, mark, *texts in rows:
            if mark != records.url_hash(url):
                yield f"{topic}: {url} is not found by its URL"
            elif not all(map(_is_json, texts)):
                yield f"{topic}: {url} cannot be read"


def _is_json(text: Any) -> bool:
    try:
        json.loads(text)
    except (TypeError, ValueError):
        return False
    return True


def _complaint(row: Sequence[Any]) -> str:
    """What a row of the database's own check says; "" for all is well."""
    return "" if str(row[-1]).lower() == "ok" or (len(row) > 2 and row[2] == "note") else " ".join(map(str, row))
