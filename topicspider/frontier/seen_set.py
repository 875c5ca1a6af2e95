"""The seen-set of a SqliteFrontier: every fingerprint ever added, at a cost that hardly grows.

Fingerprints are random numbers: put into a B-tree of millions as they come, each one dirties a page of
its own (measured: 50 new links cost 4-10 times as much at 6 million as at 10 thousand). So new ones go
to the end of a small log, a row a flush, and into memory; from there they move into the B-tree in
sorted order, a narrow slice of the number range with each flush, so that many share a page. Never
more than about 1.5 times ``SLICE_FROM`` fingerprints are in log and memory, however long the crawl.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Collection, Sequence

SLICE_FROM = 1 << 16
"""How many fingerprints wait in memory before a sweep through them begins; about 6 MB."""


class SeenSet:
    """The fingerprints in the tables ``seen`` and ``seen_recent``; changes go with the caller's transaction.

    ``add`` inside the transaction, then ``confirm`` after its commit or ``forget`` after its rollback:
    memory never says "seen" for what the disk does not know (F7).
    """

    def __init__(self, database: sqlite3.Connection, slice_from: int = SLICE_FROM) -> None:
        self._slice_from = slice_from
        self._recent: set[int] = set()
        for (blob,) in database.execute("SELECT fingerprints FROM seen_recent"):
            self._recent.update(array("q", blob))
        self._sweeping: set[int] = set()
        self._sweep: array[int] = array("q")
        self._swept = 0
        self._sweep_log_end = 0
        self._added: Collection[int] = ()
        self._moved = 0

    def among(self, database: sqlite3.Connection, fingerprints: Sequence[int]) -> set[int]:
        """Those of ``fingerprints`` that were ever added."""
        asked = set(fingerprints)
        found = (asked & self._recent) | (asked & self._sweeping)
        rest = list(asked - found)
        if rest:
            rows = database.execute(
                "SELECT fingerprint FROM seen WHERE fingerprint IN (SELECT value FROM json_each(?))",
                (json.dumps(rest),),
            )
            found.update(fingerprint for (fingerprint,) in rows)
        return found

    def add(self, database: sqlite3.Connection, fingerprints: Collection[int]) -> None:
        """Add fingerprints that are not in it."""
        if not fingerprints:
            return
        self._added = fingerprints
        database.execute("INSERT INTO seen_recent (fingerprints) VALUES (?)", (array("q", fingerprints).tobytes(),))
        if not self._sweep and len(self._recent) >= self._slice_from:
            self._begin_sweep(database)
        self._move_slice(database, 2 * len(fingerprints))

    def confirm(self) -> None:
        """The transaction of ``add`` was committed."""
        self._recent.update(self._added)
        self._swept += self._moved
        self._added, self._moved = (), 0
        if self._sweep and self._swept >= len(self._sweep):
            self._sweep, self._swept = array("q"), 0
            self._sweeping = set()

    def forget(self) -> None:
        """The transaction of ``add`` was rolled back."""
        self._added, self._moved = (), 0

    def clear(self) -> None:
        """Both tables were emptied."""
        self._recent, self._sweeping = set(), set()
        self._sweep, self._swept = array("q"), 0
        self.forget()

    def _begin_sweep(self, database: sqlite3.Connection) -> None:
        # The row just added is part of the log but not of this sweep, so it must outlive it.
        self._sweep_log_end = database.execute("SELECT max(id) FROM seen_recent").fetchone()[0] - 1
        self._sweep = array("q", sorted(self._recent))
        self._sweeping, self._recent = self._recent, set()
        self._swept = 0

    def _move_slice(self, database: sqlite3.Connection, count: int) -> None:
        moving = self._sweep[self._swept : self._swept + count]
        if not moving:
            return
        database.executemany("INSERT OR IGNORE INTO seen VALUES (?)", zip(moving))
        self._moved = len(moving)
        if self._swept + self._moved == len(self._sweep):
            database.execute("DELETE FROM seen_recent WHERE id <= ?", (self._sweep_log_end,))
