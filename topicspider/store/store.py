"""The store: pages of any number of topics in a SQL database, and all queries for them."""

# ruff: noqa: S608 - only column and table names of this package are put into SQL; values go as parameters

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

from topicspider.items import HUB, PageItem
from topicspider.store.database import Database, Rows, Upsert
from topicspider.store.rows import (
    CHANGE_READ,
    CRAWL_READ,
    GONE,
    LINK_READ,
    META_READ,
    PAGE_READ,
    SET_SCHEDULE,
    SET_VISIT,
    Batch,
    ChangedHit,
    ChangeRow,
    Copies,
    CrawlRow,
    LinkRow,
    NumberedPage,
    PageMeta,
    PageRow,
    ScoredPage,
    Totals,
    Values,
    change_values,
    changed_hit,
    clean,
    content_hash,
    crawl_values,
    hashes_under,
    link_row,
    link_values,
    page_meta,
    page_row,
    page_values,
    schedule_values,
    url_hash,
    visit_values,
)

if TYPE_CHECKING:
    from topicspider.store.near_duplicates import NearDuplicates

PAGES_AT_ONCE = 50
"""Pages read in one query; each may have 1 MB of text."""
ROWS_AT_ONCE = 2000
"""Rows without texts read in one query."""

_T = TypeVar("_T")

_KEY = ("topic", "url_hash")
_PAGE_COLUMNS = tuple(page_values(PageRow(PageItem(url=""), on_topic=False, threshold=0.0, scorer="")))
_LINK_COLUMNS = tuple(link_values(LinkRow("", "", "", "", 0.0, "")))
PAGES = Upsert("pages", _PAGE_COLUMNS, _KEY, newest="last_seen", oldest="first_seen")
LINKS = Upsert("links", _LINK_COLUMNS, ("topic", "source_hash", "target_hash"))
# the row of a run's start, if written again late, must not overwrite the row of its end
CRAWLS = Upsert(
    "crawls", (*(name for name in CRAWL_READ if name != "ended_at"), "ended_at"), ("run_id",), newest="ended_at"
)
CHANGES = Upsert("changes", ("topic", *CHANGE_READ, "added", "removed"), (*_KEY, "seen_at"))
_PAGE = ", ".join(f"pages.{column}" for column in PAGE_READ)
_META = ", ".join(META_READ)

_PAGE_OF = f"SELECT {_PAGE} FROM pages WHERE topic = ? AND url_hash = ?"
_HITS_AFTER = f"SELECT pages.id, {_PAGE} FROM pages WHERE {{topics}} on_topic = 1 AND id > ? ORDER BY id LIMIT ?"
_ORIGINALS = """SELECT url, simhash FROM pages
    WHERE topic = ? AND on_topic = 1 AND simhash <> 0 AND duplicate_of = '' ORDER BY id DESC LIMIT ?"""
# the plus keeps SQLite from using another index than pages_written, which covers the query
_WRITTEN = "SELECT id, written_at FROM pages WHERE {topics_unsought} +on_topic = 1"
_NUMBERED = f"SELECT pages.id, pages.written_at, {_PAGE} FROM pages WHERE id IN ({{marks}}) AND on_topic = 1"
_LINKS_FROM = f"SELECT {', '.join(LINK_READ)} FROM links WHERE topic = ? AND source_hash = ? ORDER BY score DESC, target_hash LIMIT ?"
_KEPT_LINKS = (
    "SELECT id, source_url, target_url, score FROM links WHERE topic = ? AND pruned = '' AND id > ? ORDER BY id LIMIT ?"
)
ORIGINAL_HIT = f"on_topic = 1 AND duplicate_of = '' AND type <> '{HUB}'"
_TOTALS = f"SELECT COUNT(*), COALESCE(SUM({ORIGINAL_HIT}), 0) FROM pages WHERE {{topics}} 1 = 1"
_STORED = "SELECT url_hash, content_hash, last_seen, simhash, status, title FROM pages WHERE topic = ? AND url_hash IN ({marks})"
_META_AFTER = f"SELECT id, {_META} FROM pages WHERE topic = ? AND collected_at >= ? AND id > ? ORDER BY id LIMIT ?"
_URLS_AFTER = "SELECT id, url FROM pages WHERE topic = ? AND id > ? ORDER BY id LIMIT ?"
_META_OF = f"SELECT {_META} FROM pages WHERE topic = ? AND url_hash IN ({{marks}})"
_WAYS_AFTER = (
    f"SELECT id, host, port, referrer, {ORIGINAL_HIT} FROM pages WHERE topic = ? AND id > ? ORDER BY id LIMIT ?"
)
_SCORERS = "SELECT DISTINCT scorer FROM pages WHERE topic = ? ORDER BY scorer"
_SCORED = """SELECT url, relevance FROM pages
    WHERE topic = ? AND scorer = ? AND duplicate_of = '' AND (on_topic = 1 OR relevance < threshold)"""
_CHANGES_AFTER = (
    f"SELECT id, {', '.join(CHANGE_READ)} FROM changes WHERE topic = ? AND seen_at >= ? AND id > ? ORDER BY id LIMIT ?"
)
_HIT = f"pages.topic = ? AND pages.on_topic = 1 AND pages.type <> '{HUB}'"
_CHANGED_HITS = f"""SELECT url, title, seen_at, changes.content_hash, added, removed
    FROM changes JOIN pages ON pages.topic = changes.topic AND pages.url_hash = changes.url_hash
    WHERE is_changed = 1 AND {_HIT} ORDER BY changes.id DESC LIMIT ?"""
_NEW_HITS = f"""SELECT url, title, first_seen FROM pages WHERE {_HIT} AND duplicate_of = ''
    AND first_seen >= ? ORDER BY id DESC LIMIT ?"""
_TEXT_OF = "SELECT title, body FROM pages WHERE topic = ? AND url_hash = ?"
_LINKS_TO = f"SELECT {', '.join(LINK_READ)} FROM links WHERE topic = ? AND target_hash = ? ORDER BY score DESC, source_hash LIMIT ?"
_CRAWLS_NEWEST = (
    f"SELECT {', '.join(CRAWL_READ)} FROM crawls WHERE {{topics}} 1 = 1 ORDER BY started_at DESC, id DESC LIMIT ?"
)


class Store:
    """Pages of any number of topics; SQLite and MySQL keep the same promises. Calls block: use them in a worker thread (see store.writer).

    1. ``write`` is one transaction: all or nothing, and durable when it returns.
    2. Writing the same batch again changes nothing (promise S3): rows are keyed by (topic, hash of URL).
    3. Text is returned as it was written: any Unicode, 4-byte characters included; NUL and lone surrogates become U+FFFD.
    4. URLs are distinguished by case, accents and trailing spaces.
    5. An unreachable database raises StoreUnavailable, without any password in its text.
    6. A hit that is a near-duplicate is stored with the URL of the topic's first such original in ``duplicate_of``. Copies that two
       processes write at the same moment may both become originals.
    7. An iterator loads its rows in batches; writes in between do not disturb it.
    """

    def __init__(self, database: Database, now: Callable[[], int] = time.time_ns) -> None:
        self.database = database
        self._now = now
        self.round_began_at = ""
        """Start of the recrawl that writes (ISO 8601), or "". A page seen since then is revisited only after the recrawl was killed."""
        self._near_copies: NearDuplicates | None = None

    def write(self, batch: Batch) -> Copies:
        """Writes a batch and returns which of its pages are copies; if it raises BadRow or StoreUnavailable, nothing was written."""
        from topicspider.store.near_duplicates import NearDuplicates  # needs numpy; reading does not

        if self._near_copies is None:
            self._near_copies = NearDuplicates(self.database.read)
        batch = replace(batch, pages=self._near_copies.with_originals(batch.pages))
        now = self._now() // 1000
        written = (
            (PAGES, [page_values(row, now) for row in batch.pages]),
            (LINKS, [link_values(row) for row in batch.links]),
            (CRAWLS, [crawl_values(row) for row in batch.crawls]),
            (CHANGES, list(self._seen_again(batch))),
        )
        changes = [to.change(self.database.dialect, rows) for to, rows in written if rows]
        if batch.visits:
            set_visit = SET_VISIT.format(to_come=self.database.dialect.to_come)
            changes.append((set_visit, sorted(map(visit_values, batch.visits), key=itemgetter(3, 4))))
        if batch.checks:
            changes.append((SET_SCHEDULE, sorted(map(schedule_values, batch.checks), key=itemgetter(2, 3))))
        if changes:
            self.database.write(changes)
        copies = (row.item for row in batch.pages if row.simhash and row.item.duplicate_of)
        return {(item.topic, item.url): item.duplicate_of for item in copies}

    def _seen_again(self, batch: Batch) -> Iterator[Values]:
        """The rows of the change log for those pages of the batch that the store already has: one row per visit."""
        pages = {(clean(row.item.topic), url_hash(row.item.url)): row for row in batch.pages}
        for row, before, last_seen, _, _, title in self._stored(pages):
            if self._is_earlier(last_seen, row.item.fetched_at):
                item, content = row.item, content_hash(row)
                is_changed = before not in (0, content, *hashes_under(title, item))
                texts = self._texts(item) if is_changed and row.on_topic else ()
                yield change_values(item.topic, item.url, item.fetched_at, content, row.simhash, is_changed, texts)
        visits = {(clean(row.topic), url_hash(row.url)): row for row in batch.visits}
        for visit, before, last_seen, simhash, status, _ in self._stored(visits):
            if self._is_earlier(last_seen, visit.seen_at):
                # an older version may have stored the hash 0, which would mean that the page is gone
                content, simhash = (0, 0) if visit.is_gone else (before or 1, simhash)
                is_changed = visit.is_gone != (status in GONE)  # it went, or came back
                yield change_values(visit.topic, visit.url, visit.seen_at, content, simhash, is_changed)

    def _is_earlier(self, last_seen: str, seen_at: str) -> bool:
        """Whether a page was last seen before the visit at ``seen_at``, or in the future, by a clock that was ahead (see Upsert)."""
        to_come = datetime.fromtimestamp(self._now() / 1e9 + 2 * 86_400, UTC).date().isoformat()
        return last_seen < (self.round_began_at or seen_at) or seen_at <= to_come < last_seen

    def _texts(self, item: PageItem) -> Sequence[str]:
        """(stored title and body, current title and body); () when the store has no body, as for misses."""
        ((title, body),) = self.database.read(_TEXT_OF, (clean(item.topic), url_hash(item.url)))
        return (f"{title}\n{body}", f"{item.title}\n{item.body}") if body else ()

    def _stored(self, sought: Mapping[tuple[str, bytes], _T]) -> Iterator[tuple[_T, int, str, int, int, str]]:
        """Those of ``sought`` that are stored, each with the stored content hash, last_seen, simhash, status and title."""
        for topic, keys in groupby(sorted(sought), key=itemgetter(0)):
            rows = self._among(_STORED, (topic,), [mark for _, mark in keys])
            for mark, content, last_seen, simhash, status, title in rows:
                yield sought[topic, bytes(mark)], int(content), last_seen, int(simhash), int(status), str(title)

    def page(self, topic: str, url: str) -> PageRow | None:
        """The page of that canonical URL, or None."""
        rows = self.database.read(_PAGE_OF, (clean(topic), url_hash(url)))
        return page_row(rows[0]) if rows else None

    def all_hits(self, topic: str = "") -> Iterator[PageRow]:
        sql, first = of_topics(_HITS_AFTER, topic)
        return map(page_row, self._each(sql, first, PAGES_AT_ONCE))

    def originals(self, topic: str, limit: int) -> list[tuple[str, int]]:
        """(URL, simhash) of the newest ``limit`` hits that have a simhash and are no copies, newest first."""
        return [(url, int(simhash)) for url, simhash in self.database.read(_ORIGINALS, (clean(topic), limit))]

    def written(self, topics: Sequence[str] = ()) -> Mapping[int, int]:
        """Number of each hit of ``topics`` (none: all) to when it was last written, in microseconds since 1970 (0: by an older version)."""
        return {int(number): int(at) for number, at in self._of_topics(_WRITTEN, topics)}

    def topics(self) -> list[str]:
        """The topics that have pages, sorted."""
        return [topic for (topic,) in self.database.read("SELECT DISTINCT topic FROM pages ORDER BY topic")]

    def last_written(self) -> int:
        """When a page was last written, in microseconds since 1970; 0 for an empty store."""
        return int(self.database.read("SELECT COALESCE(MAX(written_at), 0) FROM pages")[0][0])

    def numbered(self, numbers: Sequence[int]) -> list[NumberedPage]:
        """The hits with these numbers, in this order; pass at most some hundred at once."""
        rows = self._among(_NUMBERED, (), numbers)
        found = {int(number): NumberedPage(int(number), int(at), page_row(row)) for number, at, *row in rows}
        return [found[number] for number in numbers if number in found]

    def links_from(self, topic: str, url: str, limit: int = 100) -> list[LinkRow]:
        """Sampled links of a page, best first."""
        return [link_row(row) for row in self.database.read(_LINKS_FROM, (clean(topic), url_hash(url), limit))]

    def links_to(self, topic: str, url: str, limit: int = 100) -> list[LinkRow]:
        """Sampled links to a page, best first."""
        return [link_row(row) for row in self.database.read(_LINKS_TO, (clean(topic), url_hash(url), limit))]

    def totals(self, topics: str | Sequence[str] = "") -> Totals:
        return Totals(*(int(count) for count in self._of_topics(_TOTALS, topics)[0]))

    def crawls(self, topic: str = "", limit: int = 20) -> list[CrawlRow]:
        return [CrawlRow(*row) for row in self._of_topics(_CRAWLS_NEWEST, topic, limit)]

    def page_meta(self, topic: str, collected_since: float = 0.0) -> Iterator[PageMeta]:
        """The topic's pages, hits and misses, without text, in stored order: those collected at that time (seconds since 1970) or later."""
        rows = self._each(_META_AFTER, (clean(topic), collected_since), ROWS_AT_ONCE)
        return (page_meta(clean(topic), row) for row in rows)

    def urls(self, topic: str) -> Iterator[str]:
        """The URLs of all pages of the topic, in stored order."""
        return (url for (url,) in self._each(_URLS_AFTER, (clean(topic),), ROWS_AT_ONCE))

    def ways(self, topic: str) -> Iterator[Sequence[Any]]:
        """(host, port, referrer, is it a hit and neither copy nor hub?) of every page of the topic, in stored order."""
        return self._each(_WAYS_AFTER, (clean(topic),), ROWS_AT_ONCE)

    def scored(self, topic: str, scorer: str) -> list[ScoredPage]:
        """The pages that ``scorer`` judged by score alone: without copies, and without misses whose score reached the threshold."""
        return [ScoredPage._make(row) for row in self.database.read(_SCORED, (clean(topic), scorer))]

    def scorers(self, topic: str) -> list[str]:
        """The scorers that have judged the topic's pages, sorted."""
        return [name for (name,) in self.database.read(_SCORERS, (clean(topic),))]

    def page_meta_of(self, topic: str, urls: Sequence[str]) -> list[PageMeta]:
        """The PageMeta of ``urls``, at most some hundred, in no order."""
        rows = self._among(_META_OF, (clean(topic),), [url_hash(url) for url in urls])
        return [page_meta(clean(topic), row) for row in rows]

    def change_log(self, topic: str, since: str = "") -> Iterator[ChangeRow]:
        """The topic's change log: visits to known pages from ``since`` (ISO 8601) on, in the order of writing."""
        rows = self._each(_CHANGES_AFTER, (clean(topic), since), ROWS_AT_ONCE)
        return (
            ChangeRow(bytes(mark), seen_at, content, simhash, bool(changed))
            for mark, seen_at, content, simhash, changed in rows
        )

    def changed_hits(self, topic: str, limit: int = 100) -> list[ChangedHit]:
        """The topic's hits that changed or were gone when revisited, and those that are new since the first revisit; newest first."""
        changed = map(changed_hit, self.database.read(_CHANGED_HITS, (clean(topic), limit)))
        ((began,),) = self.database.read("SELECT MIN(seen_at) FROM changes WHERE topic = ?", (clean(topic),))
        new = self.database.read(_NEW_HITS, (clean(topic), began, limit)) if began else ()
        found = [*changed, *(ChangedHit("new", *row) for row in new)]
        return sorted(found, key=attrgetter("seen_at"), reverse=True)[:limit]

    def kept_links(self, crawl: str) -> Iterator[tuple[str, str, float]]:
        """(page, URL, score) of the crawl's sampled links that were kept, i.e. queued."""
        return (
            (page, url, float(score)) for page, url, score in self._each(_KEPT_LINKS, (clean(crawl),), ROWS_AT_ONCE)
        )

    def known(self, topic: str, urls: Sequence[str]) -> set[str]:
        """Those of ``urls`` (at most some hundred) of which the topic has a page."""
        return {url for url, *_ in self._stored({(clean(topic), url_hash(url)): url for url in urls})}

    def close(self) -> None:
        self.database.close()

    def _each(self, sql: str, values: Sequence[Any], at_once: int) -> Iterator[Sequence[Any]]:
        """All rows of a query for (id, …), read in batches in the order of ids, and yielded without the id."""
        last_id = 0
        while rows := self.database.read(sql, (*values, last_id, at_once)):
            yield from (row[1:] for row in rows)
            last_id = rows[-1][0]

    def _among(self, sql: str, values: Sequence[Any], sought: Sequence[Any]) -> Rows:
        marks = ", ".join("?" for _ in sought)
        return self.database.read(sql.format(marks=marks), (*values, *sought)) if sought else ()

    def _of_topics(self, template: str, topics: str | Sequence[str], *values: int) -> Rows:
        sql, first = of_topics(template, topics)
        return self.database.read(sql, (*first, *values))


def of_topics(sql: str, topics: str | Sequence[str]) -> tuple[str, list[str]]:
    """(``sql`` with ``{topics}`` replaced by a condition for one or several topics, none for all; its parameters, which come first).

    ``{topics_unsought}`` is the same condition with a plus, which keeps SQLite from using an index on the topic.
    """
    names = list(dict.fromkeys(map(clean, filter(None, [topics] if isinstance(topics, str) else topics))))
    among = f"topic IN ({', '.join('?' for _ in names)}) AND" if names else ""
    return sql.format(topics=among, topics_unsought=among and f"+{among}"), names
