"""Answers a query: the pages found, with snippets, their number, and facets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, zip_longest
from operator import itemgetter
from typing import Any

from topicspider.items import HUB
from topicspider.search import SORTS
from topicspider.search.index import SearchIndex, original_of
from topicspider.search.query import Filter, Query, read_query
from topicspider.search.snippets import Snippet, marked, snippet, words_to_mark
from topicspider.search.words import expression, words_asked
from topicspider.store.database import Rows
from topicspider.store.rows import NumberedPage, PageRow
from topicspider.store.store import PAGES_AT_ONCE, Store
from topicspider.text.normalise import normalise

_CONDITIONS = {
    # LIKE would take _ for any character
    "site": "(host = ? OR site = ? OR SUBSTR(host, -1 - LENGTH(?)) = '.' || ?)",
    "topic": "topic = ?",
    # a book's markup often says product
    "type": "? IN (kind, CASE kind WHEN 'book' THEN kind ELSE type END)",
    "language": "language = ?",
    "after": "day >= ?",
    "before": "(day < ? AND day <> '')",
    "min": "relevance >= CAST(? AS REAL)",
}
# BM25 with the weights of body, title and the other words, chosen by hand and measured on known-item queries (docs/searching.md). At equal
# BM25 a page of relevance 1 scores up to 20 % higher than one of 0, and a page with a thousand links up to 5 % higher than one without
_BEST = "-bm25(words, 1.0, 4.0, 0.5) * (1.0 + 0.2 * relevance + 0.05 * link_rank)"
_WORTH = {"score": "relevance", "date": "day", "priority": "link_count"}
"""Sort to the SQL of a page's worth: larger values are shown first."""
_FIRST = {"date": "day DESC, number DESC", "priority": "link_count DESC, number DESC"}
"""Sort to the SQL of the order in which MOST_RANKED pages are taken; by default the order of the index, by relevance."""
_COUNTED = ("topic", "site", "day", "kind || ' ' || type", "language")
_FACETS: Mapping[str, Callable[[str], Iterable[str]]] = {
    "topic": lambda value: filter(None, [value]),
    "site": lambda value: filter(None, [value]),
    "year": lambda day: filter(None, [day[:4]]),
    "type": lambda both: set(filter(None, ["book"] if both.startswith("book ") else both.split(" ", 1))),
    "language": lambda value: filter(None, [value]),
}
"""Facet to the function that yields a page's values from the column of _COUNTED at the same place; a count equals what its filter finds."""
MOST_RANKED = 5_000
"""Most matching pages that are ranked and counted: the most relevant, or the first of the sort. More would take longer than people wait,
and nobody looks at the five thousandth page."""

Facets = Mapping[str, Sequence[tuple[str, int]]]
"""Facet ("topic", "site", "year", "type", "language") to (value, number of pages), the most frequent first; years newest first."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A query, the sort (see search.SORTS), ``limit`` and ``offset`` of hits, near-duplicates as hits of their own?, facets?"""

    text: str = ""
    sort: str = SORTS[0]
    limit: int = 20
    offset: int = 0
    copies: bool = False
    facets: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """One page found: its row in the store, its title and a snippet with the query's words marked, its number of near-duplicates.

    ``worth`` is the value by which hits are sorted: a number, or a day.
    """

    row: PageRow
    title: Snippet
    snippet: Snippet
    copies: int = 0
    worth: Any = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a query. ``total``: the number of hits; with ``is_more`` only among the MOST_RANKED pages, and there are more.

    ``is_relaxed``: no page has all the words; these have some of them.
    ``is_empty_query``: the query contains nothing to search for, only punctuation and particles.
    """

    query: Query
    hits: Sequence[Hit] = ()
    total: int = 0
    is_more: bool = False
    is_relaxed: bool = False
    facets: Facets = field(default_factory=dict)
    is_empty_query: bool = False


@dataclass(frozen=True, slots=True)
class _CompiledQuery:
    """A query as SQL: ``source`` is FROM (without this word) and WHERE, ``values`` the parameters, ``order_by`` the row id: by relevance.

    ``words``: those searched for. ``is_nothing``: the text typed contains no word and no filter.
    """

    source: str
    order_by: str
    values: tuple[Any, ...]
    words: tuple[tuple[str, ...], ...]
    is_nothing: bool


_Found = Sequence[Any]
"""A row of the index: a page's number, its original (itself where near-duplicates are wanted), its worth, its facet columns."""


class Search:
    """Searches the hits of a store by its index, which the caller keeps up to date; ``topics``: only hits of these. Calls block.

    ``topic_called``: returns the name of a topic that a query names by a title or class number.
    """

    def __init__(
        self, index: SearchIndex, store: Store, topics: Sequence[str] = (), topic_called: Callable[[str], str] = str
    ) -> None:
        self._index = index
        self._store = store
        self._topics = topics
        self._topic_called = topic_called
        self._followed = -1

    def refresh(self, say: Callable[[int, int], None] = lambda done, total: None) -> None:
        """Updates the index if the store was written since the last call; ``say``: see SearchIndex.refresh."""
        written = self._store.last_written()
        if written != self._followed:
            self._index.refresh(self._store, say)
            self._followed = written

    def words_like(self, beginning: str, limit: int) -> list[str]:
        """Indexed words that start with ``beginning``, the most frequent first."""
        start = normalise(beginning).strip()
        sql = "SELECT term FROM vocabulary WHERE term > ? AND term < ? ORDER BY doc DESC LIMIT ?"
        return [term for (term,) in self._index.read(sql, (start, f"{start}\U0010ffff", limit))] if start else []

    def copies(self, topic: str, url: str) -> list[str]:
        """The URLs of the hits among the original at ``url`` and its near-duplicates, at most 100."""
        sql = "SELECT number FROM pages WHERE original = ? LIMIT 100"
        numbers = [number for (number,) in self._index.read(sql, (original_of(topic, url),))]
        return [page.row.item.url for page in self.pages(numbers)]

    def answer(self, asked: SearchRequest) -> Answer:
        """The answer; no text raises an error, but StoreUnavailable is raised when index or store cannot be read."""
        query = read_query(asked.text)
        most = max(MOST_RANKED, asked.offset + asked.limit)
        compiled = self._compile(query)
        rows = self._ranked(compiled, asked, most + 1)
        if is_relaxed := not rows and len(compiled.words) > 1:
            compiled = self._compile(query, "OR")
            rows = self._ranked(compiled, asked, most + 1)
        found = _originals(rows[:most])
        words = words_to_mark(compiled.words, self._index.languages)
        return Answer(
            query,
            self._hits(found[asked.offset : asked.offset + asked.limit], words, asked),
            len(found),
            len(rows) > most,
            is_relaxed and bool(found),
            _facets(rows[:most]) if asked.facets else {},
            is_empty_query=compiled.is_nothing,
        )

    def rows(self, asked: SearchRequest) -> Iterator[PageRow]:
        """All pages with all the words of the query, in the order of the sort, loaded in batches."""
        return (page.row for page in self.pages([number for number, _ in self.ranked(asked)]))

    def ranked(self, asked: SearchRequest) -> list[tuple[int, Any]]:
        """(number in the store, worth) of the pages that ``rows`` yields."""
        found = _originals(self._ranked(self._compile(read_query(asked.text)), replace(asked, facets=False), -1))
        return [(number, worth) for number, _original, worth in found]

    def _ranked(self, compiled: _CompiledQuery, asked: SearchRequest, limit: int) -> Rows:
        """(number, original, worth, …facets) of matching pages, all (-1) or the first ``limit``: best first, of equal ones the newest.

        One query to the full-text index yields everything, as that is most of the cost of an answer.
        """
        # without words, "best" means most relevant
        by = _WORTH.get(asked.sort, _BEST if compiled.words else "relevance")
        facets = "".join(f", {column}" for column in _COUNTED) if asked.facets else ""
        original = "number" if asked.copies else "original"
        sql = (
            f"SELECT * FROM (SELECT number, {original}, {by} AS worth{facets} FROM {compiled.source} "  # noqa: S608 - no text of a user is put into SQL
            f"ORDER BY {_FIRST.get(asked.sort, compiled.order_by)} LIMIT ?) ORDER BY worth DESC, number DESC"
        )
        return self._index.read(sql, (*compiled.values, limit))

    def _compile(self, query: Query, joined_by: str = "AND") -> _CompiledQuery:
        """``query`` as SQL; text without words and filters finds nothing, and hubs are found only by a filter for their type."""
        segmenter, languages = self._index.segmenter, self._index.languages
        words, excluded = words_asked(segmenter, query.terms), words_asked(segmenter, query.excluded)
        is_nothing = not (words or excluded or query.filters or query.is_empty)
        holds, values = ["0" if is_nothing else "1"], []
        without = expression(segmenter, excluded, "OR", languages) if excluded else ""
        if words:
            holds.append("words MATCH ?")
            sought = expression(segmenter, words, joined_by, languages)
            values.append(f"({sought}) NOT ({without})" if without else sought)
        elif without:
            holds.append("place NOT IN (SELECT rowid FROM words WHERE words MATCH ?)")
            values.append(without)
        for one in query.filters:
            clause = _CONDITIONS[one.name]
            holds.append(f"NOT {clause}" if one.is_excluded else clause)
            values += [self._value(one)] * clause.count("?")
        if Filter("type", HUB) not in query.filters:
            holds.append(f"type <> '{HUB}'")
        if self._topics:
            holds.append(f"topic IN ({', '.join('?' for _ in self._topics)})")
            values += map(normalise, self._topics)
        tables, first = ("words JOIN pages ON place = words.rowid", "words.rowid") if words else ("pages", "place")
        return _CompiledQuery(f"{tables} WHERE {' AND '.join(holds)}", first, tuple(values), tuple(words), is_nothing)

    def _value(self, one: Filter) -> str:
        """The value of a filter in the index; a topic that no page has may be another name of one."""
        if one.name != "topic" or self._index.read("SELECT 1 FROM pages WHERE topic = ? LIMIT 1", (one.value,)):
            return one.value
        return normalise(self._topic_called(one.value))

    def _hits(self, found: Sequence[_Found], words: tuple[str, ...], asked: SearchRequest) -> list[Hit]:
        rows = {row[0]: row for row in found}
        marks = ", ".join("?" for _ in found)
        sql = f"SELECT original, COUNT(*) - 1 FROM pages WHERE original IN ({marks}) GROUP BY original"  # noqa: S608
        copies: dict[int, int] = {} if asked.copies else dict(self._index.read(sql, [row[1] for row in found]))
        return [
            Hit(
                page.row,
                marked(page.row.item.title, words),
                snippet(page.row.item.body, words),
                copies.get(rows[page.number][1], 0),
                rows[page.number][2],
            )
            for page in self.pages(list(rows))
        ]

    def pages(self, numbers: Sequence[int]) -> Iterator[NumberedPage]:
        """The pages of the store with these numbers, in this order."""
        for start in range(0, len(numbers), PAGES_AT_ONCE):
            yield from self._store.numbered(numbers[start : start + PAGES_AT_ONCE])


def _originals(rows: Rows) -> list[_Found]:
    """The first row of each group of near-duplicates."""
    shown: dict[int, _Found] = {}
    for row in rows:
        shown.setdefault(row[1], row)
    return list(shown.values())


def _facets(rows: Rows) -> Facets:
    """The ten largest counts of each facet; near-duplicates count once, so that a count equals what its filter finds."""
    times = Counter(map(itemgetter(1), rows))
    alone = [row for row in rows if times[row[1]] == 1] if len(times) < len(rows) else rows
    alike = [row for row in rows if times[row[1]] > 1] if len(times) < len(rows) else ()
    found: dict[str, Counter[str]] = {name: Counter() for name in _FACETS}
    for column, (name, values_of) in enumerate(_FACETS.items(), start=3):
        for raw, pages in Counter(map(itemgetter(column), alone)).items():
            for value in values_of(raw):
                found[name][value] += pages
        found[name] += Counter(value for value, _original in {(v, row[1]) for row in alike for v in values_of(row[column])})  # fmt: skip
    return _joined([{name: [*counts.items()] for name, counts in found.items()}])


class JointSearch:
    """Searches several stores as one; near-duplicates are merged within each store only."""

    def __init__(self, searches: Sequence[Search]) -> None:
        self._searches = searches

    def answer(self, asked: SearchRequest) -> Answer:
        """As Search.answer, for all stores, best first. If some store has pages with all the words, pages with only some are left out."""
        if len(self._searches) == 1:
            return self._searches[0].answer(asked)
        end = asked.offset + asked.limit
        answers = [search.answer(replace(asked, offset=0, limit=end)) for search in self._searches]
        answers = [one for one in answers if one.total and not one.is_relaxed] or answers
        hits = sorted((hit for one in answers for hit in one.hits), key=lambda hit: hit.worth, reverse=True)
        total = sum(one.total for one in answers)
        facets = _joined([one.facets for one in answers]) if asked.facets else {}
        return replace(
            answers[0],
            hits=hits[asked.offset : end],
            total=total,
            is_more=any(one.is_more for one in answers),
            is_relaxed=any(one.is_relaxed for one in answers),
            facets=facets,
        )

    def rows(self, asked: SearchRequest) -> Iterator[PageRow]:
        """As Search.rows, for all stores in one order."""
        found = [(*hit, search) for search in self._searches for hit in search.ranked(asked)]
        found.sort(key=itemgetter(1), reverse=True)
        for search, some in groupby(found, key=itemgetter(2)):
            yield from (page.row for page in search.pages([number for number, *_ in some]))

    def words_like(self, beginning: str, limit: int) -> list[str]:
        words = (search.words_like(beginning, limit) for search in self._searches)
        return list(dict.fromkeys(word for row in zip_longest(*words) for word in row if word))[:limit]

    def copies(self, topic: str, url: str) -> list[str]:
        return list(dict.fromkeys(one for search in self._searches for one in search.copies(topic, url)))


def _joined(all_facets: Sequence[Facets]) -> Facets:
    joined = {}
    for name in _FACETS:
        counts: Counter[str] = Counter()
        for facets in all_facets:
            for value, count in facets.get(name, ()):
                counts[value] += count
        by_size = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
        joined[name] = (sorted(by_size, reverse=True) if name == "year" else by_size)[:10]
    return joined
