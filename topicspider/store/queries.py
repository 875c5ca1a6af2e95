"""The SQL of the store, written once for both databases, and the few words in which they differ."""

# ruff: noqa: S608 - only column and table names of this package are put into SQL; values go as parameters

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from topicspider.store.rows import (
    CHANGE_KEY,
    CHANGE_READ,
    CHANGE_WRITE,
    CRAWL_KEY,
    CRAWL_READ,
    CRAWL_WRITE,
    LINK_KEY,
    LINK_READ,
    LINK_WRITE,
    PAGE_KEY,
    PAGE_READ,
    PAGE_WRITE,
)


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
    },
)


@dataclass(frozen=True, slots=True)
class Upsert:
    """An idempotent write (S3): a row that is there already is replaced, unless it is newer.

    ``newest`` is the column that says which of two is newer; ``oldest``, if any, keeps the smaller
    value of both. ``newest`` must be the last of ``columns``: MySQL assigns from left to right, and each
    assignment must still see its old value.
    """

    table: str
    columns: Sequence[str]
    key: Sequence[str]
    newest: str = ""
    oldest: str = ""

    def sql(self, dialect: Dialect) -> str:
        """One statement for one row, with a marker for each column."""
        assert not self.newest or self.columns[-1] == self.newest
        columns = ", ".join(self.columns)
        markers = ", ".join(dialect.marker for _ in self.columns)
        conflict = dialect.on_conflict.format(key=", ".join(self.key))
        changes = ", ".join(self._change(column, dialect) for column in self.columns if column not in self.key)
        return f"INSERT INTO {self.table} ({columns}) VALUES ({markers}) {conflict} {changes}"

    def _change(self, column: str, dialect: Dialect) -> str:
        new, old = dialect.incoming.format(column=column), f"{self.table}.{column}"
        if column == self.oldest:
            return f"{column} = CASE WHEN {new} < {old} THEN {new} ELSE {old} END"
        if not self.newest:
            return f"{column} = {new}"
        new_time, old_time = dialect.incoming.format(column=self.newest), f"{self.table}.{self.newest}"
        return f"{column} = CASE WHEN {new_time} >= {old_time} THEN {new} ELSE {old} END"


PAGES = Upsert("pages", PAGE_WRITE, PAGE_KEY, newest="last_seen", oldest="first_seen")
LINKS = Upsert("links", LINK_WRITE, LINK_KEY)
# the row of a run's start, written again late, must not undo the row of its end
CRAWLS = Upsert("crawls", CRAWL_WRITE, CRAWL_KEY, newest="ended_at")
CHANGES = Upsert("changes", CHANGE_WRITE, CHANGE_KEY)
CHECK = "UPDATE pages SET update_cycle = {marker}, checked = {marker} WHERE topic = {marker} AND url_hash = {marker}"

_PAGE = ", ".join(f"pages.{column}" for column in PAGE_READ)
_LINK = ", ".join(LINK_READ)
_CRAWL = ", ".join(CRAWL_READ)

PAGE = f"SELECT {_PAGE} FROM pages WHERE topic = ? AND url_hash = ?"
# the inner query reads an index only: the large columns are fetched for the chosen few, never sorted
HITS = f"""SELECT {_PAGE} FROM (
    SELECT id AS chosen_id FROM pages WHERE {{topic}} on_topic = 1 ORDER BY relevance DESC, id DESC LIMIT ? OFFSET ?
) AS chosen JOIN pages ON pages.id = chosen.chosen_id ORDER BY pages.relevance DESC, pages.id DESC"""
HITS_AFTER = f"SELECT pages.id, {_PAGE} FROM pages WHERE {{topic}} on_topic = 1 AND id > ? ORDER BY id LIMIT ?"
VERDICTS_AFTER = """SELECT id, url, relevance, on_topic, threshold, scorer, CASE WHEN duplicate_of = '' THEN 0 ELSE 1 END
    FROM pages WHERE topic = ? AND id > ? ORDER BY id LIMIT ?"""
# simhashes of a topic's hits, and what decides which of some copies came first
SIMHASHES_AFTER = (
    "SELECT id, simhash FROM pages WHERE topic = ? AND on_topic = 1 AND simhash <> 0 AND id > ? ORDER BY id LIMIT ?"
)
ORIGINALS = """SELECT url, simhash FROM pages
    WHERE topic = ? AND on_topic = 1 AND simhash <> 0 AND duplicate_of = '' ORDER BY id DESC LIMIT ?"""
# what an index over the store asks for: the inner conditions are one range of the index pages_written
_WRITTEN = "SELECT id, written_at, on_topic FROM pages WHERE {topics_unsought} "
WRITTEN_AT = f"{_WRITTEN} written_at = ? AND id > ? ORDER BY id LIMIT ?"
WRITTEN_AFTER = f"{_WRITTEN} written_at > ? ORDER BY written_at, id LIMIT ?"
NUMBERED = f"SELECT pages.id, pages.written_at, {_PAGE} FROM pages WHERE id IN ({{ids}}) AND on_topic = 1"
HIT_COUNT = "SELECT COUNT(*) FROM pages WHERE {topics} on_topic = 1"
PAGE_ID = "SELECT id FROM pages WHERE topic = ? AND url_hash = ?"
COPIES = "SELECT id, url_hash, url, duplicate_of, simhash FROM pages WHERE id IN ({ids}) AND on_topic = 1"
LINKS_FROM = f"SELECT {_LINK} FROM links WHERE topic = ? AND source_hash = ? ORDER BY score DESC, target_hash LIMIT ?"
TOTALS = """SELECT COUNT(*), COALESCE(SUM(on_topic), 0), COUNT(DISTINCT host),
    COUNT(DISTINCT CASE WHEN on_topic = 1 THEN host END) FROM pages WHERE {topic} 1 = 1"""
HOSTS = """SELECT host, COUNT(*) AS seen, SUM(on_topic) AS kept, MAX(last_seen) AS latest FROM pages
    WHERE {topic} 1 = 1 GROUP BY host ORDER BY kept DESC, seen DESC, host LIMIT ?"""
# of the pages that are about to be written, those that are there, as they are
KNOWN = (
    "SELECT url_hash, content_hash, last_seen, simhash, status FROM pages WHERE topic = ? AND url_hash IN ({hashes})"
)
# a page that was asked for again without getting it; an old visit that is told late changes nothing
VISIT = """UPDATE pages SET status = {marker}, checked = 1, collected_at = {marker}, last_seen = {marker}
    WHERE topic = {marker} AND url_hash = {marker} AND last_seen <= {marker}"""
_KEPT = """url, update_cycle, checked, url_hash, host, referrer, depth, relevance, on_topic,
    CASE WHEN duplicate_of = '' THEN 0 ELSE 1 END, type, status, first_seen, collected_at, etag, last_modified"""
META_AFTER = f"SELECT id, {_KEPT} FROM pages WHERE topic = ? AND id > ? ORDER BY id LIMIT ?"
# two ranges of the index pages_due; "+ 0" keeps both databases from walking through all pages in the order of their ids instead
META_SINCE = f"""SELECT id, {_KEPT} FROM (
    SELECT id AS chosen_id FROM pages WHERE topic = ? AND checked IN (0, 1) AND collected_at >= ? AND id + 0 > ?
    ORDER BY id + 0 LIMIT ?
) AS chosen JOIN pages ON pages.id = chosen.chosen_id ORDER BY id"""
META_OF = f"SELECT {_KEPT} FROM pages WHERE topic = ? AND url_hash IN ({{hashes}})"
DUE = """SELECT url, update_cycle, checked, collected_at, etag, last_modified FROM (
    SELECT id AS chosen_id FROM pages WHERE topic = ? AND (checked = 0 OR collected_at + update_cycle <= ?)
    ORDER BY checked, collected_at + update_cycle, id LIMIT ?
) AS chosen JOIN pages ON pages.id = chosen.chosen_id ORDER BY checked, collected_at + update_cycle, id"""
CHANGES_OF = f"SELECT {', '.join(CHANGE_READ)} FROM changes WHERE topic = ? {{url}} ORDER BY seen_at, id LIMIT ?"
CHANGES_AFTER = (
    f"SELECT id, {', '.join(CHANGE_READ)} FROM changes WHERE topic = ? AND seen_at >= ? AND id > ? ORDER BY id LIMIT ?"
)
CRAWLS_NEWEST = f"SELECT {_CRAWL} FROM crawls WHERE {{topic}} 1 = 1 ORDER BY started_at DESC, id DESC LIMIT ?"


def of_topic(sql: str, topic: str) -> tuple[str, tuple[str, ...]]:
    """``sql`` for one topic, or for all when ``topic`` is empty, and the parameters that adds in front."""
    return (sql.format(topic="topic = ? AND"), (topic,)) if topic else (sql.format(topic=""), ())


def of_topics(sql: str, topics: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """``sql`` for some topics, or for all when there are none, and the parameters that adds in front.

    ``{topics_unsought}`` is the same condition where the topic is not what rows are to be found by: its plus keeps SQLite from an index
    of the topic's pages, all of which it would read (without statistics it takes that for few); MariaDB does not look at a plus.
    """
    names = tuple(dict.fromkeys(topics))
    among = f"topic IN ({', '.join('?' for _ in names)}) AND" if names else ""
    return sql.format(topics=among, topics_unsought=among and f"+{among}"), names
