"""The store contract over any SQL connection: which statements make up each call."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from topicspider.store import queries
from topicspider.store.queries import Dialect
from topicspider.store.rows import (
    Batch,
    ChangeRow,
    Copies,
    CrawlRow,
    DuePage,
    HostRow,
    LinkRow,
    NoPageResponse,
    NumberedPage,
    PageMeta,
    PageRow,
    PageVerdict,
    RecrawlSchedule,
    Totals,
    Values,
    Written,
    change_row,
    change_values,
    check_values,
    clean,
    crawl_row,
    crawl_values,
    link_row,
    link_values,
    page_meta,
    page_row,
    page_values,
    url_hash,
    visit_change_values,
    visit_values,
)

if TYPE_CHECKING:
    from topicspider.store.near_duplicates import NearDuplicates

_PAGES_AT_ONCE = 50  # a page may hold 1 MB of text
_META_ROWS = 2000
_WRITTEN_AT_ONCE = 5000

Rows = Sequence[tuple[Any, ...]]


class Database(Protocol):
    """One connection, safe to call from several threads, one call at a time.

    1. ``write`` does all statements in one transaction, or none; it is durable when it returns.
    2. An unreachable database raises StoreUnavailable, values it refuses raise BadRow.
    3. A connection that broke since the last call is opened again by the next.
    """

    dialect: Dialect

    def write(self, changes: Sequence[tuple[str, Rows]]) -> None:
        """Run each statement (in the markers of the dialect) for each of its rows."""

    def read(self, sql: str, values: Sequence[Any] = ()) -> Rows:
        """The rows of a query (markers are ``?``)."""

    def close(self) -> None:
        """Give the connection back."""


class RelationalStore:
    """A Store on a Database; see contract.py for what each call promises."""

    def __init__(self, database: Database, now: Callable[[], int] = time.time_ns) -> None:
        self._database = self.database = database
        self._now = now
        self._near_copies: NearDuplicates | None = None
        upserts = (queries.PAGES, queries.LINKS, queries.CRAWLS, queries.CHANGES)
        self._pages, self._links, self._crawls, self._changes = (upsert.sql(database.dialect) for upsert in upserts)
        self._check = queries.CHECK.format(marker=database.dialect.marker)
        self._visit = queries.VISIT.format(marker=database.dialect.marker)

    def write(self, batch: Batch) -> Copies:
        """Write a batch in one transaction; raises BadRow or StoreUnavailable, and then wrote nothing."""
        from topicspider.store.near_duplicates import (  # need numpy, which reading alone does not
            NearDuplicates,
            duplicates,
        )

        if self._near_copies is None:
            self._near_copies = NearDuplicates(self._database.read)
        batch = replace(batch, pages=self._near_copies.mark(batch.pages))
        values_now = partial(page_values, written_at=self._now() // 1000)
        encoded = (
            (self._pages, map(values_now, batch.pages)),
            (self._links, map(link_values, batch.links)),
            (self._crawls, map(crawl_values, batch.crawls)),
            (self._changes, [*self._collected_again(batch.pages), *self._visited_again(batch.visits)]),
        )
        # two writers that lock the same rows in the same order do not deadlock: keys come first
        sorted_rows = [(sql, sorted(rows, key=lambda row: row[:3])) for sql, rows in encoded]
        sorted_rows.append((self._visit, sorted(map(visit_values, batch.visits), key=lambda row: row[3:])))
        sorted_rows.append((self._check, sorted(map(check_values, batch.checks), key=lambda row: row[2:])))
        changes: list[tuple[str, Rows]] = [(sql, rows) for sql, rows in sorted_rows if rows]
        if changes:
            self._database.write(changes)
        return duplicates(batch.pages)

    def _collected_again(self, pages: Sequence[PageRow]) -> Iterator[Values]:
        """What the change log gets of those ``pages`` that the store has from an earlier time."""
        by_topic: dict[str, dict[bytes, PageRow]] = {}
        for row in pages:
            by_topic.setdefault(clean(row.item.topic), {})[url_hash(row.item.url)] = row
        for topic, rows in by_topic.items():
            for mark, content_before, last_seen, *_ in self._as_stored(topic, tuple(rows)):
                row = rows[bytes(mark)]
                if last_seen < row.item.fetched_at:
                    yield change_values(topic, bytes(mark), row, int(content_before))

    def _visited_again(self, visits: Sequence[NoPageResponse]) -> Iterator[Values]:
        """What the change log gets of ``visits`` that brought no page."""
        by_topic: dict[str, dict[bytes, NoPageResponse]] = {}
        for row in visits:
            by_topic.setdefault(clean(row.topic), {})[url_hash(row.url)] = row
        for topic, rows in by_topic.items():
            for mark, content, last_seen, simhash, status in self._as_stored(topic, tuple(rows)):
                row = rows[bytes(mark)]
                if last_seen < row.seen_at:
                    yield visit_change_values(row, int(content), int(simhash), int(status))

    def _as_stored(self, topic: str, hashes: Sequence[bytes]) -> Rows:
        sql = queries.KNOWN.format(hashes=", ".join("?" for _ in hashes))
        return self._database.read(sql, (topic, *hashes))

    def page(self, topic: str, url: str) -> PageRow | None:
        """The page of that canonical URL, or None."""
        rows = self._database.read(queries.PAGE, (clean(topic), url_hash(url)))
        return page_row(rows[0]) if rows else None

    def hits(self, topic: str = "", limit: int = 20, offset: int = 0) -> list[PageRow]:
        """Hits, best first, equal ones newest first; all topics when ``topic`` is empty."""
        return [page_row(row) for row in self._of_topic(queries.HITS, topic, limit, offset)]

    def all_hits(self, topic: str = "") -> Iterator[PageRow]:
        """Every hit, in stored order; writes in between disturb nothing."""
        last_id = 0
        while rows := self._of_topic(queries.HITS_AFTER, topic, last_id, _PAGES_AT_ONCE):
            yield from (page_row(values) for _, *values in rows)
            last_id = rows[-1][0]

    def originals(self, topic: str, limit: int) -> list[tuple[str, int]]:
        """(URL, simhash) of the newest ``limit`` hits that have a simhash and are no copies, newest first."""
        rows = self._database.read(queries.ORIGINALS, (clean(topic), limit))
        return [(url, int(simhash)) for url, simhash in rows]

    def verdicts(self, topic: str) -> Iterator[PageVerdict]:
        """Every judged page of the topic, in stored order; writes in between disturb nothing."""
        last_id, name = 0, clean(topic)
        while rows := self._database.read(queries.VERDICTS_AFTER, (name, last_id, _META_ROWS)):
            for _, url, relevance, on_topic, threshold, scorer, is_copy in rows:
                yield PageVerdict(url, float(relevance), bool(on_topic), float(threshold), scorer, bool(is_copy))
            last_id = rows[-1][0]

    def written(self, topics: Sequence[str] = (), since: int = 0) -> Iterator[Written]:
        """The pages last written at ``since`` or later, in the order of that time; writes in between disturb nothing."""
        at, last_id = since, 0
        while rows := self._of_topics(queries.WRITTEN_AT, topics, at, last_id, _WRITTEN_AT_ONCE) or self._of_topics(
            queries.WRITTEN_AFTER, topics, at, _WRITTEN_AT_ONCE
        ):
            for last_id, at, is_hit in rows:
                yield Written(int(last_id), int(at), bool(is_hit))

    def numbered(self, numbers: Sequence[int]) -> list[NumberedPage]:
        """The hits that have these numbers, in their order."""
        if not numbers:
            return []
        sql = queries.NUMBERED.format(ids=", ".join("?" for _ in numbers))
        rows = self._database.read(sql, list(numbers))
        found = {int(number): NumberedPage(int(number), int(at), page_row(row)) for number, at, *row in rows}
        return [found[number] for number in numbers if number in found]

    def hit_count(self, topics: Sequence[str] = ()) -> int:
        """How many hits some topics have, or all."""
        return int(self._of_topics(queries.HIT_COUNT, topics)[0][0])

    def links_from(self, topic: str, url: str, limit: int = 100) -> list[LinkRow]:
        """Sampled links of a page, best first."""
        rows = self._database.read(queries.LINKS_FROM, (clean(topic), url_hash(url), limit))
        return [link_row(row) for row in rows]

    def totals(self, topic: str = "") -> Totals:
        """Counts for one topic, or for all."""
        return Totals(*(int(count) for count in self._of_topic(queries.TOTALS, topic)[0]))

    def hosts(self, topic: str = "", limit: int = 100) -> list[HostRow]:
        """Hosts with what they gave, most hits first."""
        rows = self._of_topic(queries.HOSTS, topic, limit)
        return [HostRow(host, int(pages), int(hits), latest) for host, pages, hits, latest in rows]

    def crawls(self, topic: str = "", limit: int = 20) -> list[CrawlRow]:
        """Runs, newest first."""
        return [crawl_row(row) for row in self._of_topic(queries.CRAWLS_NEWEST, topic, limit)]

    def due(self, topic: str, now: float, limit: int = 1000) -> list[DuePage]:
        """Pages that are not checked, or whose update cycle is over at ``now``, those that waited longest first."""
        name = clean(topic)
        return [
            DuePage(RecrawlSchedule(name, url, float(cycle), bool(checked)), float(at), etag, modified)
            for url, cycle, checked, at, etag, modified in self._database.read(queries.DUE, (name, now, limit))
        ]

    def changes(self, topic: str, url: str = "", limit: int = 1000) -> list[ChangeRow]:
        """What was seen when pages of the topic, or that page, were collected again, oldest first."""
        sql = queries.CHANGES_OF.format(url="AND url_hash = ?" if url else "")
        of_url = (url_hash(url),) if url else ()
        rows = self._database.read(sql, (clean(topic), *of_url, limit))
        return [change_row(row) for row in rows]

    def page_meta(self, topic: str, collected_since: float = 0.0) -> Iterator[PageMeta]:
        """Every page of the topic without its text, in stored order; writes in between disturb nothing."""
        last_id, name = 0, clean(topic)
        sql, first = (
            (queries.META_SINCE, (name, collected_since)) if collected_since > 0 else (queries.META_AFTER, (name,))
        )
        while rows := self._database.read(sql, (*first, last_id, _META_ROWS)):
            yield from (page_meta(name, values) for _, *values in rows)
            last_id = rows[-1][0]

    def page_meta_of(self, topic: str, urls: Sequence[str]) -> list[PageMeta]:
        """Those of ``urls``, some hundred at most, in no order."""
        name, marks = clean(topic), [url_hash(url) for url in urls]
        sql = queries.META_OF.format(hashes=", ".join("?" for _ in marks))
        return [page_meta(name, values) for values in self._database.read(sql, (name, *marks))] if marks else []

    def change_log(self, topic: str, since: str = "") -> Iterator[ChangeRow]:
        """The topic's changes from ``since`` on, in written order; writes in between disturb nothing."""
        last_id, name = 0, clean(topic)
        while rows := self._database.read(queries.CHANGES_AFTER, (name, since, last_id, _META_ROWS)):
            yield from (change_row(values) for _, *values in rows)
            last_id = rows[-1][0]

    def known(self, topic: str, urls: Sequence[str]) -> set[str]:
        """Those of ``urls``, some hundred at most, that the topic has a page of."""
        marks = {url_hash(url): url for url in urls}
        rows = self._as_stored(clean(topic), tuple(marks)) if marks else ()
        return {marks[bytes(mark)] for mark, *_ in rows}

    def close(self) -> None:
        """Give the connection back."""
        self._database.close()

    def _of_topic(self, template: str, topic: str, *values: int) -> Rows:
        text, first = queries.of_topic(template, clean(topic))
        return self._database.read(text, (*first, *values))

    def _of_topics(self, template: str, topics: Sequence[str], *values: int) -> Rows:
        text, first = queries.of_topics(template, [clean(topic) for topic in topics])
        return self._database.read(text, (*first, *values))
