"""The log of a crawl is a web, whatever became of the crawl and whoever wrote the file."""

from __future__ import annotations

import json
import sqlite3

import pytest

from tests.rehearsal.webs_at_rest import page, redirect
from topicspider.errors import RecordingError
from topicspider.rehearsal.judges.seed_sets import checked_starts
from topicspider.rehearsal.pages.answers import Answer
from topicspider.rehearsal.pages.feature_file import FeatureFile, packed
from topicspider.rehearsal.pages.read_webs import open_read_web

HOME, OLD, DEAD, GONE = (f"http://{name}.example/" for name in ("gucheng", "old", "dead", "gone"))
ANSWERS = (
    Answer(GONE, 404),
    Answer(DEAD),
    redirect(OLD, HOME),
    page(HOME, f"{HOME}1", title=["古城"], body=["住宿", "门票"]),
    page(f"{HOME}1", body=["石板路"]),
)


@pytest.fixture
def log(tmp_path):
    """Makes a crawl.db with these answers, and facts over those of a crawl that has ended."""

    def make(*answers, **facts):
        file = FeatureFile.create(tmp_path / "crawl.db")
        file.add(map(packed, answers or ANSWERS))
        usual = {"segmenter": "rjieba", "started": "2026-01-01T00:00:00+00:00", "ended": "2026-01-01T00:00:09+00:00"}
        file.set_meta({**usual, "seeds": json.dumps([HOME]), **facts})
        file.finish()
        return str(tmp_path / "crawl.db")

    return make


def opened(path):
    return open_read_web(path, "rjieba")


@pytest.mark.parametrize(
    ("seeds", "kept"),
    [
        ([HOME, DEAD], [HOME]),
        ([DEAD, OLD, HOME], [OLD, HOME]),
        ([GONE, HOME], [HOME]),
        (["http://forbidden.example/", f"{HOME}1"], [f"{HOME}1"]),
        ([DEAD], [HOME]),  # none answered: the first page
        ([], [HOME]),
    ],
)
def test_a_rehearsal_begins_at_the_seeds_that_answered(log, seeds, kept):
    web = opened(log(seeds=json.dumps(seeds)))
    assert list(web.start_pages()) == kept
    assert list(checked_starts(web)) == kept
    web.close()


@pytest.mark.parametrize("seeds", ["{broken", "5", "null", '{"a": 1}', "[5]", "[[]]", "[" * 100_000])
def test_seeds_that_are_no_list_of_urls_are_one_line(log, seeds):
    with pytest.raises(RecordingError, match="its seeds are no list of URLs") as raised:
        opened(log(seeds=seeds))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE pages SET url = x'ff00' WHERE status = 404",
        "UPDATE pages SET target = 5.5 || x'00', status = 'gut' WHERE status = 302",
        "UPDATE features SET targets = 'text'",
        "UPDATE features SET features = 5",
    ],
)
def test_rows_that_no_crawl_writes_are_one_line(log, change):
    path = log()
    with sqlite3.connect(path) as database:
        database.execute(change)
    database.close()
    with pytest.raises(RecordingError, match="what no crawl writes") as raised:
        opened(path)
    assert "\n" not in str(raised.value)
