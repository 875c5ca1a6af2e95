"""Keeps a text in a table from being calculated by a spreadsheet."""

from __future__ import annotations

import re

# the full-width signs are typed in Chinese, and some spreadsheets read them as the others; white space before one may be cut off
_FORMULA = re.compile(r"[\t\r]|\s*[-=+@＝＋－＠]")


def escape_formula(text: str) -> str:
    """``text``, with an apostrophe in front when it begins as a formula does."""
    return f"'{text}" if _FORMULA.match(text) else text
