"""Title and body are at least as right as benchmarks/quality/floors.json says."""

from __future__ import annotations

import pytest

from benchmarks.quality import extraction
from benchmarks.quality.floors_file import read_floors

FLOORS = next(section for section in read_floors().sections if section.name == "extraction")


@pytest.fixture(scope="module")
def scores():
    folder = extraction.corpora()
    if not (folder / "extraction" / "dev" / "gold.jsonl").is_file():
        pytest.skip(f"no extraction/dev/gold.jsonl in {folder}: set TOPICSPIDER_CORPORA to measure extraction quality")
    return extraction.measure(extraction.read_ours, folder)


@pytest.mark.parametrize(
    ("group", "figure"), [(group, name) for group, named in FLOORS.floors.items() for name in named]
)
def test_quality_is_not_below_its_floor(group, figure, scores):
    assert getattr(scores[group], figure) >= FLOORS.floors[group][figure] - FLOORS.tolerance[figure]


def test_shingles_of_equal_texts_are_equal_and_of_others_not():
    assert extraction.shingle_f1("云台山旅游指南", "云台山 旅游指南") == 1.0
    assert extraction.shingle_f1("云台山旅游指南", "黄河风景区开园") == 0.0
    assert 0 < extraction.shingle_f1("云台山旅游指南发布", "云台山旅游指南") < 1


def test_titles_are_compared_without_white_space_and_width():
    assert extraction.same_title("云台山 １２３", "云台山123")
    assert not extraction.same_title("云台山", "云台")
