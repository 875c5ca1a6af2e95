"""What a store needs of a database: the SQL dialects of SQLite and MySQL, idempotent upserts, and the tables."""

# ruff: noqa: S608 - only column and table names of this package are put into SQL; values go as parameters

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from topicspider.errors import StoreUnavailable
from topicspider.i18n import gettext as _
from topicspider.items import time_now

Rows = Sequence[tuple[Any, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """The SQL in which databases differ; ``words`` replace the ``{…}`` of schema.sql.

    ``on_conflict`` begins the update part of an upsert ({key}: the key columns), ``incoming`` is the upsert's new value of a column.
    ``check`` verifies all tables, ``vacuum`` gives free space back. ``now``: seconds since 1970, with fractions. ``to_come``: the day after
    tomorrow (ISO 8601), an upper bound for times by clocks that are nearly right.
    """

    on_conflict: str
    incoming: str
    check: str
    vacuum: str
    now: str
    to_come: str
    words: Mapping[str, str]


SQLITE = Dialect(
    on_conflict="ON CONFLICT ({key}) DO UPDATE SET",
    incoming="excluded.{column}",
    check="PRAGMA integrity_check",
    vacuum="VACUUM",
    now="((julianday('now') - 2440587.5) * 86400.0)",
    to_come="DATE('now', '+2 days')",
    words={
        "id": "INTEGER PRIMARY KEY",
        "hash": "BLOB",
        "name": "TEXT",
        "text": "TEXT",
        "integer": "INTEGER",
        "real": "REAL",
        "table_end": "",
    },
)

# utf8mb4's default collation treats /Page = /page and é = e; the binary one distinguishes them, but still
# treats 'a' = 'a ': so URLs are never compared as text, only by their hashes.
MYSQL = Dialect(
    on_conflict="ON DUPLICATE KEY UPDATE",
    # MySQL's newer "AS new" is unknown to MariaDB; VALUES() works in both
    incoming="VALUES({column})",
    check="CHECK TABLE pages, links, crawls, changes, models, topics, claims",
    vacuum="OPTIMIZE TABLE pages, links, crawls, changes, models, topics, claims",
    # not UNIX_TIMESTAMP(NOW(6)), which is ambiguous in the hour in which summer time ends
    now="(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) / 1000000)",
    to_come="CAST(UTC_DATE() + INTERVAL 2 DAY AS CHAR)",
    words={
        "id": "BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY",
        "hash": "BINARY(16)",
        "name": "VARCHAR(255)",
        "text": "LONGTEXT",
        "integer": "BIGINT",
        "real": "DOUBLE",
        "table_end": "ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
    },
)


class Database(Protocol):
    """One connection, safe to call from several threads, one call at a time.

    1. ``write`` does all statements in one transaction, or none; it is durable when it returns.
    2. An unreachable database raises StoreUnavailable, values it refuses raise BadRow.
    3. A connection that broke since the last call is opened again by the next.
    """

    dialect: Dialect

    def write(self, changes: Sequence[tuple[str, Rows]]) -> None:
        """Runs each statement (placeholders are ``?``) for each of its rows."""

    def read(self, sql: str, values: Sequence[Any] = ()) -> Rows:
        """The rows of a query (placeholders are ``?``)."""

    def close(self) -> None:
        """Closes the connection."""


@dataclass(frozen=True, slots=True)
class Upsert:
    """An idempotent write (promise S3): it replaces an existing row with the same key, unless that is newer.

    ``newest`` is the time column that tells which row is newer; an existing time in the future (by a clock that was ahead) is replaced
    by one that is not. ``oldest``, if any, keeps the smaller value of both. ``newest`` must be the last of ``columns``: MySQL assigns from
    left to right, and each assignment must still see its old value.
    """

    table: str
    columns: Sequence[str]
    key: Sequence[str]
    newest: str = ""
    oldest: str = ""

    @cache  # noqa: B019 - a handful of tables, each of which lives as long as its module
    def sql(self, dialect: Dialect) -> str:
        """The statement for one row, with a placeholder for each column."""
        assert not self.newest or self.columns[-1] == self.newest
        columns = ", ".join(self.columns)
        markers = ", ".join("?" for _ in self.columns)
        conflict = dialect.on_conflict.format(key=", ".join(self.key))
        changes = ", ".join(self._change(column, dialect) for column in self.columns if column not in self.key)
        return f"INSERT INTO {self.table} ({columns}) VALUES ({markers}) {conflict} {changes}"

    def change(self, dialect: Dialect, rows: Iterable[Mapping[str, Any]]) -> tuple[str, Rows]:
        """The statement and its rows, sorted by key: writers that lock the same rows in the same order do not deadlock."""
        ordered = sorted(rows, key=itemgetter(*self.key))
        return self.sql(dialect), [tuple(row[column] for column in self.columns) for row in ordered]

    def _change(self, column: str, dialect: Dialect) -> str:
        new, old = dialect.incoming.format(column=column), f"{self.table}.{column}"
        if column == self.oldest:
            return f"{column} = CASE WHEN {new} < {old} THEN {new} ELSE {old} END"
        if not self.newest:
            return f"{column} = {new}"
        new_time, old_time = dialect.incoming.format(column=self.newest), f"{self.table}.{self.newest}"
        is_ahead = f"{old_time} > {dialect.to_come} AND {new_time} BETWEEN '0' AND {dialect.to_come}"
        return f"{column} = CASE WHEN {new_time} >= {old_time} OR {is_ahead} THEN {new} ELSE {old} END"


class Schema(NamedTuple):
    """The tables of a database: their version, and the statements that create them, in its dialect."""

    version: int
    statements: Sequence[str]
    before: Mapping[int, Sequence[str]] = MappingProxyType({})
    """Earlier version to the statements that lead from it to this one; they are repeated after an interruption."""


VERSION = 10
"""The version of a store's tables; the first nine came before the first release."""

_BEFORE = {9: ("ALTER TABLE changes ADD COLUMN added {text}", "ALTER TABLE changes ADD COLUMN removed {text}")}

_VERSIONS = """CREATE TABLE IF NOT EXISTS schema_migrations (
    version {integer} NOT NULL PRIMARY KEY, name {name} NOT NULL, statements {integer} NOT NULL,
    is_complete {integer} NOT NULL, applied_at {name} NOT NULL) {table_end}"""


def store_schema(dialect: Dialect) -> Schema:
    """The schema in schema.sql, in this dialect, without comments."""
    text = resources.files("topicspider.store").joinpath("schema.sql").read_text("utf-8")
    plain = re.sub(r"^\s*--.*$", "", text, flags=re.MULTILINE).format_map(dialect.words)
    before = {version: [one.format_map(dialect.words) for one in steps] for version, steps in _BEFORE.items()}
    return Schema(VERSION, [statement.strip() for statement in plain.split(";") if statement.strip()], before)


Run = Callable[..., Iterable[Sequence[Any]]]
"""Runs one statement with its values (placeholders are ``?``) and returns its rows; it ignores "exists already" errors."""


def make_tables(run: Run, label: str, dialect: Dialect, schema: Schema) -> None:
    """Creates the tables, or migrates those of an earlier version. The caller holds a lock, and on SQLite a transaction.

    MySQL commits each statement separately: after an interruption all are repeated. Raises StoreUnavailable for any other version.
    """
    run(_VERSIONS.format_map(dialect.words))
    ((version,),) = run("SELECT COALESCE(MAX(version), 0) FROM schema_migrations WHERE is_complete = 1")
    if version == schema.version:
        return
    if version and version not in schema.before:
        is_newer = version > schema.version
        hint = "Update topicspider, or use another store" if is_newer else "Use another store, and crawl anew"
        why = _(
            "its schema has version {version}, that of this topicspider is {own}", version=version, own=schema.version
        )
        raise StoreUnavailable(label, why, hint)
    for statement in schema.before.get(version, schema.statements):
        run(statement)
    now = time_now()
    run("INSERT INTO schema_migrations VALUES (?, '', ?, 1, ?)", (schema.version, len(schema.statements), now))
