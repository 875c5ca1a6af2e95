"""Finds the pages of an index that match a query, and counts them by topic, site, year and type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from topicspider.search import SORTS
from topicspider.search.words import expression, words_asked
from topicspider.text.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.search.index import SearchIndex
    from topicspider.search.query import Filter, Query


_CONDITIONS = {
    "site": "(pages.host = ?1 OR pages.site = ?1 OR pages.host LIKE '%.' || ?1)",
    "topic": "pages.topic = ?1",
    "type": "pages.type = ?1",
    "language": "pages.language = ?1",
    "after": "pages.day >= ?1",
    "before": "(pages.day < ?1 AND pages.day <> '')",
    "min": "pages.relevance >= CAST(?1 AS REAL)",
}

COLUMN_WEIGHTS = (1.0, 4.0, 0.5)
"""How much a word counts in body, title and the rest (BM25): chosen, and measured as they are on known-item queries (docs/search.md)."""
# a page of relevance 1 ranks so much better than one of 0, its words being equal; and so does one with a thousand links
_BEST = f"-bm25(words, {', '.join(map(str, COLUMN_WEIGHTS))}) * (1.0 + 0.2 * pages.relevance + 0.05 * pages.link_rank)"
_WORTH = {"score": "pages.relevance", "date": "pages.day", "priority": "pages.link_count"}
"""The SQL of a page's worth by the sort: the larger, the earlier it is shown."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Which pages are meant, as SQL: ``tables`` to read from, what must hold, and the values of its markers."""

    tables: str
    holds: str
    values: tuple[Any, ...]
    has_words: bool
    is_nothing: bool = False

    def sql(self, columns: str) -> str:
        """The query for ``columns`` of those pages."""
        return f"SELECT {columns} FROM {self.tables} WHERE {self.holds}"  # noqa: S608 - no text of a user is put into SQL


class Match(NamedTuple):
    """A page found, by its number in the store; ``original`` is shared by near-duplicates."""

    number: int
    original: int


NOTHING = Condition("pages", "0", (), has_words=False, is_nothing=True)


def condition(index: SearchIndex, query: Query, topics: Sequence[str] = (), *, joined_by: str = "AND") -> Condition:
    """What ``query`` asks for, of some ``topics`` only when there are any; NOTHING when something was typed in which there is no word and no filter."""
    asked = words_asked(index.segmenter, query.terms)
    excluded = words_asked(index.segmenter, query.excluded)
    if not (asked or excluded or query.filters or query.is_empty):
        return NOTHING
    holds, values, tables = ["1"], [], "pages"
    if asked:
        tables = "words JOIN pages ON pages.number = words.rowid"
        holds.append("words MATCH ?")
        values.append(expression(index.segmenter, asked, joined_by=joined_by))
    if excluded:
        holds.append("pages.number NOT IN (SELECT rowid FROM words WHERE words MATCH ?)")
        values.append(expression(index.segmenter, excluded, joined_by="OR"))
    for one in query.filters:
        clause, more = _filter(one)
        holds.append(clause)
        values += more
    if topics:
        holds.append(f"pages.topic IN ({', '.join('?' for _ in topics)})")
        values += map(normalise, topics)
    return Condition(tables, " AND ".join(holds), tuple(values), has_words=bool(asked))


def found(
    index: SearchIndex, meant: Condition, sort: str = SORTS[0], *, copies: bool = False, limit: int = -1
) -> tuple[int, list[Match]]:
    """How many pages are meant, and they (-1) or the first ``limit``, near-duplicates as one unless ``copies``, the best first, equal ones newest first.

    The full-text index is asked once for both: that is most of what an answer costs.
    """
    # without words, the best are the most relevant
    by = _WORTH.get(sort, _BEST if meant.has_words else "pages.relevance")
    counted = "COUNT(*)" if copies else "COUNT(DISTINCT original)"
    # a table of a WITH that is read twice is made once
    sql = (
        f"WITH found AS ({meant.sql(f'pages.number AS number, {by} AS worth, pages.original AS original')}) "  # noqa: S608
        f"SELECT number, original, (SELECT {counted} FROM found) FROM found ORDER BY worth DESC, number DESC LIMIT ?"
    )
    rows = index.read(sql, (*meant.values, limit))
    shown: dict[int, Match] = {}
    for number, original, _ in rows:
        shown.setdefault(number if copies else original, Match(number, original))
    return int(rows[0][2]) if rows else 0, list(shown.values())


def duplicates_of(index: SearchIndex, originals: Sequence[int]) -> dict[int, int]:
    """How many near-duplicates each page has in the index."""
    marks = ", ".join("?" for _ in originals)
    sql = f"SELECT original, COUNT(*) - 1 FROM pages WHERE original IN ({marks}) GROUP BY original"  # noqa: S608
    rows = index.read(sql, tuple(originals))
    return {int(original): int(number) for original, number in rows}


def _filter(one: Filter) -> tuple[str, list[str]]:
    clause = _CONDITIONS[one.name]
    values = [one.value] * clause.count("?1")
    clause = clause.replace("?1", "?")
    return (f"NOT {clause}" if one.is_excluded else clause), values


Facets = Mapping[str, Sequence[tuple[str, int]]]
"""What is counted by ("topic", "site", "year", "type") to (value, pages), the most frequent first; years newest first."""

_NAMES = ("topic", "site", "year", "type")
_COLUMNS = "pages.topic, pages.site, substr(pages.day, 1, 4), pages.type, pages.original"


def facets(index: SearchIndex, meant: Condition, *, copies: bool = False) -> Facets:
    """The counts of the pages meant, near-duplicates as one unless ``copies``; a page whose year is not known is counted in none."""
    rows = index.read(meant.sql(_COLUMNS), meant.values)
    return {name: _largest(name, [(str(row[at]), row[-1]) for row in rows], copies) for at, name in enumerate(_NAMES)}


def _largest(name: str, found: Sequence[tuple[str, int]], copies: bool) -> list[tuple[str, int]]:
    counts = Counter(value for value, _ in (found if copies else set(found)) if value)
    if name == "year":
        return sorted(counts.items(), reverse=True)[:10]
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:10]
