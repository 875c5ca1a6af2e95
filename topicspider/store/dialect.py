"""The few words in which SQLite and MySQL differ; all other SQL is written once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dialect:
    """``marker`` stands for a parameter; ``words`` fill the ``{…}`` of a migration file.

    ``on_conflict`` begins the update part of an upsert ({key} is the list of key columns), ``incoming``
    names the value that the upsert brought for a column. ``check`` and ``vacuum`` look at all tables, and give space back.
    ``now``: seconds since 1970, with fractions.
    """

    name: str
    marker: str
    on_conflict: str
    incoming: str
    check: str
    vacuum: str
    now: str
    words: Mapping[str, str]


SQLITE = Dialect(
    name="SQLite",
    marker="?",
    on_conflict="ON CONFLICT ({key}) DO UPDATE SET",
    incoming="excluded.{column}",
    check="PRAGMA integrity_check",
    vacuum="VACUUM",
    now="((julianday('now') - 2440587.5) * 86400.0)",
    words={
        "id": "INTEGER PRIMARY KEY",
        "hash": "BLOB",
        "name": "TEXT",
        "text": "TEXT",
        "integer": "INTEGER",
        "real": "REAL",
        "table_end": "",
        "on_pages": "",
        "on_changes": "",
    },
)

# utf8mb4's default collation holds /Page = /page and é = e; the binary one keeps them apart, but holds
# 'a' = 'a ' all the same: so no URL is ever compared as text, only by its hash.
MYSQL = Dialect(
    name="MySQL",
    marker="%s",
    on_conflict="ON DUPLICATE KEY UPDATE",
    # MySQL's newer "AS new" is unknown to MariaDB; VALUES() works in both
    incoming="VALUES({column})",
    check="CHECK TABLE pages, links, crawls, changes, models, topics, claims",
    vacuum="OPTIMIZE TABLE pages, links, crawls, changes, models, topics, claims",
    # not UNIX_TIMESTAMP(NOW(6)): in the hour in which summer time ends that is of two minds
    now="(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) / 1000000)",
    words={
        "id": "BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY",
        "hash": "BINARY(16)",
        "name": "VARCHAR(255)",
        "text": "LONGTEXT",
        "integer": "BIGINT",
        "real": "DOUBLE",
        "table_end": "ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
        "on_pages": "ON pages",
        "on_changes": "ON changes",
    },
)
