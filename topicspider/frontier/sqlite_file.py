"""The file of a SqliteFrontier: opening, schema, transactions, and its errors in plain words."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from topicspider.errors import FrontierUnavailable
from topicspider.frontier.lock import FileLock

SCHEMA_VERSION = 2
_APPLICATION_ID = 0x74736672  # "tsfr", so that another program's SQLite file is not taken for a frontier

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE totals (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    waiting INTEGER NOT NULL, done INTEGER NOT NULL, dead INTEGER NOT NULL, pages INTEGER NOT NULL,
    hosts INTEGER NOT NULL, flushes INTEGER NOT NULL, openings INTEGER NOT NULL
);
INSERT INTO totals VALUES (1, 0, 0, 0, 0, 0, 0, 0);
CREATE TABLE seen (fingerprint INTEGER PRIMARY KEY, url_id INTEGER NOT NULL);
CREATE TABLE seen_recent (id INTEGER PRIMARY KEY, pairs BLOB NOT NULL);
CREATE TABLE hosts (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, tie INTEGER NOT NULL,
    ahead INTEGER NOT NULL, pages INTEGER NOT NULL, connect_seconds REAL, response_seconds REAL,
    ready_at REAL NOT NULL, rest_seconds REAL NOT NULL, entered INTEGER NOT NULL,
    best INTEGER NOT NULL, next_sum INTEGER NOT NULL, rank REAL NOT NULL, state INTEGER NOT NULL
);
CREATE INDEX hosts_ready ON hosts (rank DESC, tie) WHERE state = 1;
CREATE INDEX hosts_resting ON hosts (ready_at) WHERE state = 2;
CREATE TABLE urls (
    id INTEGER PRIMARY KEY, fingerprint INTEGER NOT NULL, host INTEGER NOT NULL, micros INTEGER NOT NULL, tie INTEGER NOT NULL,
    depth INTEGER NOT NULL, attempts INTEGER NOT NULL, url TEXT NOT NULL, referrer TEXT NOT NULL, payload TEXT NOT NULL,
    model INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX urls_best ON urls (host, micros DESC, tie);
CREATE TABLE dead (
    id INTEGER PRIMARY KEY, fingerprint INTEGER NOT NULL, url TEXT NOT NULL, reason TEXT NOT NULL, attempts INTEGER NOT NULL
);
"""

_SECOND_VERSION = "ALTER TABLE urls ADD COLUMN model INTEGER NOT NULL DEFAULT 0; PRAGMA user_version = 2;"
_TABLES = ("meta", "seen", "seen_recent", "hosts", "urls", "dead")


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
            with self._in_plain_words():
                self._database = self._connect()
        except BaseException:
            self._lock.release()
            raise

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing; every error of SQLite leaves as FrontierUnavailable."""
        with self._in_plain_words():
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
        with self._in_plain_words():
            yield self._database

    def clear(self, database: sqlite3.Connection) -> None:
        """Empty every table, within the caller's transaction."""
        for table in _TABLES:
            database.execute(f"DELETE FROM {table}")  # noqa: S608
        database.execute("UPDATE totals SET waiting = 0, done = 0, dead = 0, pages = 0, hosts = 0, flushes = 0")

    def close(self) -> None:
        """Give file and lock back."""
        try:
            with self._in_plain_words():
                self._database.close()
        finally:
            self._lock.release()

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=10)
        try:
            self._check_version(database)
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute("PRAGMA wal_autocheckpoint = 4000")
            database.execute("PRAGMA cache_size = -32000")
            self._create_once(database)
        except BaseException:
            database.close()
            raise
        return database

    def _check_version(self, database: sqlite3.Connection) -> None:
        application = database.execute("PRAGMA application_id").fetchone()[0]
        version = database.execute("PRAGMA user_version").fetchone()[0]
        is_empty = not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if is_empty:
            return
        if application != _APPLICATION_ID:
            raise FrontierUnavailable(
                f"frontier {self.path}",
                "it is a database of another kind",
                "Choose another file by TOPICSPIDER_FRONTIER",
            )
        if version == 1:
            database.executescript(f"BEGIN IMMEDIATE; {_SECOND_VERSION} COMMIT;")
            return
        if version != SCHEMA_VERSION:
            why = f"its layout is version {version}, this topicspider reads version {SCHEMA_VERSION}"
            raise FrontierUnavailable(
                f"frontier {self.path}", why, "Use the topicspider that made it, or move the file away to start anew"
            )

    def _create_once(self, database: sqlite3.Connection) -> None:
        if database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return
        pragmas = f"PRAGMA application_id = {_APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION};"
        database.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} {pragmas} COMMIT;")

    @contextmanager
    def _in_plain_words(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise FrontierUnavailable(f"frontier {self.path}", str(error), _hint(error)) from error


def _hint(error: sqlite3.Error) -> str:
    text = str(error)
    if "full" in text:
        return "Free some space and start the crawl again: it goes on where it stopped"
    if "malformed" in text or "not a database" in text:
        return "Move the file away to start anew"
    if "readonly" in text or "unable to open" in text:
        return "Choose another folder by TOPICSPIDER_DATA"
    return ""
