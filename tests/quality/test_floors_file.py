"""floors.json is the same bytes for the same floors, and never half written."""

from __future__ import annotations

import json

import pytest

from benchmarks.quality.floors import Floors, Regression, Section
from benchmarks.quality.floors_file import FLOORS, read_floors, text_of, write_floors
from topicspider.errors import ConfigError

SECTION = Section(
    name="made",
    plan={"kind": "rehearsal", "topic": "旅游", "checkpoints": [100, 200]},
    tolerance={"discovery": 0.01, "auc": 0.01},
    digest={"web": "aa", "labels": "bb"},
    floors={"opic": {"auc": 0.5}, "bfs": {"discovery": 0.123456, "auc": 0.25}},
)
LOWERED = Regression("made", "bfs", "auc", 0.3, 0.25, "新的网页更难")


def test_what_is_written_is_read_again_in_full(tmp_path):
    path = tmp_path / "floors.json"
    write_floors(Floors([SECTION], [LOWERED]), path)
    again = read_floors(path)
    assert [one.name for one in again.sections] == ["made"]
    assert again.sections[0].plan == SECTION.plan
    assert again.sections[0].floors == {"opic": {"auc": 0.5}, "bfs": {"discovery": 0.1235, "auc": 0.25}}
    assert again.regressions == [LOWERED]


def test_keys_are_sorted_and_writing_again_changes_no_byte(tmp_path):
    path = tmp_path / "floors.json"
    other = Section("a", SECTION.plan, SECTION.tolerance, SECTION.digest, {})
    write_floors(Floors([SECTION, other], [LOWERED]), path)
    first = path.read_bytes()
    assert list(json.loads(first)["sections"]) == ["a", "made"]
    assert first.index(b'"bfs"') < first.index(b'"opic"')
    assert "新的网页更难" in first.decode()
    write_floors(read_floors(path), path)
    assert path.read_bytes() == first


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "floors.json"
    write_floors(Floors([SECTION]), path)
    before = path.read_bytes()
    unwritable = Section("made", {"kind": object()}, {}, {}, {})
    with pytest.raises(TypeError):
        write_floors(Floors([unwritable]), path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["floors.json"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"sections": {}}',
        '{"sections": {"made": {"plan": {}}}, "regressions": []}',
        '{"sections": {"made": []}, "regressions": []}',
        '{"sections": {"made": {"plan": {}, "digest": {}, "tolerance": {}, "floors": {"bfs": {"auc": "高"}}}}, "regressions": []}',
    ],
)
def test_a_file_that_is_no_floors_gives_one_line(tmp_path, text):
    path = tmp_path / "floors.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match="floors") as caught:
        read_floors(path)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.json"):
        read_floors(tmp_path / "none.json")


def test_the_projects_own_file_is_in_its_standard_form():
    assert FLOORS.read_text(encoding="utf-8") == text_of(read_floors())
