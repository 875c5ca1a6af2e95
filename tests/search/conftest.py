"""A store and an index over it, filled by the test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.store_rows import page
from topicspider.search.index import SearchIndex
from topicspider.search.search import Answer, Search, SearchRequest
from topicspider.store.location import open_store
from topicspider.store.rows import Batch, PageRow
from topicspider.store.sqlite import SqliteDatabase
from topicspider.store.store import Store
from topicspider.text.segment import Segmenter, make_segmenter


class Library:
    """Some hits and their index; ``find`` gives the URLs' last parts, in the order of the answer."""

    def __init__(self, store: Store, path: Path | None, segmenter: Segmenter) -> None:
        self.store = store
        self.index = SearchIndex(path, segmenter)
        self.search = Search(self.index, store)

    def put(self, *rows: PageRow) -> None:
        self.store.write(Batch(pages=rows))
        self.index.refresh(self.store)

    def answer(self, text: str, **asked: Any) -> Answer:
        return self.search.answer(SearchRequest(text, **asked))

    def find(self, text: str, **asked: Any) -> list[str]:
        return [hit.row.item.url.rpartition("/")[2] for hit in self.answer(text, **asked).hits]


def hit(name: str, title: str = "", body: str = "", **fields: Any) -> PageRow:
    """A hit at …/name."""
    url = f"http://{fields.get('host', 'a.example')}/{name}"
    return page(url, **{"title": title, "body": body, "duplicate_of": "", **fields})


@pytest.fixture(scope="session")
def segmenter() -> Segmenter:
    """One that no test changes."""
    return make_segmenter()


@pytest.fixture
def library(segmenter: Segmenter) -> Iterator[Library]:
    """An empty store and index, in memory."""
    made = Library(Store(SqliteDatabase(":memory:")), None, segmenter)
    yield made
    made.index.close()
    made.store.close()


@pytest.fixture(params=["sqlite", "mysql"])
def any_library(request: pytest.FixtureRequest, tmp_path: Path, segmenter: Segmenter) -> Iterator[Library]:
    """An index in a file over each kind of store."""
    url = request.getfixturevalue("mysql_database") if request.param == "mysql" else ""
    made = Library(open_store(url, tmp_path / "pages.db", 0), tmp_path / "search.db", segmenter)
    yield made
    made.index.close()
    made.store.close()
