"""Maintains a store: checks it, gives space back, trims a topic, copies it into another store, backs it up."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from topicspider.errors import ConfigError, StoreUnavailable
from topicspider.store.database import Database, Rows, Upsert
from topicspider.store.rows import clean, url_hash
from topicspider.store.sqlite import SqliteDatabase
from topicspider.store.store import CHANGES, CRAWLS, LINKS, ORIGINAL_HIT, PAGES, PAGES_AT_ONCE, ROWS_AT_ONCE
from topicspider.store.topics import TOPICS

_JSON = ("keywords", "data", "parts")

_MODELS = Upsert("models", ("crawl", "number", "node", "state"), ("crawl", "number"))
_COPIED = (
    Upsert("pages", ("update_cycle", *PAGES.columns), PAGES.key, newest="last_seen", oldest="first_seen"),
    LINKS,
    CRAWLS,
    CHANGES,
    _MODELS,
    TOPICS,
)


ACCEPTED_LOSS = "accepted_loss"
"""Name of the frontier's record of how many pages are missing from the store with the user's consent."""


def is_too_few(counted: int, stored: int, *, is_shared: bool = False) -> bool:
    """Whether a store lacks too many pages that its frontier counts; with ``is_shared`` some may wait in other nodes' outboxes."""
    return counted - stored > (counted // 2 if is_shared else 1 + counted // 50)


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of ``check``: (topic, pages, hits) of each topic, and what is wrong, in words."""

    topics: Sequence[tuple[str, int, int]]
    findings: Sequence[str]


def check(database: Database) -> Checked:
    """Runs the database's own check, then checks that every page can be read and matches its URL's hash."""
    try:
        findings = [words for words in map(_complaint, database.read(database.dialect.check)) if words]
    except StoreUnavailable as error:
        if "malformed" not in error.why:
            raise
        return Checked((), (error.why,))
    if not findings:
        findings = list(islice(_wrong_pages(database), 20))
    return Checked(topics(database), findings)


def topics(database: Database) -> list[tuple[str, int, int]]:
    """(topic, pages, hits) of each topic."""
    rows = database.read(f"SELECT topic, COUNT(*), SUM({ORIGINAL_HIT}) FROM pages GROUP BY topic ORDER BY topic")  # noqa: S608
    return [(topic, int(pages), int(hits)) for topic, pages, hits in rows]


def vacuum(database: Database) -> None:
    """Gives the space of deleted rows back to the disk."""
    database.read(database.dialect.vacuum)


def trim(database: Database, topic: str, pages: int) -> int:
    """Deletes a topic's pages beyond ``pages``: misses first, those not seen for longest; then copies, then originals, the worst first.

    Returns how many were deleted. Copies go first, as a copy without its original would not count as a hit. One statement selects what to
    delete, so that nodes that trim the same topic at the same time delete the same pages.
    """
    name, best = clean(topic), "relevance DESC, id DESC"
    hits = _counted(database, name, "on_topic = 1")
    dropped = sum(_dropped(database, name, "on_topic = 0", "last_seen DESC, id DESC", max(0, pages - hits)))
    if hits > pages:
        originals = _counted(database, name, "on_topic = 1 AND duplicate_of = ''")
        copies = _dropped(database, name, "on_topic = 1 AND duplicate_of <> ''", best, max(0, pages - originals))
        dropped += sum(copies) + sum(_dropped(database, name, "on_topic = 1", best, pages))
    return dropped


def copy(source: Database, target: Database) -> dict[str, int]:
    """Writes every row of ``source`` into ``target``, in the order of their ids; returns the number of rows of each table.

    A newer page in ``target`` is not replaced. After an interruption the copy can be repeated: it duplicates nothing.
    """
    copied = dict.fromkeys((upsert.table for upsert in _COPIED), 0)
    for upsert in _COPIED:
        for rows in _rows(source, upsert.table, upsert.columns):
            target.write([(upsert.sql(target.dialect), rows)])
            copied[upsert.table] += len(rows)
    return copied


def backup(source: Database, path: Path) -> None:
    """Writes a snapshot of the store to a new SQLite file while crawls go on; from MySQL row by row, so it may include later changes."""
    if path.exists():
        raise ConfigError("backup", str(path), "a file that does not exist yet")
    if not path.parent.is_dir():
        raise ConfigError("backup", str(path), "a file in a folder that exists")
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    try:
        if isinstance(source, SqliteDatabase):
            source.read("VACUUM INTO ?", (str(part),))
        else:
            with closing(SqliteDatabase(part)) as target:
                copy(source, target)
                target.read("PRAGMA journal_mode = DELETE")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _counted(database: Database, topic: str, which: str) -> int:
    return int(database.read(f"SELECT COUNT(*) FROM pages WHERE topic = ? AND {which}", (topic,))[0][0])  # noqa: S608 - our words


def _dropped(database: Database, topic: str, which: str, order: str, kept: int) -> Iterator[int]:
    """Deletes in batches all but the first ``kept`` pages in that order; yields the number deleted in each batch."""
    beyond = f"""SELECT url_hash FROM (
        SELECT id AS chosen_id FROM pages WHERE topic = ? AND {which} ORDER BY {order} LIMIT ? OFFSET ?
    ) AS chosen JOIN pages ON pages.id = chosen.chosen_id"""  # noqa: S608 - our names
    columns = (("pages", "url_hash"), ("changes", "url_hash"), ("links", "source_hash"))
    deletes = [f"DELETE FROM {table} WHERE topic = ? AND {column} = ?" for table, column in columns]  # noqa: S608
    while rows := database.read(beyond, (topic, ROWS_AT_ONCE, kept)):
        keys = sorted((topic, mark) for (mark,) in rows)
        database.write([(delete, keys) for delete in deletes])
        yield len(rows)


def _rows(database: Database, table: str, columns: Sequence[str]) -> Iterator[Rows]:
    sql = f"SELECT id, {', '.join(columns)} FROM {table} WHERE id > ? ORDER BY id LIMIT ?"  # noqa: S608 - our names
    last = 0
    while found := database.read(sql, (last, PAGES_AT_ONCE)):
        yield [tuple(row[1:]) for row in found]
        last = found[-1][0]


def _wrong_pages(database: Database) -> Iterator[str]:
    for rows in _rows(database, "pages", ("topic", "url", "url_hash", *_JSON)):
        for topic, url, mark, *texts in rows:
            try:
                if mark != url_hash(url):
                    yield f"{topic}: {url} is not found by its URL"
                for text in texts:
                    json.loads(text)
            except (TypeError, ValueError):
                yield f"{topic}: {url} cannot be read"


def _complaint(row: Sequence[Any]) -> str:
    """The complaint in a row of the database's own check; "" if it reports no error."""
    return "" if str(row[-1]).lower() == "ok" or (len(row) > 2 and row[2] == "note") else " ".join(map(str, row))
