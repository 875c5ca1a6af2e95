"""Words that no table knows, by their parts."""

from __future__ import annotations

import pytest

from topicspider.text.vectors import chinese_parts, parts

KNOWN = {"峡谷", "漂流", "汽车", "新能源", "红", "石", "hotel", "city", "run", "hike", "take"}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("红石峡谷漂流", ["红", "石", "峡谷", "漂流"]),
        ("新能源汽车", ["新能源", "汽车"]),
        ("汽车城", ["汽车"]),
        ("魑魅", []),
        ("hotel", ["hotel"]),
        ("hotels", ["hotel"]),
        ("running", ["run"]),
        ("hiking", ["hike"]),
        ("taker", []),
        ("s", []),
        ("汽车hotel", ["汽车", "hotel"]),
        ("", []),
        ("峡谷" * 20, []),
    ],
)
def test_parts_are_the_longest_known_ones(word, expected):
    assert parts(word, KNOWN) == expected


def test_a_chinese_word_is_never_its_own_part():
    assert chinese_parts("汽车", KNOWN) == ["汽", "车"]
    assert "".join(chinese_parts("新能源汽车城", KNOWN)) == "新能源汽车城"
