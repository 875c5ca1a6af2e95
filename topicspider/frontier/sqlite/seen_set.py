"""The seen-set of a SqliteFrontier: every URL ever added, at a cost that hardly grows.

Fingerprints are random numbers: put into a B-tree of millions as they come, each one dirties a page of its own. So new ones go
to the end of a small log, a row a flush, and into memory; from there they move into the B-tree in sorted order, a narrow slice
of the number range with each flush, so that many share a page. Never more than about 1.5 times ``SLICE_FROM`` fingerprints are
in log and memory, however long the crawl.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Iterable, Mapping
from itertools import chain

SLICE_FROM = 1 << 16
"""How many fingerprints wait in memory before a sweep through them begins; about 8 MB."""


class SeenSet:
    """Fingerprint to id in the table urls, for every URL ever added; the id of one that is done stays.

    It lies in the tables ``seen`` and ``seen_recent``, and changes go with the caller's transaction:
    ``add`` inside it, then ``confirm`` after its commit or ``forget`` after its rollback, so that memory
    never says "seen" for what the disk does not know (F7).
    """

    def __init__(self, database: sqlite3.Connection, slice_from: int = SLICE_FROM) -> None:
        self._slice_from = slice_from
        self._recent: dict[int, int] = {}
        for (blob,) in database.execute("SELECT pairs FROM seen_recent"):
            pairs = array("q", blob)
            self._recent.update(zip(pairs[::2], pairs[1::2], strict=True))
        self._sweeping: dict[int, int] = {}
        self._order: array[int] = array("q")  # the keys of _sweeping, rising
        self._swept = 0
        self._sweep_log_end = 0
        self._added: Mapping[int, int] = {}
        self._moved = 0

    def among(self, database: sqlite3.Connection, fingerprints: Iterable[int]) -> dict[int, int]:
        """Those of ``fingerprints`` that were ever added, with their ids."""
        found: dict[int, int] = {}
        rest = []
        for fingerprint in set(fingerprints):
            url_id = self._recent.get(fingerprint) or self._sweeping.get(fingerprint)
            if url_id:
                found[fingerprint] = url_id
            else:
                rest.append(fingerprint)
        if rest:
            query = "SELECT fingerprint, url_id FROM seen WHERE fingerprint IN (SELECT value FROM json_each(?))"
            found.update(database.execute(query, (json.dumps(rest),)))
        return found

    def add(self, database: sqlite3.Connection, ids: Mapping[int, int]) -> None:
        """Add fingerprints that are not in it, each with its id (above 0)."""
        if not ids:
            return
        self._added = ids
        pairs = array("q", chain.from_iterable(ids.items()))
        database.execute("INSERT INTO seen_recent (pairs) VALUES (?)", (pairs.tobytes(),))
        if not self._order and len(self._recent) >= self._slice_from:
            self._begin_sweep(database)
        self._move_slice(database, 2 * len(ids))

    def confirm(self) -> None:
        """The transaction of ``add`` was committed."""
        self._recent.update(self._added)
        self._swept += self._moved
        self.forget()
        if self._order and self._swept >= len(self._order):
            self._order, self._swept = array("q"), 0
            self._sweeping = {}

    def forget(self) -> None:
        """The transaction of ``add`` was rolled back."""
        self._added, self._moved = {}, 0

    def clear(self) -> None:
        """Both tables were emptied."""
        self._recent, self._sweeping = {}, {}
        self._order, self._swept = array("q"), 0
        self.forget()

    def _begin_sweep(self, database: sqlite3.Connection) -> None:
        # The row just added is part of the log but not of this sweep, so it must outlive it.
        self._sweep_log_end = database.execute("SELECT max(id) FROM seen_recent").fetchone()[0] - 1
        self._order = array("q", sorted(self._recent))
        self._sweeping, self._recent = self._recent, {}
        self._swept = 0

    def _move_slice(self, database: sqlite3.Connection, count: int) -> None:
        moving = self._order[self._swept : self._swept + count]
        if not moving:
            return
        database.executemany("INSERT OR IGNORE INTO seen VALUES (?, ?)", [(one, self._sweeping[one]) for one in moving])
        self._moved = len(moving)
        if self._swept + self._moved == len(self._order):
            database.execute("DELETE FROM seen_recent WHERE id <= ?", (self._sweep_log_end,))
