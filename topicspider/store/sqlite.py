"""The store in one SQLite file, or in memory."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from topicspider.errors import BadRow, StoreUnavailable
from topicspider.files import file_number, transaction
from topicspider.store.database import SQLITE, Rows, Schema, make_tables, store_schema

_BUSY_SECONDS = 10.0


def has_pages(path: Path) -> bool:
    """Whether the store in the file ``path`` has pages; also True if it cannot be read: opening it then reports why."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute("SELECT 1 FROM pages LIMIT 1").fetchone() is not None
    except sqlite3.Error:
        return True


class SqliteDatabase:
    """One connection to the SQLite file ``path``, in WAL mode, synced at each commit; ``:memory:`` is a database in memory.

    A missing file is created, with its folder and the tables of ``schema`` (default: of a store). Raises StoreUnavailable when it cannot be
    opened or written, is damaged, or has another version.
    """

    dialect = SQLITE

    def __init__(self, path: Path | str, schema: Schema | None = None, label: str = "") -> None:
        self.label = label or ("the store in memory" if str(path) == ":memory:" else f"store {path}")
        self._lock = threading.RLock()
        with _plain_errors(self.label):
            self._connection = self._open(path, schema or store_schema(SQLITE))
        self._path, self._number = path, file_number(path)

    def write(self, changes: Sequence[tuple[str, Rows]]) -> None:
        with self.transaction() as connection:
            for sql, rows in changes:
                connection.executemany(sql, rows)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """The connection inside one transaction."""
        with self._lock, _plain_errors(self.label), transaction(self._connection, self._path, self._number):
            yield self._connection

    def read(self, sql: str, values: Sequence[Any] = ()) -> Rows:
        with self._lock, _plain_errors(self.label):
            return self._connection.execute(sql, values).fetchall()

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def _open(self, path: Path | str, schema: Schema) -> sqlite3.Connection:
        if str(path) != ":memory:":
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            _use_wal(connection)
            # in WAL mode the weaker NORMAL would lose the last commits in a power failure (promise S1)
            connection.execute("PRAGMA synchronous = FULL")
            with transaction(connection):
                make_tables(connection.execute, self.label, SQLITE, schema)
        except BaseException:
            connection.close()
            raise
        return connection


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switches to WAL mode; retries, as SQLite does not wait by itself here while another process opens the same new file."""
    deadline = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


@contextmanager
def _plain_errors(label: str) -> Iterator[None]:
    """Turns errors of the file into StoreUnavailable, and errors of the values into BadRow."""
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.DataError, OverflowError) as error:
        raise BadRow("row", str(error), "what SQLite can hold") from error
    except OSError as error:
        raise StoreUnavailable(label, error.strerror or str(error), _hint("unable to open")) from error
    except sqlite3.Error as error:
        raise StoreUnavailable(label, str(error), _hint(str(error))) from error


def _hint(message: str) -> str:
    hints = {
        "unable to open": "Check that its folder exists and may be written",
        "moved": "Put it back",
        "readonly": "Check that the file and its folder may be written",
        "full": "Make room on the disk; what was not written yet is still waiting",
        "disk I/O": "Check the disk's space and health",
        "not a database": "The file is something else, or damaged: put a backup in its place, or give another path",
        "malformed": "The file is damaged: put a backup in its place (docs/operations.md)",
        "fts5": "Use a Python whose SQLite has full-text search (FTS5)",
        "locked": "Another process has been writing to it for long",
    }
    return next((hint for words, hint in hints.items() if words in message), "")
