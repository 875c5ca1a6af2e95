"""Finds, for each hit that is about to be stored, the first of its near-duplicates in the store."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from topicspider.page.near_duplicate import NEAR, distance
from topicspider.store.rows import PageRow, clean, url_hash

# simhashes of a topic's hits, and what decides which of some copies came first
_SIMHASHES_AFTER = (
    "SELECT id, simhash FROM pages WHERE topic = ? AND on_topic = 1 AND simhash <> 0 AND id > ? ORDER BY id LIMIT ?"
)
_PAGE_ID = "SELECT id FROM pages WHERE topic = ? AND url_hash = ?"
_COPIES = "SELECT id, url_hash, url, duplicate_of, simhash FROM pages WHERE id IN ({marks}) AND on_topic = 1"
_NOT_STORED = math.inf

Read = Callable[[str, Sequence[Any]], Sequence[tuple[Any, ...]]]


@dataclass(frozen=True, slots=True, order=True)
class _Copy:
    """A page that others may be copies of: the one stored first is the original."""

    row_id: float
    url_hash: bytes
    url: str = field(compare=False)
    duplicate_of: str = field(default="", compare=False)
    simhash: int = field(default=0, compare=False)


class NearDuplicates:
    """The simhashes of a store's hits, 16 bytes each, kept in memory by topic and brought up to date before each use.

    The first of some copies is the one with the smallest number; of those written in one batch, that with the smallest hash of its
    URL, for in that order they are numbered. So writing a row again changes nothing (S3). A look-up compares with every hit of the
    topic: 1 ms for a million. Calls block on the database.
    """

    def __init__(self, read: Read) -> None:
        self._read = read
        self._of_topic: dict[str, _Simhashes] = {}

    def mark(self, rows: Iterable[PageRow]) -> list[PageRow]:
        """``rows``, each hit with a simhash naming in ``duplicate_of`` the URL of its first near-duplicate in the topic, or ""."""
        rows = list(rows)
        marked = [row for row in rows if not _is_sought(row)]
        written: dict[str, list[_Copy]] = {}
        for row in sorted((row for row in rows if _is_sought(row)), key=lambda row: url_hash(row.item.url)):
            topic = clean(row.item.topic)
            if topic not in written:  # what other processes wrote, once a batch
                self._of_topic.setdefault(topic, _Simhashes()).catch_up(self._read, topic)
            beside = written.setdefault(topic, [])
            first = self._first(topic, row, beside)
            beside.append(_Copy(_NOT_STORED, url_hash(row.item.url), row.item.url, first, row.simhash))
            marked.append(replace(row, item=replace(row.item, duplicate_of=first)))
        return marked

    def _first(self, topic: str, row: PageRow, beside: Sequence[_Copy]) -> str:
        """The URL of the first copy of ``row`` in the store or ``beside`` it in the batch; "" when it is the first itself."""
        own_hash = url_hash(row.item.url)
        copies = [
            copy
            for copy in (*self._stored(self._of_topic[topic].near(row.simhash)), *beside)
            if copy.url_hash != own_hash and distance(copy.simhash, row.simhash) <= NEAR
        ]
        if not copies:
            return ""
        known = self._read(_PAGE_ID, (topic, own_hash))
        own = _Copy(int(known[0][0]) if known else _NOT_STORED, own_hash, row.item.url)
        first = min(copies)
        if own < first:
            return ""
        return first.duplicate_of if first.duplicate_of not in ("", row.item.url) else first.url

    def _stored(self, ids: Sequence[int]) -> list[_Copy]:
        if not ids:
            return []
        sql = _COPIES.format(marks=", ".join("?" for _ in ids))
        return [_Copy(row_id, bytes(mark), *rest) for row_id, mark, *rest in self._read(sql, ids)]


class _Simhashes:
    """The simhashes of one topic's hits with the numbers of their rows."""

    def __init__(self) -> None:
        self._ids = np.zeros(1024, dtype=np.int64)
        self._hashes = np.zeros(1024, dtype=np.uint64)
        self._size = 0
        self._last_id = 0

    def catch_up(self, read: Read, topic: str) -> None:
        while rows := read(_SIMHASHES_AFTER, (topic, self._last_id, 10_000)):
            self._add(rows)

    def near(self, simhash: int) -> list[int]:
        """The numbers of the rows within NEAR bits, the 50 smallest of them in ascending order."""
        differing = self._hashes[: self._size] ^ np.uint64(simhash & (2**64 - 1))
        found = self._ids[: self._size][np.bitwise_count(differing) <= NEAR]
        return [int(row_id) for row_id in np.sort(found)[:50]]

    def _add(self, rows: Sequence[tuple[Any, ...]]) -> None:
        needed = self._size + len(rows)
        if needed > len(self._ids):
            self._ids = np.resize(self._ids, 2 * needed)
            self._hashes = np.resize(self._hashes, 2 * needed)
        ids, hashes = zip(*rows, strict=True)
        self._ids[self._size : needed] = ids
        self._hashes[self._size : needed] = np.array(hashes, dtype=np.int64).view(np.uint64)
        self._size, self._last_id = needed, int(ids[-1])


def duplicates(rows: Iterable[PageRow]) -> Mapping[tuple[str, str], str]:
    """(topic, URL) to the first copy, of those ``rows`` that were found to be copies."""
    return {
        (row.item.topic, row.item.url): row.item.duplicate_of for row in rows if row.simhash and row.item.duplicate_of
    }


def _is_sought(row: PageRow) -> bool:
    """Whether copies of ``row`` are looked for; fields of a wrong kind are refused later, when the row is written."""
    item = row.item
    is_plain = all(isinstance(field, str) for field in (item.topic, item.url))
    return bool(row.simhash) and row.on_topic and is_plain
