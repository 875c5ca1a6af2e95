"""Words are found where they stand, in the text as it was written."""

from __future__ import annotations

from itertools import pairwise

import pytest

from topicspider.text.phrase_matcher import PhraseMatcher


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        (["旅游", "乡村旅游"], "乡村旅游与旅游", ["乡村旅游", "旅游"]),
        (["tea"], "Team tea, TEA-time teas", ["tea", "TEA"]),
        (["real estate"], "Real estate is real", ["Real estate"]),
        (["茶葉"], "喝茶叶、茶葉", ["茶叶", "茶葉"]),
        (["ai芯片", "芯片"], "ＡＩ芯片与芯片", ["ＡＩ芯片", "芯片"]),
        (["5g"], "㎡ 5G手机", ["5G"]),
        (["чай"], "чайник чай", ["чай"]),
        ([], "茶", []),
        (["", " "], "茶", []),
        (["茶"], "", []),
    ],
)
def test_the_longest_words_are_found_whole(words, text, found):
    spans = PhraseMatcher(words).find(text)
    assert [text[start:end] for start, end, _word in spans] == found
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
