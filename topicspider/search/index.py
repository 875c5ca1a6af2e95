"""The full-text index of a store's hits: adds and removes pages, and follows changes in the store."""

from __future__ import annotations

import json
import math
import re
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

from topicspider.errors import StoreUnavailable
from topicspider.items import kind_of
from topicspider.search.words import page_words
from topicspider.store.database import Rows, Schema
from topicspider.store.rows import NumberedPage, PageRow
from topicspider.store.sqlite import SqliteDatabase
from topicspider.store.store import PAGES_AT_ONCE, Store
from topicspider.text.normalise import normalise
from topicspider.text.segment import Segmenter
from topicspider.url import site_of

VERSION = 6
"""Version of the tables and of the segmentation of pages; an index of another version is rebuilt."""

# The body comes first: each position of a word in another column takes two more bytes, a fifth of the index.
# The full-text table does not keep the text, which is in the store. The indexed words are kept, compressed, in `texts`, because SQLite
# before 3.43 deletes a row of such a table only when given the words that were inserted. Rows are ordered by relevance: full-text search
# reads them in this order, and may stop when it has enough of the best.
_TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE pages (
    place INTEGER PRIMARY KEY,
    number INTEGER NOT NULL UNIQUE,
    written_at INTEGER NOT NULL,
    topic TEXT NOT NULL,
    host TEXT NOT NULL,
    site TEXT NOT NULL,
    day TEXT NOT NULL,
    type TEXT NOT NULL,
    kind TEXT NOT NULL,
    language TEXT NOT NULL,
    relevance REAL NOT NULL,
    link_count INTEGER NOT NULL,
    link_rank REAL NOT NULL,
    original INTEGER NOT NULL
);
CREATE INDEX pages_by_original ON pages (original);
CREATE TABLE texts (place INTEGER PRIMARY KEY, words BLOB NOT NULL);
CREATE VIRTUAL TABLE words USING fts5(body, title, more, content='', tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'");
"""


_TEXT = "SELECT place, words FROM texts JOIN pages USING (place) WHERE number = ?"
_NUMBERS = "SELECT number, written_at FROM pages"
# languages of at least a twentieth of the hits: the language of short pages may be wrong
_LANGUAGES = "SELECT language FROM pages GROUP BY language HAVING COUNT(*) * 20 >= (SELECT COUNT(*) FROM pages)"
_PUT = "INSERT INTO pages VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_PUT_WORDS = "INSERT INTO words (rowid, body, title, more) VALUES (?, ?, ?, ?)"
_TAKE_WORDS = "INSERT INTO words (words, rowid, body, title, more) VALUES ('delete', ?, ?, ?, ?)"


class SearchIndex:
    """An index of the hits of ``topics`` (default: all) of one store, in the file ``path``; None is in memory.

    ``store_name`` identifies the store, as page numbers are valid only there. Calls block; several processes may use one file.
    The index can always be rebuilt from the store: a file of another store, of another version, or a damaged one is replaced.
    """

    def __init__(
        self, path: Path | None, segmenter: Segmenter, store_name: str = "", topics: Sequence[str] = ()
    ) -> None:
        """Raises StoreUnavailable when the file cannot be used."""
        self.segmenter = segmenter
        self.topics = tuple(sorted(set(topics)))
        self._path = path
        self._made_of = json.dumps([store_name, self.topics, segmenter.name, segmenter.own_words], ensure_ascii=False)
        self._database = self._opened()
        self.languages = self._read_languages()

    def read(self, sql: str, values: Sequence[Any] = ()) -> Rows:
        return self._database.read(sql, values)

    def refresh(self, store: Store, say: Callable[[int, int], None] = lambda done, total: None) -> int:
        """Updates the index from ``store``; returns how many new or changed pages were indexed.

        ``say(done, total)`` is called with the number of pages as it goes.
        """
        known: dict[int, int] = dict(self.read(_NUMBERS))  # read first, so that later additions by others stay
        written = store.written(self.topics)
        self._exchange([], known.keys() - written.keys())
        changed = sorted(number for number, at in written.items() if known.get(number) != at)
        for start in range(0, len(changed), PAGES_AT_ONCE):
            self._exchange(store.numbered(changed[start : start + PAGES_AT_ONCE]))
            say(len(written) - len(changed) + min(start + PAGES_AT_ONCE, len(changed)), len(written))
        if len(changed) > len(written) // 5:
            with self._database.transaction() as connection:
                connection.execute("INSERT INTO words (words) VALUES ('optimize')")
            self.read("PRAGMA wal_checkpoint(TRUNCATE)")
        self.languages = self._read_languages()
        return len(changed)

    def _read_languages(self) -> list[str]:
        return [language for (language,) in self.read(_LANGUAGES)]

    def close(self) -> None:
        self._database.close()

    def _opened(self) -> SqliteDatabase:
        try:
            database = self._connected()
            if database.read("SELECT value FROM facts WHERE name = 'made_of'") == [(self._made_of,)]:
                return database
            database.close()
        except StoreUnavailable as error:
            if self._path is None or not self._path.is_file() or "locked" in error.why:
                raise
        for ending in ("", "-wal", "-shm") if self._path else ():
            Path(f"{self._path}{ending}").unlink(missing_ok=True)
        return self._connected()

    def _connected(self) -> SqliteDatabase:
        label = f"search index {self._path}" if self._path else "the search index in memory"
        database = SqliteDatabase(self._path or ":memory:", Schema(VERSION, _TABLES.split(";\n")), label)
        for pragma in ("cache_size = -32768", "temp_store = MEMORY"):
            database.read(f"PRAGMA {pragma}")
        database.read("CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words', 'row')")
        database.write([("INSERT OR IGNORE INTO facts VALUES ('made_of', ?)", [(self._made_of,)])])
        return database

    def _exchange(self, rows: Sequence[NumberedPage], gone: Iterable[int] = ()) -> None:
        """Removes the pages ``gone`` and adds ``rows``, in one transaction."""
        rows = sorted(rows, key=place_of)  # FTS5 is faster with rows in order
        cut = [(row, page_words(self.segmenter, row.row.item.title, row.row.item.body)) for row in rows]
        with self._database.transaction() as connection:
            for number in (*gone, *(row.number for row in rows)):  # may be there, also by another process
                _take(connection, number)
            for row, text in cut:
                _put(connection, row, text)


def _put(connection: sqlite3.Connection, page: NumberedPage, words: tuple[str, str, str]) -> None:
    item, place = page.row.item, place_of(page)
    values = (
        place,
        page.number,
        page.written_at,
        normalise(item.topic),
        item.host,
        site_of(item.host),
        day_of(page.row),
        normalise(item.type),
        kind_of(item),
        normalise(item.language),
        item.relevance,
        item.link_count,
        min(1.0, math.log1p(max(0, item.link_count)) / math.log1p(1000)),
        original_of(item.topic, item.duplicate_of or item.url),
    )
    connection.execute(_PUT, values)
    connection.execute(_PUT_WORDS, (place, *words))
    packed = zlib.compress("\n".join(words).encode(), 6)
    connection.execute("INSERT INTO texts VALUES (?, ?)", (place, packed))


def _take(connection: sqlite3.Connection, number: int) -> None:
    found = connection.execute(_TEXT, (number,)).fetchone()
    if found is None:
        return
    place, words = found
    connection.execute(_TAKE_WORDS, (place, *zlib.decompress(words).decode().split("\n")))
    connection.execute("DELETE FROM texts WHERE place = ?", (place,))
    connection.execute("DELETE FROM pages WHERE place = ?", (place,))


def place_of(page: NumberedPage) -> int:
    """The row id of a page in the index: the most relevant page first, of equal ones (to three digits) the newest."""
    return (1000 - round(1000 * min(1.0, max(0.0, page.row.item.relevance)))) << 40 | ((1 << 40) - 1 - page.number)


def original_of(topic: str, url: str) -> int:
    """A number shared by a page and its near-duplicates: the signed 64-bit hash of topic and the original's URL."""
    return int.from_bytes(blake2b(f"{topic}\n{url}".encode(errors="replace"), digest_size=8).digest(), signed=True)


def day_of(row: PageRow) -> str:
    """The day (ISO 8601) of publication, else of Last-Modified, else of the fetch; "" when none is a valid day."""
    return _day(row.item.published) or _day_of_header(row.last_modified) or _day(row.item.fetched_at)


def _day(date: str) -> str:
    return date[:10] if re.match(r"\d{4}-\d\d-\d\d", date, re.ASCII) else ""


def _day_of_header(date: str) -> str:
    with suppress(ValueError, TypeError, OverflowError):
        return parsedate_to_datetime(date).date().isoformat()
    return ""
