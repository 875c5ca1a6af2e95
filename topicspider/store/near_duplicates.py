"""Finds, for each hit that is about to be stored, the original in the store of which it is a near-duplicate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from topicspider.page.near_duplicate import NEAR, CopyMemory, distance
from topicspider.store.rows import PageRow, clean, url_hash

_ORIGINALS_AFTER = """SELECT id, simhash FROM pages
    WHERE topic = ? AND on_topic = 1 AND simhash <> 0 AND duplicate_of = '' AND id > ? ORDER BY id LIMIT ?"""
_LAST_CHANGE = "SELECT COALESCE(MAX(id), 0) FROM changes WHERE topic = ?"
_ORIGINALS_CHANGED = """SELECT pages.id, pages.simhash FROM changes
    JOIN pages ON pages.topic = changes.topic AND pages.url_hash = changes.url_hash
    WHERE changes.topic = ? AND changes.id > ? AND changes.id <= ? AND on_topic = 1 AND pages.simhash <> 0 AND duplicate_of = ''"""
_CHOSEN = """SELECT url, simhash FROM pages
    WHERE id IN ({marks}) AND on_topic = 1 AND duplicate_of = '' AND url_hash <> ? ORDER BY id"""

Read = Callable[[str, Sequence[Any]], Sequence[tuple[Any, ...]]]


class NearDuplicates:
    """The simhashes of the last originals among a store's hits, kept in memory by topic and updated before each use.

    A hit is a copy of the first original near it: in the store, else in its own batch, in the order of URL hashes, so that writing a row
    again changes nothing (promise S3). A hit that is near only to a copy is an original, as in CopyMemory. Calls block on the database.
    """

    def __init__(self, read: Read) -> None:
        self._read = read
        self._of_topic: dict[str, CopyMemory] = {}
        self._last_ids: dict[str, int] = {}
        self._last_changes: dict[str, int] = {}

    def with_originals(self, rows: Iterable[PageRow]) -> list[PageRow]:
        """``rows`` with ``duplicate_of`` set, for each hit with a simhash, to the URL of its original in the topic, or ""."""
        sought: list[PageRow] = []
        found: list[PageRow] = []
        for row in rows:  # fields of a wrong type are rejected later, when the row is written
            is_text = all(isinstance(text, str) for text in (row.item.topic, row.item.url))
            (sought if row.simhash and row.on_topic and is_text else found).append(row)
        beside: dict[str, list[PageRow]] = {}
        for row in sorted(sought, key=lambda row: url_hash(row.item.url)):
            topic = clean(row.item.topic)
            if topic not in beside:  # once per batch, read what other processes wrote
                self._catch_up(topic)
            others = beside.setdefault(topic, [])
            near = (one.item.url for one in others if distance(row.simhash, one.simhash) <= NEAR)
            original = self._stored(topic, row) or next((url for url in near if url != row.item.url), "")
            if not original:
                others.append(row)
            found.append(replace(row, item=replace(row.item, duplicate_of=original)))
        return found

    def _catch_up(self, topic: str) -> None:
        """Adds new pages, and those that were collected again: their text may have changed, or they may have become hits."""
        memory = self._of_topic.setdefault(topic, CopyMemory())
        change = int(self._read(_LAST_CHANGE, (topic,))[0][0])
        seen = self._last_changes.get(topic, change)
        while rows := self._read(_ORIGINALS_AFTER, (topic, self._last_ids.get(topic, 0), 10_000)):
            for number, simhash in rows:
                memory.remember(int(simhash), int(number))
            self._last_ids[topic] = int(rows[-1][0])
        for number, simhash in self._read(_ORIGINALS_CHANGED, (topic, seen, change)) if change > seen else ():
            if int(number) not in memory.near(int(simhash)):
                memory.remember(int(simhash), int(number))
        self._last_changes[topic] = change

    def _stored(self, topic: str, row: PageRow) -> str:
        """The URL of the first original near ``row`` by its current simhash in the store; "" for none."""
        ids = sorted(self._of_topic[topic].near(row.simhash))[:50]
        if not ids:
            return ""
        sql = _CHOSEN.format(marks=", ".join("?" for _ in ids))
        found = self._read(sql, (*ids, url_hash(row.item.url)))
        return next((url for url, simhash in found if distance(int(simhash), row.simhash) <= NEAR), "")
