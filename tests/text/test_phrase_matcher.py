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


@pytest.mark.parametrize(
    ("text", "expected"),
    [("江南古镇游记", True), ("ＴＥＡ time", True), ("steam", True), ("程序 error", False), ("", False)],
)
def test_a_text_in_which_none_may_stand_need_not_be_cut(text: str, expected: bool) -> None:
    """Chinese, English, mixed; a word inside another one is not looked at closely."""
    assert PhraseMatcher(["古镇", "tea"]).may_stand_in(text) is expected
