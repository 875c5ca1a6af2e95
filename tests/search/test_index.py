"""The index follows its store: what changes is found as after a rebuild, and a useless file is made anew."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from support.store_rows import page
from tests.search.conftest import Library, hit
from topicspider.errors import StoreUnavailable
from topicspider.search.index import SearchIndex
from topicspider.search.search import Search, SearchRequest
from topicspider.store.rows import Batch
from topicspider.store.sqlite import SqliteDatabase
from topicspider.store.store import Store
from topicspider.text.segment import Segmenter

WORDS = ["桂林", "漓江", "旅游", "门票", "酒店", "hotel", "研究生命", "王小波", "山水", "竹筏"]


def contents(index: SearchIndex) -> list[object]:
    """What is in the index, whatever way it got there."""
    index.read("CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, words, row)")
    return [
        index.read("SELECT * FROM pages ORDER BY number"),
        index.read("SELECT * FROM texts ORDER BY place"),
        index.read("SELECT term, doc, cnt FROM vocabulary ORDER BY term"),
    ]


def test_step_by_step_gives_what_a_rebuild_gives(any_library: Library, segmenter: Segmenter) -> None:
    """New, changed, worse (off topic now) and unchanged pages, in random order."""
    rng = random.Random(3)
    for step in range(12):
        rows = [
            hit(
                str(rng.randrange(30)),
                rng.choice(WORDS),
                "".join(rng.choices(WORDS, k=8)),
                on_topic=rng.random() < 0.8,
                fetched_at=f"2026-11-21T05:{step:02}:00Z",
            )
            for _ in range(rng.randrange(1, 12))
        ]
        any_library.put(*{row.item.url: row for row in rows}.values())
    with closing(SearchIndex(None, segmenter)) as anew:
        anew.refresh(any_library.store)
        assert contents(any_library.index) == contents(anew)
        assert anew.read("SELECT COUNT(*) FROM pages")[0][0] == any_library.store.totals().hits > 10
    any_library.index.read("INSERT INTO words (words) VALUES ('integrity-check')")
    assert any_library.index.refresh(any_library.store) == 0


def test_deleted_pages_are_found_no_more(library: Library) -> None:
    library.put(hit("1", "桂林"), hit("2", "桂林"))
    library.store.database.write([("DELETE FROM pages WHERE url LIKE ?", [("%/1",)])])
    library.put()
    assert library.find("桂林") == ["2"]


def test_only_the_topics_asked_for_are_indexed(library: Library, segmenter: Segmenter) -> None:
    library.put(hit("1", "桂林"), hit("2", "桂林", topic="food"), hit("3", "桂林", topic="sport"))
    with closing(SearchIndex(None, segmenter, topics=["food", "sport"])) as index:
        assert index.refresh(library.store) == 2
    with closing(SearchIndex(None, segmenter)) as index:
        index.refresh(library.store)
        assert [row.item.topic for row in Search(index, library.store, ["food"]).rows(SearchRequest("桂林"))] == [
            "food"
        ]


@pytest.mark.parametrize("damage", ["garbage", "of another store", "of another version", "another database", "cut"])
def test_a_file_that_is_of_no_use_is_made_anew(
    tmp_path: Path, segmenter: Segmenter, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "search.db"
    store = Store(SqliteDatabase(":memory:"))
    store.write(Batch(pages=[hit("1", "桂林"), page("http://b.example/", body="漓江" * 4000)]))
    with closing(SearchIndex(path, segmenter, "one")) as index:
        index.refresh(store)
    if damage == "garbage":
        path.write_bytes(b"no database at all" * 500)
    elif damage == "cut":
        path.write_bytes(path.read_bytes()[:5000])
    elif damage == "of another version":
        monkeypatch.setattr("topicspider.search.index.VERSION", 99)
    elif damage == "another database":
        path.unlink()
        with closing(sqlite3.connect(path)) as other:
            other.execute("CREATE TABLE notes (x)")
            other.commit()
    with closing(SearchIndex(path, segmenter, "other" if damage == "of another store" else "one")) as index:
        assert index.refresh(store) == 2
        assert Search(index, store).answer(SearchRequest("桂林")).total == 2
    store.close()


def test_two_processes_may_keep_one_index(tmp_path: Path, segmenter: Segmenter) -> None:
    store = Store(SqliteDatabase(":memory:"))
    with (
        closing(SearchIndex(tmp_path / "s.db", segmenter)) as one,
        closing(SearchIndex(tmp_path / "s.db", segmenter)) as two,
    ):
        store.write(Batch(pages=[hit("1", "桂林")]))
        assert (one.refresh(store), two.refresh(store)) == (1, 0)
        store.write(Batch(pages=[hit("2", "桂林")]))
        assert (two.refresh(store), one.refresh(store)) == (1, 0)
        assert Search(one, store).answer(SearchRequest("桂林")).total == 2
    store.close()


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path, segmenter: Segmenter) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnavailable, match="search index"):
        SearchIndex(tmp_path / "file" / "search.db", segmenter)
