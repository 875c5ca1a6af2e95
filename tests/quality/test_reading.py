"""The command that prints the numbers of reading says what holds, what fails and what it could not measure."""

from __future__ import annotations

import pytest

from benchmarks.quality import reading
from benchmarks.quality.reading import Row, line


@pytest.fixture
def no_pages(monkeypatch, tmp_path):
    monkeypatch.setenv("TOPICSPIDER_CORPORA", str(tmp_path))


@pytest.mark.parametrize(
    ("value", "target", "fails"), [(0.9, 0.9, False), (0.8996, 0.9, False), (0.899, 0.9, True), (0.1, None, False)]
)
def test_a_target_is_missed_below_it_in_the_digits_that_are_printed(value, target, fails):
    row = Row("正文 F1", "topicspider", value, target)
    assert row.fails is fails
    assert ("FAILS" in line(row)) is fails


@pytest.mark.parametrize(("value", "code", "last"), [(0.95, 0, "no targets fail"), (0.5, 1, "1 target fails")])
def test_a_missed_target_is_the_exit_code(no_pages, monkeypatch, capsys, value, code, last):
    monkeypatch.setattr(reading, "rows", lambda _folder, _names: iter([Row("dates", "topicspider", value, 0.9)]))
    assert reading.main([]) == code
    shown = capsys.readouterr().out
    assert last in shown
    assert "skipped: 7 targets" in shown


def test_dates_and_typed_data_have_rows_without_the_measuring_pages():
    ours = [row for rows in (reading.date_rows(None), reading.typed_rows()) for row in rows if row.who == "topicspider"]
    assert [row.target for row in ours] == [0.95, 0.90, 0.90]
    assert not any(row.fails for row in ours)


def test_ways_take_turns_over_pages_they_have_not_seen():
    calls = []
    pages = [(f"http://x/{n}", b"") for n in range(6)]
    spent = reading.milliseconds([lambda url, _body: calls.append(url[-1]), lambda *_: calls.append("other")], pages)
    assert calls == ["0", "1", "other", "other", "2", "other", "3", "other", "4", "other", "5", "other"]
    assert len(spent) == 2


def test_libraries_that_are_not_installed_are_named(monkeypatch):
    monkeypatch.setattr(reading, "has", lambda module: module != "htmldate")
    assert "htmldate" in reading.skipped_libraries(())
    assert "extruct" not in reading.skipped_libraries(())
