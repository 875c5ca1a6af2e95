"""The tables of a SqliteFrontier's file: made once, brought up to date when an older topicspider made them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from topicspider.errors import FrontierUnavailable

SCHEMA_VERSION = 4
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
    depth INTEGER NOT NULL, attempts INTEGER NOT NULL, url TEXT NOT NULL, referrer TEXT NOT NULL, payload TEXT NOT NULL
);
CREATE INDEX urls_best ON urls (host, micros DESC, tie);
CREATE TABLE dead (
    id INTEGER PRIMARY KEY, fingerprint INTEGER NOT NULL, url TEXT NOT NULL, reason TEXT NOT NULL, attempts INTEGER NOT NULL
);
"""

_STEPS = {
    2: "ALTER TABLE urls ADD COLUMN model INTEGER NOT NULL DEFAULT 0;",
    3: """
ALTER TABLE hosts ADD COLUMN delay_seconds REAL NOT NULL DEFAULT 0;
ALTER TABLE hosts ADD COLUMN is_blocked INTEGER NOT NULL DEFAULT 0;
CREATE INDEX hosts_blocked ON hosts (name) WHERE state = 3;
ALTER TABLE dead ADD COLUMN host TEXT NOT NULL DEFAULT '';
ALTER TABLE dead ADD COLUMN micros INTEGER NOT NULL DEFAULT 0;
ALTER TABLE dead ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;
ALTER TABLE dead ADD COLUMN referrer TEXT NOT NULL DEFAULT '';
ALTER TABLE dead ADD COLUMN payload TEXT NOT NULL DEFAULT '';
ALTER TABLE dead ADD COLUMN model INTEGER NOT NULL DEFAULT 0;
CREATE TABLE orders (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL, answer TEXT);
""",
    4: "ALTER TABLE hosts ADD COLUMN requests_per_connection INTEGER;",
}
"""From the version before to this one: what every file has gone through, so that there is one way to each layout."""

TABLES = ("meta", "seen", "seen_recent", "hosts", "urls", "dead")
"""Those that hold the crawl."""


def migrate(database: sqlite3.Connection, path: Path) -> None:
    """Bring a file that is there already up to date; FrontierUnavailable when it is none, or from a later topicspider."""
    version = version_of(database, path)
    if version:
        _step_up(database, version)


def create_once(database: sqlite3.Connection) -> None:
    """Make the tables in an empty file."""
    if not _is_empty(database):
        return
    steps = "".join(_STEPS[number] for number in sorted(_STEPS))
    pragmas = f"PRAGMA application_id = {_APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION};"
    database.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} {steps} {pragmas} COMMIT;")


def version_of(database: sqlite3.Connection, path: Path) -> int:
    """The layout's version, 0 for an empty file; FrontierUnavailable for one that this topicspider cannot read."""
    if _is_empty(database):
        return 0
    version = int(database.execute("PRAGMA user_version").fetchone()[0])
    if database.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION_ID:
        why = "it is a database of another kind"
        raise FrontierUnavailable(f"frontier {path}", why, "Choose another file by TOPICSPIDER_FRONTIER")
    if not 1 <= version <= SCHEMA_VERSION:
        why = f"its layout is version {version}, this topicspider reads version {SCHEMA_VERSION}"
        hint = "Use the topicspider that made it, or move the file away to start anew"
        raise FrontierUnavailable(f"frontier {path}", why, hint)
    return version


def _step_up(database: sqlite3.Connection, version: int) -> None:
    steps = " ".join(_STEPS[number] for number in range(version + 1, SCHEMA_VERSION + 1))
    if steps:
        database.executescript(f"BEGIN IMMEDIATE; {steps} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")


def _is_empty(database: sqlite3.Connection) -> bool:
    return not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
