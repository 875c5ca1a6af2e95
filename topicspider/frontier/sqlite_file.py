"""The file of a SqliteFrontier for the process that owns it: opening, transactions, and its errors in plain words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from topicspider.errors import FrontierUnavailable
from topicspider.frontier.lock import FileLock, holder_of
from topicspider.frontier.sqlite_schema import SCHEMA_VERSION, TABLES, create_once, migrate, version_of


class FrontierFile:
    """One open frontier file, locked for this process.

    Write-ahead log with ``synchronous=NORMAL``: what a call confirmed survives any death of the process
    (kill -9, out of memory), because it is in the system's hands. After a power cut the last seconds may
    be missing, but only as whole calls: a page's links and its completion are in one transaction, so
    that page is fetched again and nothing is lost for good. An fsync a page (FULL) would cost 1-10 ms.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = FileLock(path)
        try:
            with in_plain_words(self.path):
                self._database = self._connect()
        except BaseException:
            self._lock.release()
            raise

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing; every error of SQLite leaves as FrontierUnavailable."""
        with in_plain_words(self.path):
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield self._database
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The connection, for statements that change nothing."""
        with in_plain_words(self.path):
            yield self._database

    def clear(self, database: sqlite3.Connection) -> None:
        """Empty every table, within the caller's transaction."""
        for table in TABLES:
            database.execute(f"DELETE FROM {table}")  # noqa: S608
        database.execute("UPDATE totals SET waiting = 0, done = 0, dead = 0, pages = 0, hosts = 0, flushes = 0")

    def close(self) -> None:
        """Give file and lock back."""
        try:
            with in_plain_words(self.path):
                self._database.close()
        finally:
            self._lock.release()

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=10)
        try:
            migrate(database, self.path)
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute("PRAGMA wal_autocheckpoint = 4000")
            database.execute("PRAGMA cache_size = -16000")
            create_once(database)
        except BaseException:
            database.close()
            raise
        return database


def open_reader(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing, also beside the process that owns the file.

    FrontierUnavailable when there is no such file, it is none, or its layout is an older one that nobody may change now.
    """
    if not path.is_file():
        raise FrontierUnavailable(f"frontier {path}", "there is no such file", "A crawl makes it")
    with in_plain_words(path):
        database = _connect_reader(path)
        version = version_of(database, path)
        if version == SCHEMA_VERSION:
            return database
        database.close()
        if not version:
            raise FrontierUnavailable(f"frontier {path}", "the file is empty", "A crawl fills it")
        if holder_of(path):
            why = (
                f"its layout is version {version}, and process {holder_of(path)}, of an older topicspider, crawls on it"
            )
            raise FrontierUnavailable(f"frontier {path}", why, "Wait for its end, or stop it")
        FrontierFile(path).close()
        return _connect_reader(path)


def _connect_reader(path: Path) -> sqlite3.Connection:
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False, timeout=10)


def open_writer(path: Path) -> sqlite3.Connection:
    """A connection for a short order beside the process that owns the file."""
    with in_plain_words(path):
        return sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=10)


@contextmanager
def in_plain_words(path: Path) -> Iterator[None]:
    """Errors of SQLite leave as FrontierUnavailable."""
    try:
        yield
    except sqlite3.Error as error:
        raise FrontierUnavailable(f"frontier {path}", str(error), _hint(error)) from error


def _hint(error: sqlite3.Error) -> str:
    text = str(error)
    if "full" in text:
        return "Free some space and start the crawl again: it goes on where it stopped"
    if "malformed" in text or "not a database" in text:
        return "Move the file away to start anew"
    if "readonly" in text or "unable to open" in text:
        return "Choose another folder by TOPICSPIDER_DATA"
    return ""
