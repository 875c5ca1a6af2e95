"""The file of a search index: its tables, its versions, and a new one in place of one that is of no use."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicspider.errors import StoreUnavailable
from topicspider.store.sqlite import transaction

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

VERSION = 1
"""Of the tables and of how pages are cut into words; another one makes every index anew."""
_BUSY_SECONDS = 30.0
_CACHE_KIB = 32 << 10

# The body comes first: each place of a word in any other column costs two bytes more, a fifth of the index.
# The text is not kept in the full-text table: it can be had from the store. What was put in is kept, packed, in `texts`, for SQLite
# before 3.43 takes a row out of such a table only by the words that were put in.
_TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE pages (
    number INTEGER PRIMARY KEY,
    written_at INTEGER NOT NULL,
    topic TEXT NOT NULL,
    host TEXT NOT NULL,
    site TEXT NOT NULL,
    day TEXT NOT NULL,
    type TEXT NOT NULL,
    language TEXT NOT NULL,
    relevance REAL NOT NULL,
    link_count INTEGER NOT NULL,
    link_rank REAL NOT NULL,
    original INTEGER NOT NULL
);
CREATE INDEX pages_by_relevance ON pages (relevance);
CREATE INDEX pages_by_original ON pages (original);
CREATE TABLE texts (number INTEGER PRIMARY KEY, words BLOB NOT NULL);
CREATE VIRTUAL TABLE words USING fts5(body, title, more, content='', tokenize="unicode61 remove_diacritics 2");
CREATE VIRTUAL TABLE vocabulary USING fts5vocab('words', 'row');
"""


class IndexFile:
    """One SQLite file, in WAL mode. What is in it can be made anew from the store, so it is not synced at each commit.

    ``made_of``: what the index is of (the store, its topics, the segmenter); a file of something else, of another version, or a damaged
    one is put away and begun anew.
    """

    def __init__(self, path: Path | None, made_of: str) -> None:
        self.label = f"search index {path}" if path else "the search index in memory"
        self._made_of = f"{VERSION} {made_of}"
        self._path = path
        self._connection = self._opened()

    def read(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query; raises StoreUnavailable."""
        with self._translated_errors():
            return self._connection.execute(sql, values).fetchall()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction; raises StoreUnavailable."""
        with self._translated_errors(), transaction(self._connection):
            yield self._connection

    def fact(self, name: str) -> str:
        """What was kept under that name; "" for nothing."""
        rows = self.read("SELECT value FROM facts WHERE name = ?", (name,))
        return str(rows[0][0]) if rows else ""

    def clear(self) -> None:
        """Begin anew."""
        self.close()
        self._remove()
        self._connection = self._opened()

    def close(self) -> None:
        """Close the file; a second time does nothing."""
        self._connection.close()

    def _opened(self) -> sqlite3.Connection:
        with self._translated_errors():
            connection = self._tried() or self._tried(is_last=True)
            assert connection is not None, "a new file is ours"
            return connection

    def _tried(self, *, is_last: bool = False) -> sqlite3.Connection | None:
        """The connection to a file of ours; None after a file that is none was put away."""
        connection = self._connected()
        try:
            if self._is_ours(connection):
                return connection
        except sqlite3.DatabaseError as error:
            connection.close()
            if is_last or "locked" in str(error):
                raise
        except BaseException:
            connection.close()
            raise
        connection.close()
        self._remove()
        return None

    def _connected(self) -> sqlite3.Connection:
        if self._path is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        where = self._path or ":memory:"
        return sqlite3.connect(where, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)

    def _is_ours(self, connection: sqlite3.Connection) -> bool:
        """Whether the file is an index of what it shall be; an empty one becomes so."""
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("BEGIN IMMEDIATE")
        try:
            if not connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
                for statement in _TABLES.split(";\n"):
                    connection.execute(statement)
                connection.execute("INSERT INTO facts VALUES ('made_of', ?)", (self._made_of,))
            found = connection.execute("SELECT value FROM facts WHERE name = 'made_of'").fetchone()
        finally:
            connection.execute("COMMIT")
        return bool(found == (self._made_of,))

    def _remove(self) -> None:
        if self._path is not None:
            for ending in ("", "-wal", "-shm"):
                Path(f"{self._path}{ending}").unlink(missing_ok=True)

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            if "no such module: fts5" in str(error):
                raise StoreUnavailable(
                    self.label,
                    "this Python's SQLite has no full-text search (FTS5)",
                    "Use a Python whose SQLite has it",
                ) from error
            hint = "Delete the file; it is made anew" if self._path else ""
            raise StoreUnavailable(self.label, str(error), hint) from error
        except OSError as error:
            raise StoreUnavailable(
                self.label, error.strerror or str(error), "Check that its folder may be written"
            ) from error
