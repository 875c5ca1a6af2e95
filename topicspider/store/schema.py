"""Brings a database to a version of the schema, up or down, one numbered SQL file after the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import resources
from typing import Any, Protocol

from topicspider.errors import StoreUnavailable
from topicspider.store.queries import Dialect

_FILE = re.compile(r"(\d{4})_(\w+?)(\.down)?\.sql")
_GOING_DOWN = 2  # the state of a migration that is being taken back: statements then counts those of down
_COMMENT = re.compile(r"^\s*--.*$", re.MULTILINE)

_TABLE = """CREATE TABLE IF NOT EXISTS schema_migrations (
    version {integer} NOT NULL PRIMARY KEY, name {name} NOT NULL, statements {integer} NOT NULL,
    is_complete {integer} NOT NULL, applied_at {name} NOT NULL) {table_end}"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One change: its number, its name, its statements in the words of one database, and those that take it back."""

    version: int
    name: str
    statements: tuple[str, ...]
    down: tuple[str, ...] = ()


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
    found = _packaged() if files is None else files
    ups: dict[tuple[int, str], tuple[str, ...]] = {}
    downs: dict[tuple[int, str], tuple[str, ...]] = {}
    for name, text in found:
        if match := _FILE.fullmatch(name):
            (downs if match[3] else ups)[int(match[1]), match[2]] = _statements(text, dialect)
    return [Migration(number, name, up, downs.get((number, name), ())) for (number, name), up in sorted(ups.items())]


def migrate(target: MigrationTarget, migrations: Sequence[Migration], wanted: int | None = None) -> list[int]:
    """Apply what is missing, up to the version ``wanted`` when that is given; the versions applied.

    What is above it is left as it is: see ``revert``. The caller holds a lock, and on SQLite a transaction.

    MySQL commits each statement that changes the schema by itself: the count of statements done is
    written down after each, and the next start goes on there. Raises StoreUnavailable when the database
    is newer than this program.
    """
    target.run(_TABLE.format_map(target.dialect.words))
    done = {
        row[0]: (row[1], row[2]) for row in target.run("SELECT version, statements, is_complete FROM schema_migrations")
    }
    newest = max((migration.version for migration in migrations), default=0)
    if done and max(done) > newest:
        raise StoreUnavailable(
            target.label,
            f"its schema has version {max(done)}, this topicspider knows versions up to {newest}",
            "Update topicspider, or use another store",
        )
    for migration in reversed(migrations):  # what was being taken back, first
        if done.get(migration.version, (0, 0))[1] == _GOING_DOWN:
            _revert(target, migration, done.pop(migration.version))
    missing = [
        migration
        for migration in migrations
        if not done.get(migration.version, (0, 0))[1] and (wanted is None or migration.version <= wanted)
    ]
    for migration in missing:
        _apply(target, migration, done.get(migration.version))
    return [migration.version for migration in missing]


def revert(target: MigrationTarget, migrations: Sequence[Migration], wanted: int) -> list[int]:
    """Take back what is above the version ``wanted``, newest first; the versions. The caller is as that of ``migrate``.

    What only the newer version keeps is lost: its columns and tables.
    """
    states = target.run("SELECT version, statements, is_complete FROM schema_migrations")
    done = {row[0]: (row[1], row[2]) for row in states}
    gone = [one for one in reversed(migrations) if one.version > wanted and one.version in done]
    for migration in gone:
        statements, state = done[migration.version]
        _revert(target, migration, (statements if state == _GOING_DOWN else 0, state))
    return [migration.version for migration in gone]


def _revert(target: MigrationTarget, migration: Migration, earlier: tuple[int, int]) -> None:
    start, state = earlier
    if not migration.down:
        raise StoreUnavailable(target.label, f"version {migration.version} of its schema cannot be taken back")
    sql = "UPDATE schema_migrations SET statements = ?, is_complete = ? WHERE version = ?"
    target.run(sql, (start, _GOING_DOWN, migration.version))
    for index in range(start, len(migration.down)):
        if state == _GOING_DOWN and index == start:
            target.run_again(migration.down[index])
        else:
            target.run(migration.down[index])
        target.run(sql, (index + 1, _GOING_DOWN, migration.version))
    target.run("DELETE FROM schema_migrations WHERE version = ?", (migration.version,))


def _apply(target: MigrationTarget, migration: Migration, earlier: tuple[int, int] | None) -> None:
    start = earlier[0] if earlier else 0
    if earlier is None:
        values = (migration.version, migration.name, 0, 0, "")
        target.run("INSERT INTO schema_migrations VALUES (?, ?, ?, ?, ?)", values)
    for index in range(start, len(migration.statements)):
        # only the first statement of a second attempt can have been run without being written down
        if earlier is not None and index == start:
            target.run_again(migration.statements[index])
        else:
            target.run(migration.statements[index])
        target.run("UPDATE schema_migrations SET statements = ? WHERE version = ?", (index + 1, migration.version))
    now = datetime.now(UTC).isoformat(timespec="seconds")
    target.run(
        "UPDATE schema_migrations SET is_complete = 1, applied_at = ? WHERE version = ?", (now, migration.version)
    )


def _packaged() -> list[tuple[str, str]]:
    folder = resources.files("topicspider.store.migrations")
    return [(file.name, file.read_text("utf-8")) for file in folder.iterdir() if file.name.endswith(".sql")]


def _statements(text: str, dialect: Dialect) -> tuple[str, ...]:
    plain = _COMMENT.sub("", text).format_map(dialect.words)
    return tuple(statement.strip() for statement in plain.split(";") if statement.strip())
