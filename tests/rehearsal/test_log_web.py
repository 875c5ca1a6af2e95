"""The log of a crawl is a web, whatever became of the crawl and whoever wrote the file."""

from __future__ import annotations

import json
import time

import pytest

from tests.rehearsal.small_archives import page, redirect
from topicspider.errors import RecordingError
from topicspider.rehearsal.archive.archived_web import open_archived_web
from topicspider.rehearsal.archive.crawl_log import CrawlLog
from topicspider.rehearsal.archive.feature_file import Answer, FeatureFile, PageFeatures, packed
from topicspider.rehearsal.evaluation.reach import checked_starts
from topicspider.url import fingerprint

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
        file = FeatureFile(tmp_path / "crawl.db", is_new=True)
        file.add(map(packed, answers or ANSWERS))
        usual = {"started": "2026-01-01T00:00:00+00:00", "ended": "2026-01-01T00:00:09+00:00"}
        file.set_meta({**usual, "seeds": json.dumps([HOME]), **facts})
        file.finish()
        return str(tmp_path / "crawl.db")

    return make


def opened(path):
    return open_archived_web(path)


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
    assert list(web.start_pages) == kept
    assert list(checked_starts(web)) == kept
    web.close()


def _crawl_log(path, most_pages=100):
    log = CrawlLog(path, most_pages)
    log.start({"seeds": json.dumps([HOME])}, fresh=False)
    return log


def _visit(log, url):
    log.visited(url, 200, 0.1, PageFeatures("古城", ("古城",), ("住宿",)), "古城")
    log.ended(url, 200, 0.1, is_page=True)


def _wait_until(is_so):
    until = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_full_log_keeps_the_first_pages_and_says_so(tmp_path):
    path = tmp_path / "crawl.db"
    log = _crawl_log(path, most_pages=2)
    for number in range(3):
        _visit(log, f"{HOME}{number}")
    log.finish()
    web = opened(str(path))
    assert sorted(web.urls()) == [f"{HOME}0", f"{HOME}1"]
    assert [note.en.endswith("missing in its log: it was full with 2 pages") for note in web.notes] == [True]
    web.close()


def test_a_log_that_was_turned_off_is_rehearsed_with_a_note_when_the_crawl_has_ended(tmp_path, monkeypatch, caplog):
    path = tmp_path / "crawl.db"
    log = _crawl_log(path)
    _visit(log, HOME)
    _wait_until(lambda: _count(path) == 1)
    with monkeypatch.context() as full:
        full.setattr(FeatureFile, "add", _disk_is_full)
        _visit(log, f"{HOME}1")
        _wait_until(lambda: "log is off" in caplog.text)
    _visit(log, f"{HOME}2")
    log.finish()
    for _again in range(2):  # a crawl that is resumed does not fill the gap
        web = opened(str(path))
        assert list(web.urls()) == [HOME]
        assert [note.en.endswith("missing in its log: 磁盘已满") for note in web.notes] == [True]
        web.close()
        _crawl_log(path).finish()


def _count(path):
    file = FeatureFile(path)
    count = file.count()
    file.close()
    return count


def _disk_is_full(file, *_arguments):
    raise RecordingError(f"{file.path}: 磁盘已满")


def test_a_log_on_a_disk_that_stays_full_is_refused_with_the_reason(tmp_path, monkeypatch, caplog):
    log = _crawl_log(tmp_path / "crawl.db")
    monkeypatch.setattr(FeatureFile, "add", _disk_is_full)
    monkeypatch.setattr(FeatureFile, "set_meta", _disk_is_full)
    _visit(log, HOME)
    log.finish()
    assert caplog.text.count("log is off") == 1
    with pytest.raises(RecordingError, match="or its log was turned off, of which it warned"):
        opened(str(tmp_path / "crawl.db"))


def test_when_a_miss_was_published_is_not_recorded(tmp_path):
    """It is not worth the reading of every page that is judged."""
    log, dated = _crawl_log(tmp_path / "crawl.db"), PageFeatures("古城", ("古城",), published="2026-05-01")
    for url, is_hit in ((HOME, True), (f"{HOME}1", False)):
        log.visited(url, 200, 0.1, dated, "古城", is_hit=is_hit)
        log.ended(url, 200, 0.1, is_page=True)
    log.finish()
    file = FeatureFile(tmp_path / "crawl.db")
    assert file.answer(fingerprint(HOME)).features.published == "2026-05-01"
    assert file.answer(fingerprint(f"{HOME}1")).features.published == ""
    file.close()
