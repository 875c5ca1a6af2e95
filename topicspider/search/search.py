"""Answers a query: the pages found with their snippets, how many there are, facets, and what was probably meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from topicspider.search import SORTS, matching, spelling
from topicspider.search.query import Query, read_query, respelt
from topicspider.search.snippets import Snippet, marked, snippet, words_to_mark
from topicspider.search.words import words_asked
from topicspider.store.store import PAGES_AT_ONCE

if TYPE_CHECKING:
    from topicspider.search.index import SearchIndex
    from topicspider.search.matching import Facets
    from topicspider.store.rows import NumberedPage, PageRow
    from topicspider.store.store import Store


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A query and how its answer shall be: the sort (see search.SORTS), how many hits from which on, near-duplicates as hits of their own, facets."""

    text: str = ""
    sort: str = SORTS[0]
    limit: int = 20
    offset: int = 0
    copies: bool = False
    facets: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """One page found: as the store has it, with its title and a piece of its text in which the words asked for are marked."""

    row: PageRow
    title: Snippet
    snippet: Snippet
    copies: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a query leads to. ``total`` counts all hits; ``is_relaxed``: no page has all the words, these have some of them.

    ``suggestion``: the query with its misspelt words put right, "" when there is nothing to say; ``ignored_filters``: see Query. ``is_empty_query``:
    there is nothing in the query that is looked for, only marks and particles.
    """

    query: Query
    hits: Sequence[Hit] = ()
    total: int = 0
    is_relaxed: bool = False
    suggestion: str = ""
    ignored_filters: Sequence[str] = ()
    facets: Facets = field(default_factory=dict)
    is_empty_query: bool = False


class Search:
    """Searches the hits of a store by its index, which the caller keeps up to date; ``topics``: only those of these; calls block."""

    def __init__(self, index: SearchIndex, store: Store, topics: Sequence[str] = ()) -> None:
        self._index = index
        self._store = store
        self._topics = topics

    def answer(self, asked: SearchRequest) -> Answer:
        """The answer; never an error for what is in the text, StoreUnavailable when index or store cannot be read."""
        query = read_query(asked.text)
        words = words_asked(self._index.segmenter, query.terms)
        meant = matching.condition(self._index, query, self._topics)
        total, found = self._found(meant, asked)
        is_relaxed = not total and len(words) > 1
        if is_relaxed:
            meant = matching.condition(self._index, query, self._topics, joined_by="OR")
            total, found = self._found(meant, asked)
        return Answer(
            query,
            self._hits(found, words_to_mark(words), asked),
            total,
            is_relaxed and total > 0,
            self._meant(query, words),
            query.ignored_filters,
            matching.facets(self._index, meant, copies=asked.copies) if asked.facets else {},
            is_empty_query=meant.is_nothing,
        )

    def rows(self, asked: SearchRequest) -> Iterator[PageRow]:
        """All pages with all the words asked for, in the order of the sort, without loading all at once."""
        meant = matching.condition(self._index, read_query(asked.text), self._topics)
        _, found = matching.found(self._index, meant, asked.sort, copies=asked.copies)
        return (page.row for page in self._pages([one.number for one in found]))

    def _found(self, meant: matching.Condition, asked: SearchRequest) -> tuple[int, list[matching.Match]]:
        end = asked.offset + asked.limit
        total, found = matching.found(self._index, meant, asked.sort, copies=asked.copies, limit=500)
        if len(found) < min(total, end):  # then all
            total, found = matching.found(self._index, meant, asked.sort, copies=asked.copies)
        return total, found[asked.offset : end]

    def _hits(self, found: Sequence[matching.Match], words: tuple[str, ...], asked: SearchRequest) -> list[Hit]:
        originals = {one.number: one.original for one in found}
        copies = {} if asked.copies else matching.duplicates_of(self._index, list(originals.values()))
        return [
            Hit(
                page.row,
                marked(page.row.item.title, words),
                snippet(page.row.item.body, words),
                copies.get(originals[page.number], 0),
            )
            for page in self._pages(list(originals))
        ]

    def _pages(self, numbers: Sequence[int]) -> Iterator[NumberedPage]:
        for start in range(0, len(numbers), PAGES_AT_ONCE):
            yield from self._store.numbered(numbers[start : start + PAGES_AT_ONCE])

    def _meant(self, query: Query, words: Sequence[tuple[str, ...]]) -> str:
        """The query in which words that are in no page are exchanged for those that sound or look alike."""
        text = ""
        for word in [some[0] for some in words if len(some) == 1][:6]:
            if other := spelling.suggestion(self._index, word):
                text = respelt(text or query.text, word, other)
        return text
