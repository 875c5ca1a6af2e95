"""What a spreadsheet would calculate is text."""

from __future__ import annotations

import pytest

from topicspider.text.csv_escape import escape_formula


@pytest.mark.parametrize(
    "text", ["=1", "+1", "-1", "@a", "\t桂林", "\r=1", "＝1", "－桂林", "\n=HYPERLINK(1)", "\r\n＝1", " \n@SUM(1)"]
)
def test_what_begins_like_a_formula_gets_an_apostrophe(text: str) -> None:
    assert escape_formula(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "桂林山水", "a=1", "\n桂林", " 漓江 = 美", "1-2"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert escape_formula(text) == text
