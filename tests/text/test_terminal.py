"""Chinese text lines up in a terminal, and what a spreadsheet would calculate is text."""

from __future__ import annotations

import io
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.export.formats import escape_formula
from topicspider.i18n import language_of
from topicspider.text.terminal import Block, fit, pad, table, width, wrap


@pytest.mark.parametrize(("text", "columns"), [("abc", 3), ("旅游", 4), ("Ａ１", 4), ("é", 1), ("e\u0301", 1), ("", 0)])
def test_width_counts_terminal_columns(text, columns):
    assert width(text) == columns


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [
        ("旅游攻略", 8, "旅游攻略"),
        ("旅游攻略", 7, "旅游攻…"),
        ("旅游攻略", 6, "旅游…"),
        ("abc", 2, "a…"),
        ("abc", 0, ""),
    ],
)
def test_fit_cuts_between_characters_and_says_so(text, columns, shown):
    assert fit(text, columns) == shown


@pytest.mark.parametrize(
    ("text", "columns", "lines"),
    [
        ("山水甲天下，漓江", 8, ["山水甲天", "下，漓江"]),
        ("山水甲天，漓江", 8, ["山水甲", "天，漓江"]),  # no mark at the beginning of a line
        ("看“山水”去", 4, ["看", "“山", "水”", "去"]),
        ("near the lake", 9, ["near the", "lake"]),
        ("坐 the train 去", 8, ["坐 the", "train 去"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("", 8, [""]),
        ("see http://a.example/x/y, please", 22, ["see", "http://a.example/x/y,", "please"]),
        ("见`scrapy hits x`。好", 12, ["见", "`scrapy hits", "x`。好"]),
        ("in /tmp/data", 9, ["in /tmp/", "data"]),
        ("in /tmp", 5, ["in", "/tmp"]),
    ],
)
def test_lines_are_filled_and_broken_where_one_may(text, columns, lines):
    assert wrap(text, columns) == lines


@given(st.text(alphabet="山水，。“”（) abc…\n") | st.text(), st.integers(2, 30))
def test_filled_lines_fit_and_lose_nothing_but_blanks(text, columns):
    lines = wrap(text, columns)
    assert all(width(line) <= columns for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


def test_pad_fills_up_by_columns():
    assert pad("旅游", 6) == "旅游  "
    assert pad("旅游", 6, right=True) == "  旅游"


def test_rows_of_a_table_line_up_whatever_their_script():
    lines = table([("旅游", "1"), ("food", "12")], right=(1,)).splitlines()
    assert [width(line) for line in lines] == [8, 8]


def test_a_frame_that_ctrl_c_cuts_short_is_not_gone_back_over(monkeypatch):
    shown = io.StringIO()
    block = Block(shown)
    block.draw(["pages", "hits"])
    monkeypatch.setattr(shown, "flush", lambda: signal.default_int_handler(signal.SIGINT, None))
    with pytest.raises(KeyboardInterrupt):
        block.draw(["pages", "hits"])
    before = shown.getvalue()
    block.wipe()
    assert shown.getvalue() == before
    assert before.count("\x1b[1A") == 1


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"LANG": "zh_CN.UTF-8"}, True),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, False),
        ({"LANG": "en_GB.UTF-8"}, False),
        ({}, False),
    ],
)
def test_the_locale_chooses_the_language(environ, expected):
    assert (language_of("auto", environ) == "zh") is expected
    assert language_of("zh", environ) == "zh"
    assert language_of("en", environ) == "en"


@pytest.mark.parametrize(
    "text", ["=1", "+1", "-1", "@a", "\t桂林", "\r=1", "＝1", "－桂林", "\n=HYPERLINK(1)", "\r\n＝1", " \n@SUM(1)"]
)
def test_what_begins_like_a_formula_gets_an_apostrophe(text: str) -> None:
    assert escape_formula(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "桂林山水", "a=1", "\n桂林", " 漓江 = 美", "1-2"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert escape_formula(text) == text
