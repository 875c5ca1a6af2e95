"""Title and body are at least as right as benchmarks/quality/floors.toml says."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from benchmarks.quality import extraction

FLOORS = Path(extraction.__file__).with_name("floors.toml")


@pytest.fixture(scope="module")
def scores():
    folder = extraction.corpora()
    if not (folder / "extraction" / "dev" / "gold.jsonl").is_file():
        pytest.skip(f"no extraction/dev/gold.jsonl in {folder}: set TOPICSPIDER_CORPORA to measure extraction quality")
    return extraction.measure(extraction.read_ours, folder)


@pytest.mark.parametrize("floor", sorted(tomllib.loads(FLOORS.read_text(encoding="utf-8"))["extraction"]))
def test_quality_is_not_below_its_floor(floor, scores):
    wanted = tomllib.loads(FLOORS.read_text(encoding="utf-8"))["extraction"][floor]
    field, _, group = floor.partition("_")
    assert getattr(scores[group.replace("_", "/", 1)], field) >= wanted


def test_shingles_of_equal_texts_are_equal_and_of_others_not():
    assert extraction.shingle_f1("云台山旅游指南", "云台山 旅游指南") == 1.0
    assert extraction.shingle_f1("云台山旅游指南", "黄河风景区开园") == 0.0
    assert 0 < extraction.shingle_f1("云台山旅游指南发布", "云台山旅游指南") < 1


def test_titles_are_compared_without_white_space_and_width():
    assert extraction.same_title("云台山 １２３", "云台山123")
    assert not extraction.same_title("云台山", "云台")
