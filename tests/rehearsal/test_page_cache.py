"""A cache is filled by one process, whatever another sees of it meanwhile and whoever was killed before."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading

import pytest

from topicspider.errors import RecordingError
from topicspider.rehearsal.archive.cache import READING_SOURCES, sources_digest
from topicspider.rehearsal.archive.feature_file import FeatureFile, packed
from topicspider.rehearsal.archive.page_cache import open_cache
from topicspider.rehearsal.archive.page_features import Answer

URL = "http://www.gucheng.example/古城"


def _empty(path):
    path.touch()


def _without_tables(path):
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.close()
    assert path.stat().st_size > 0


def _without_pages(path):
    FeatureFile.create(path).close()


def fill(file):
    file.add([packed(Answer(URL, 200))])


@pytest.mark.parametrize("begin", [_empty, _without_tables, _without_pages])
def test_a_cache_that_was_only_begun_is_made(tmp_path, begin):
    begin(tmp_path / "cache.db")
    file = open_cache(tmp_path / "cache.db", fill, print)
    assert file.urls() == [URL]
    file.close()


def test_who_comes_while_the_file_is_made_waits_and_fills_nothing(tmp_path):
    path = tmp_path / "cache.db"
    waits = threading.Event()
    seen = []

    def second():
        file = open_cache(
            path, lambda _file: seen.append("filled twice"), lambda line: (seen.append(line), waits.set())
        )
        seen.append(file.urls())
        file.close()

    def first(file):
        file.close()  # as it is found in the moment before its tables are there
        for left in tmp_path.glob("cache.db*"):
            left.unlink()
        path.touch()
        other.start()
        assert waits.wait(10)
        again = FeatureFile.create(path)
        fill(again)
        again.set_meta({"complete": "yes"})
        again.close()
        raise KeyboardInterrupt

    other = threading.Thread(target=second)
    with pytest.raises(KeyboardInterrupt):
        open_cache(path, first, print)
    other.join(20)
    assert seen == ["another process is reading this web: waiting for it", [URL]]


def test_a_damaged_cache_says_what_to_do(tmp_path):
    (tmp_path / "cache.db").write_bytes(b"no database at all" * 300)
    with pytest.raises(RecordingError, match="delete it, and it is made anew"):
        open_cache(tmp_path / "cache.db", fill, print)


def test_a_change_of_any_file_that_reads_pages_makes_the_cache_anew(tmp_path, monkeypatch):
    package = tmp_path / "readers"
    (package / "deep").mkdir(parents=True)
    for file in ("__init__.py", "deep/__init__.py", "deep/rule.py"):
        (package / file).write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    before = sources_digest.__wrapped__(("readers",))
    (package / "deep" / "rule.py").write_text("LIMIT = 2\n")
    assert sources_digest.__wrapped__(("readers",)) != before


def test_every_module_of_text_that_reading_imports_has_a_say_in_the_name():
    code = "import sys, topicspider.page.page, topicspider.rehearsal.archive.page_reader; print(*(n for n in sys.modules if n.startswith('topicspider.text.')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    of_keywords_alone = {"topicspider.text.background", "topicspider.text.vocabulary"}  # which are not kept
    assert set(loaded) - of_keywords_alone <= set(READING_SOURCES)
