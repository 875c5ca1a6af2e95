"""Text in terminal columns: a Chinese character is two wide, so len() does not line anything up."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from topicspider.text.normalise import IDEOGRAPHS

if TYPE_CHECKING:
    from collections.abc import Sequence

_OPENING, _CLOSING = "（“‘《「『【〈", "，。；：！？、）”’》」』】〉…"
# what a line is not broken in: a command in backquotes, a URL, a word up to a slash or comma, or one Chinese character, with its marks
_UNIT = re.compile(
    rf"\s+|`[^`\n]+`[{_CLOSING}]*|[a-z]+://[^\s{IDEOGRAPHS}{_OPENING}{_CLOSING}]+[{_CLOSING}]*|[{_OPENING}]*(?:[{IDEOGRAPHS}]|/?[^\s{IDEOGRAPHS}{_OPENING}{_CLOSING}/,]+|[/,])?[/,]*[{_CLOSING}]*"
)


def width(text: str) -> int:
    """How many terminal columns ``text`` takes."""
    return sum(_width(character) for character in text)


def fit(text: str, columns: int) -> str:
    """``text`` cut to at most ``columns`` columns, with … where it was cut."""
    if width(text) <= columns:
        return text
    kept, used = [], 0
    for character in text:
        used += _width(character)
        if used > columns - 1:
            break
        kept.append(character)
    return "".join(kept) + "…" if columns > 0 else ""


def wrap(text: str, columns: int) -> list[str]:
    """``text`` in lines of at most ``columns`` columns: broken between words, behind slashes and commas, and anywhere in Chinese but at marks."""
    lines = [""]
    for unit in _UNIT.findall(text):
        if lines[-1] and width(lines[-1]) + width(unit.rstrip()) > columns:
            lines.append("")
        for character in unit if lines[-1] else unit.lstrip():
            if width(lines[-1]) + _width(character) > columns and not character.isspace():
                lines.append("")
            lines[-1] += character
    return [line.rstrip() for line in lines]


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """``text`` filled up with blanks to ``columns`` columns; ``right``: blanks in front."""
    blanks = " " * max(0, columns - width(text))
    return blanks + text if right else text + blanks


def table(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), columns: int = 80, gap: int = 2) -> str:
    """``rows`` lined up; columns with an index in ``right`` to the right; each line cut at ``columns``."""
    if not rows:
        return ""
    widths = [max(width(row[i]) for row in rows if i < len(row)) for i in range(max(len(row) for row in rows))]
    lines = []
    for row in rows:
        cells = [pad(cell, widths[i], right=i in right) for i, cell in enumerate(row)]
        lines.append(fit((" " * gap).join(cells).rstrip(), columns))
    return "\n".join(lines)


def _width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Cc"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
