"""Keeps batches in a file, in order, until they are written to the store."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from topicspider.errors import StoreUnavailable
from topicspider.i18n import gettext as _
from topicspider.items import PageItem
from topicspider.store.database import Schema
from topicspider.store.rows import KINDS, Batch
from topicspider.store.sqlite import SqliteDatabase

logger = logging.getLogger(__name__)

_TABLE = """CREATE TABLE outbox (
    number INTEGER PRIMARY KEY AUTOINCREMENT, size INTEGER NOT NULL, row_count INTEGER NOT NULL, batch BLOB NOT NULL)"""
_LAYOUT = Schema(1, (_TABLE,))
_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class Waiting:
    """One batch in the outbox: its number there, its size in bytes."""

    number: int
    size: int
    batch: Batch


class Outbox:
    """A queue of batches in an SQLite file, which is created with the first batch; a file left by an earlier run is continued.

    1. ``append`` is one transaction, durable when it returns. For a row that no store accepts it raises BadRow and keeps nothing.
    2. ``first`` returns what was appended, in that order, until it is removed, by this process or a later one.
    3. A file that cannot be used, or that is full, raises StoreUnavailable. It is full when it holds ``max_bytes`` (some 50,000
       pages, hours of an outage); the last batch may exceed that.

    Thread-safe. One process should use a file at a time: two would only write some rows twice, which changes nothing (promise S3).
    """

    def __init__(self, path: Path, max_bytes: int = 1 << 30) -> None:
        self.path = path
        self._max_bytes = max_bytes
        self._lock = threading.RLock()
        self._opened: SqliteDatabase | None = None
        self.rows = self._bytes = 0
        if path.exists():
            self._database()

    def append(self, batches: Sequence[Batch]) -> None:
        if self._bytes >= self._max_bytes:
            why = _("the outbox is full with {bytes:,.0f} MB", bytes=self._bytes / 1e6)
            raise StoreUnavailable(str(self.path), why, "The crawl waits for the store")
        for batch in batches:
            for part, (_kind, values_of) in KINDS.items():
                for row in getattr(batch, part):
                    values_of(row)  # raises BadRow for what no store accepts: later nobody could be told
        values = [(len(packed), batch.rows, packed) for batch, packed in ((one, _packed(one)) for one in batches)]
        with self._lock:
            sql = "INSERT INTO outbox (size, row_count, batch) VALUES (?, ?, ?)"
            self._database().write([(sql, values)])
            self._count(sum(rows for _, rows, _ in values), sum(size for size, _, _ in values))

    def first(self, limit: int) -> list[Waiting]:
        """The first batches: at most ``limit``, at least one when there are any.

        A batch that cannot be read (damaged, or of another version) is logged and put aside, so that it does not block the others.
        """
        some: list[Waiting] = []
        sql = "SELECT number, size, batch FROM outbox WHERE number > 0 ORDER BY number LIMIT ?"
        while not some and (found := self._database().read(sql, (limit,))):
            for number, size, packed in found:
                try:
                    some.append(Waiting(number, size, _unpacked(packed)))
                except Exception as error:  # noqa: BLE001 - the content may be anything
                    self._put_aside(number, error)
        return some

    def _put_aside(self, number: int, error: Exception) -> None:
        """Keeps a batch that cannot be read in the file, under its number negated, for manual repair."""
        self._database().write([("UPDATE outbox SET number = -number WHERE number = ?", [(number,)])])
        self._recount()
        why = f"{type(error).__name__}: {error}"
        logger.error("batch %d of %s cannot be read, and stays there: %s", number, self.path, why)

    def remove(self, some: Sequence[Waiting]) -> None:
        """Deletes batches that the store has; shrinks the file when none is left."""
        with self._lock:
            self._database().write([("DELETE FROM outbox WHERE number = ?", [(one.number,) for one in some])])
            self._count(-sum(one.batch.rows for one in some), -sum(one.size for one in some))
            if self.rows <= 0:
                self._recount()  # another process may have changed the file
            if not self.rows:
                self._database().read("VACUUM")
                self._database().read("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Closes the file and keeps its content."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def _database(self) -> SqliteDatabase:
        if self._opened is None:
            self._opened = SqliteDatabase(self.path, _LAYOUT)
            self._recount()
        return self._opened

    def _recount(self) -> None:
        sql = "SELECT COALESCE(SUM(row_count), 0), COALESCE(SUM(size), 0) FROM outbox WHERE number > 0"
        self.rows, self._bytes = self._database().read(sql)[0]

    def _count(self, rows: int, size: int) -> None:
        self.rows += rows
        self._bytes += size


def _packed(batch: Batch) -> bytes:
    text = json.dumps(_plain(batch), ensure_ascii=False, separators=(",", ":"), default=_plain)
    return text.encode("utf-8", "surrogatepass")  # the store replaces lone surrogates later


def _plain(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {one.name: getattr(value, one.name) for one in fields(value)}


def _unpacked(packed: bytes) -> Batch:
    read = json.loads(packed.decode("utf-8", "surrogatepass"))
    for page in read["pages"]:
        page["item"] = _row(PageItem, page["item"])
    return Batch(**{part: [_row(kind, row) for row in read.get(part, ())] for part, (kind, _) in KINDS.items()})


def _row(kind: Callable[..., _Row], values: Mapping[str, Any]) -> _Row:
    """The row, even if written by another version: unknown fields are dropped, missing ones get their defaults."""
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in values.items() if name in known})
