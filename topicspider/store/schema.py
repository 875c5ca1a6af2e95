"""Brings a database forward to the newest version of the schema, one numbered SQL file after the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import resources
from typing import Any, Protocol

from topicspider.errors import StoreUnavailable
from topicspider.store.queries import Dialect

_FILE = re.compile(r"(\d{4})_(\w+)\.sql")
_COMMENT = re.compile(r"^\s*--.*$", re.MULTILINE)

_TABLE = """CREATE TABLE IF NOT EXISTS schema_migrations (
    version {integer} NOT NULL PRIMARY KEY, name {name} NOT NULL, statements {integer} NOT NULL,
    is_complete {integer} NOT NULL, applied_at {name} NOT NULL) {table_end}"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One version of the schema: its number, its name, and its statements in the words of one database.

    The first one creates all tables; each later one changes them.
    """

    version: int
    name: str
    statements: tuple[str, ...]


class MigrationTarget(Protocol):
    """What a migration needs of a database connection."""

    dialect: Dialect
    label: str

    def run(self, sql: str, values: Sequence[Any] = ()) -> list[Sequence[Any]]:
        """Run one statement (markers are ``?``); its rows."""

    def run_again(self, sql: str) -> None:
        """Run one statement that may have been run before: "exists already" is no error."""


def load(dialect: Dialect, files: Iterable[tuple[str, str]] | None = None) -> list[Migration]:
    """All migrations in order; ``files`` are (name, text), by default those of this package."""
    named = ((_FILE.fullmatch(name), text) for name, text in (_packaged() if files is None else files))
    found = [Migration(int(match[1]), match[2], _statements(text, dialect)) for match, text in named if match]
    return sorted(found, key=lambda migration: migration.version)


def migrate(target: MigrationTarget, migrations: Sequence[Migration]) -> None:
    """Apply the migrations that are missing. The caller holds a lock, and on SQLite a transaction.

    MySQL commits each statement that changes the schema by itself: the count of statements done is
    written down after each, and the next start continues there. Raises StoreUnavailable for a database
    that is newer than this program, or older than the first migration.
    """
    target.run(_TABLE.format_map(target.dialect.words))
    rows = target.run("SELECT version, statements, is_complete FROM schema_migrations")
    done = {int(version): (int(statements), bool(is_complete)) for version, statements, is_complete in rows}
    _check_version(target.label, done, migrations)
    for migration in migrations:
        statements, is_complete = done.get(migration.version, (None, False))
        if not is_complete:
            _apply(target, migration, statements)


def _check_version(label: str, done: dict[int, tuple[int, bool]], migrations: Sequence[Migration]) -> None:
    first, newest = migrations[0].version, migrations[-1].version
    version = max(done, default=first)
    if version > newest:
        why = f"its schema has version {version}, this topicspider knows versions up to {newest}"
        raise StoreUnavailable(label, why, "Update topicspider, or use another store")
    # before the first release each version was a file: a store of those days has a row for each of them
    if version < first or (min(done, default=first) < first and not done[first][1]):
        why = f"its schema has version {min(version, first - 1)}, this topicspider knows versions from {first} on"
        raise StoreUnavailable(label, why, "It was made before the first release: use another store, and crawl anew")


def _apply(target: MigrationTarget, migration: Migration, statements_done: int | None) -> None:
    """Run the statements; ``statements_done`` None: the migration was never begun."""
    if statements_done is None:
        target.run("INSERT INTO schema_migrations VALUES (?, ?, 0, 0, '')", (migration.version, migration.name))
    start = statements_done or 0
    for index, statement in enumerate(migration.statements[start:], start):
        # only the first statement of a second attempt can have been run without being written down
        run = target.run_again if statements_done is not None and index == start else target.run
        run(statement)
        target.run("UPDATE schema_migrations SET statements = ? WHERE version = ?", (index + 1, migration.version))
    now = datetime.now(UTC).isoformat(timespec="seconds")
    sql = "UPDATE schema_migrations SET is_complete = 1, applied_at = ? WHERE version = ?"
    target.run(sql, (now, migration.version))


def _packaged() -> list[tuple[str, str]]:
    folder = resources.files("topicspider.store.migrations")
    return [(file.name, file.read_text("utf-8")) for file in folder.iterdir() if file.name.endswith(".sql")]


def _statements(text: str, dialect: Dialect) -> tuple[str, ...]:
    plain = _COMMENT.sub("", text).format_map(dialect.words)
    return tuple(statement.strip() for statement in plain.split(";") if statement.strip())
