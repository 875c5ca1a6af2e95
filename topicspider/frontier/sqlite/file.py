"""The file of a SqliteFrontier: its lock, its tables, its transactions, and its errors in plain words."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote, unquote

from topicspider.errors import CrawlRunning, FrontierUnavailable
from topicspider.files import file_number, transaction
from topicspider.i18n import N_, shell_word
from topicspider.i18n import gettext as _


def running_already(process: object, path: Path) -> CrawlRunning:
    """The error that says that ``process`` holds the frontier at ``path``."""
    words = N_("this crawl is running already: process {process} holds {path}; stop it, or wait for its end")
    return CrawlRunning(_(words, process=process, path=path))


class FileLock:
    """An exclusive lock on ``PATH.lock``, held as long as the process lives, even if it dies by kill -9.

    The lock is an flock, not the file's existence: a dead process leaves the file, but no lock. The file is never deleted, else a third
    process could lock a new file of that name while a second one still waits for the old one.
    """

    def __init__(self, path: Path) -> None:
        lock = path.with_name(path.name + ".lock")
        try:
            lock.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        except OSError as error:
            why = _("cannot be written: {why}: {filename}", why=error.strerror, filename=error.filename)
            hint = "Choose another folder by TOPICSPIDER_DATA"
            raise FrontierUnavailable(_("frontier {path}", path=path), why, hint) from None
        try:
            self._lock()
        except BlockingIOError:
            holder = _read_holder(self._descriptor)
            self.release()
            raise running_already(holder, path) from None
        except OSError as error:
            self.release()
            why = _("cannot lock {lock}: {why}", lock=lock, why=error.strerror)
            raise FrontierUnavailable(_("frontier {path}", path=path), why) from None
        with suppress(OSError):  # full disk: the lock holds all the same, only the process ID is missing in it
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Release the lock; calling it again does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _lock(self) -> None:
        """Try for half a second: a process that only looks or steers holds the lock for a moment."""
        for _try in range(5):
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                time.sleep(0.1)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def holder_of(path: Path) -> str:
    """The ID of the process that holds ``path``, "" when none does; a dead process holds nothing."""
    try:
        descriptor = os.open(path.with_name(path.name + ".lock"), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return _read_holder(descriptor)
    finally:
        os.close(descriptor)
    return ""


def _read_holder(descriptor: int) -> str:
    return os.pread(descriptor, 32, 0).decode("ascii", "replace").strip() or "(number unknown)"


SCHEMA_VERSION = 5
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
CREATE TABLE hosts (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, tie INTEGER NOT NULL,
    ahead INTEGER NOT NULL, pages INTEGER NOT NULL, connect_seconds REAL, response_seconds REAL,
    ready_at REAL NOT NULL, rest_seconds REAL NOT NULL, entered INTEGER NOT NULL,
    best INTEGER NOT NULL, next_sum INTEGER NOT NULL, rank REAL NOT NULL, state INTEGER NOT NULL,
    delay_seconds REAL NOT NULL, is_blocked INTEGER NOT NULL, requests_per_connection INTEGER
);
CREATE INDEX hosts_ready ON hosts (rank DESC, tie) WHERE state = 1;
CREATE INDEX hosts_resting ON hosts (ready_at) WHERE state = 2;
CREATE INDEX hosts_blocked ON hosts (name) WHERE state = 3;
CREATE TABLE urls (
    id INTEGER PRIMARY KEY, fingerprint INTEGER NOT NULL, host INTEGER NOT NULL, micros INTEGER NOT NULL, tie INTEGER NOT NULL,
    depth INTEGER NOT NULL, attempts INTEGER NOT NULL, url TEXT NOT NULL, referrer TEXT NOT NULL, payload TEXT NOT NULL,
    model INTEGER NOT NULL
);
CREATE INDEX urls_best ON urls (host, micros DESC, tie);
CREATE TABLE dead (
    id INTEGER PRIMARY KEY, fingerprint INTEGER NOT NULL, url TEXT NOT NULL, reason TEXT NOT NULL, attempts INTEGER NOT NULL,
    host TEXT NOT NULL, micros INTEGER NOT NULL, depth INTEGER NOT NULL, referrer TEXT NOT NULL, payload TEXT NOT NULL, model INTEGER NOT NULL
);
"""

TABLES = ("meta", "seen", "hosts", "urls", "dead")
"""The tables that hold the crawl."""


def check_layout(database: sqlite3.Connection, path: Path) -> None:
    """Raise FrontierUnavailable for a file that is neither empty nor a frontier that this version can read."""
    if _is_empty(database):
        return
    version = int(database.execute("PRAGMA user_version").fetchone()[0])
    if database.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION_ID:
        why = "it is a database of another kind"
        raise FrontierUnavailable(_("frontier {path}", path=path), why, "Choose another file by TOPICSPIDER_FRONTIER")
    if version != SCHEMA_VERSION:
        words = N_("its layout is version {version}, this topicspider reads version {schema_version}")
        hint = "Use the topicspider that made it, or move the file away to start anew"
        why = _(words, version=version, schema_version=SCHEMA_VERSION)
        raise FrontierUnavailable(_("frontier {path}", path=path), why, hint)


def _is_empty(database: sqlite3.Connection) -> bool:
    return not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


class FrontierFile:
    """One open frontier file, locked for this process; with ``path`` None a database in memory.

    Write-ahead log with ``synchronous=NORMAL``: what a call confirmed survives any death of the process (kill -9, out of memory), because
    the operating system has it. After a power cut the last seconds may be missing, but only as whole calls: a page's links and its
    completion are in one transaction, so that page is fetched again and nothing is lost for good. An fsync per page (FULL) would cost 1-10
    ms.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path or Path(":memory:")
        with ExitStack() as opened, in_plain_words(self.path):
            if path is not None:
                opened.callback(FileLock(path).release)
            self._database = opened.enter_context(closing(self._connect()))
            self._opened = opened.pop_all()
        self._number = file_number(self.path)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction; every error of SQLite leaves as FrontierUnavailable."""
        with in_plain_words(self.path), transaction(self._database, self.path, self._number):
            yield self._database

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
        with in_plain_words(self.path):
            self._opened.close()

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False, timeout=10)
        try:
            check_layout(database, self.path)
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute("PRAGMA wal_autocheckpoint = 4000")
            database.execute("PRAGMA cache_size = -16000")
            if _is_empty(database):
                pragmas = f"PRAGMA application_id = {_APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION};"
                database.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} {pragmas} COMMIT;")
        except BaseException:
            database.close()
            raise
        return database


def open_reader(path: Path) -> sqlite3.Connection:
    """Open a read-only connection; the process that owns the file may go on. FrontierUnavailable if there is no such file, or no
    frontier in it."""
    if not path.is_file():
        raise FrontierUnavailable(_("frontier {path}", path=path), "there is no such file", "A crawl makes it")
    with in_plain_words(path):
        address = f"file:{quote(str(path.absolute()))}?mode=ro"
        database = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False, timeout=10)
        try:
            check_layout(database, path)
            if _is_empty(database):
                raise FrontierUnavailable(_("frontier {path}", path=path), "the file is empty", "A crawl fills it")
        except BaseException:
            database.close()
            raise
        return database


@contextmanager
def written_beside(path: Path) -> Iterator[sqlite3.Connection]:
    """One transaction from outside the process that owns the file; that process sees the change with its next call."""
    with in_plain_words(path):
        database = sqlite3.connect(path, isolation_level=None, timeout=10)
        with closing(database), transaction(database):
            yield database


@contextmanager
def in_plain_words(path: Path) -> Iterator[None]:
    """Errors of SQLite leave as FrontierUnavailable."""
    try:
        yield
    except sqlite3.Error as error:
        raise FrontierUnavailable(_("frontier {path}", path=path), str(error), _hint(error, path)) from error


def _hint(error: sqlite3.Error, path: Path) -> str:
    text = str(error)
    if "full" in text:
        return N_("Free some space and start the crawl again: it goes on where it stopped")
    if "malformed" in text or "not a database" in text:
        words = N_("Move the file away, then have it made of the store: `scrapy frontier rebuild{which}`")
        return _(words, which=_crawl_words(path))
    if "moved" in text:
        return N_("Put it back")
    if "readonly" in text or "unable to open" in text:
        return N_("Choose another folder by TOPICSPIDER_DATA")
    return ""


def _crawl_words(path: Path) -> str:
    """The command-line words that name the crawl whose frontier is ``path``; "" when the file is not in the crawl's folder."""
    if path.name != "frontier.db":
        return ""
    topics = ",".join(map(unquote, path.parent.name.partition(".")[0].split("+")))
    return f" --topic {shell_word(topics)} -s {shell_word(f'TOPICSPIDER_DATA={path.parent.parent}')}"
