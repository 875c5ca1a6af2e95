"""The piece of text that is shown: around the words asked for, marked, safe for terminals and web pages."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.search.snippets import find_words, marked, snippet


def test_it_shows_where_the_most_words_stand_together() -> None:
    text = "漓江在广西。" + "其他的话。" * 50 + "坐竹筏游漓江，看桂林山水。" + "还有别的。" * 50
    found = snippet(text, ("漓江", "桂林"), 60)
    assert "坐竹筏游漓江，看桂林山水" in found.text
    assert [piece for piece, asked in found.pieces if asked] == ["漓江", "桂林"]
    assert found.text.startswith("…")
    assert found.text.endswith("…")
    assert len(found.text) <= 62


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("臺灣旅遊", ("台湾", "旅游"), ["臺灣", "旅遊"]),
        ("ＨＯＴＥＬ by the lake", ("hotel",), ["ＨＯＴＥＬ"]),
        ("cars and carpets", ("car", "cars"), ["cars"]),
        ("nothing here", ("桂林",), []),
        ("", ("桂林",), []),
    ],
)
def test_words_are_marked_as_they_stand(text: str, words: tuple[str, ...], expected: list[str]) -> None:
    assert [piece for piece, asked in snippet(text, words).pieces if asked] == expected
    assert [piece for piece, asked in marked(text, words).pieces if asked] == expected


def test_html_is_escaped_and_marked() -> None:
    found = snippet('<script>alert("桂林")</script> & more', ("桂林",))
    assert found.html() == "&lt;script&gt;alert(&quot;<mark>桂林</mark>&quot;)&lt;/script&gt; &amp; more"


def test_a_terminal_gets_no_orders() -> None:
    found = snippet("red \x1b[31m 桂林 \x07\u202e\r\nline", ("桂林",))
    assert found.text == "red [31m 桂林 line"


@given(st.text(), st.lists(st.text(), max_size=4), st.integers(1, 200))
def test_nothing_raises_and_all_is_bounded(text: str, words: list[str], length: int) -> None:
    found = snippet(text, tuple(words), length)
    assert len(found.text) <= length + 2
    assert "<" not in found.html().replace("<mark>", "").replace("</mark>", "")


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
        (["selection"], "La Sélection", ["Sélection"]),
        ([], "茶", []),
        (["", " "], "茶", []),
        (["茶"], "", []),
    ],
)
def test_the_longest_words_are_found_whole(words, text, found):
    spans = find_words(text, words)
    assert [text[start:end] for start, end, _word in spans] == found
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
