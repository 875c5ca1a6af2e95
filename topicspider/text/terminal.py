"""Formats text by terminal columns: a Chinese character takes two columns, so len() does not align anything."""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from threading import RLock
from typing import TYPE_CHECKING

from topicspider.text.normalise import IDEOGRAPHS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

_OPENING, _CLOSING = "（“‘《「『【〈", "，。；：！？、）”’》」』】〉…"
# an unbreakable unit: a command in backquotes, a URL, a word up to a slash or comma, or a Chinese character, with its punctuation
_UNIT = re.compile(
    rf"\s+|`[^`\n]+`[{_CLOSING}]*|[a-z]+://[^\s{IDEOGRAPHS}{_OPENING}{_CLOSING}]+[{_CLOSING}]*|[{_OPENING}]*(?:[{IDEOGRAPHS}]|/?[^\s{IDEOGRAPHS}{_OPENING}{_CLOSING}/,]+|[/,])?[/,]*(?:[{_CLOSING}]|[“‘](?![\w{_OPENING}]))*"
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
    """``text`` in lines of at most ``columns`` columns, broken between words, after slashes and commas, and between Chinese characters."""
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
    """``text`` padded with spaces to ``columns`` columns; ``right``: aligned to the right."""
    blanks = " " * max(0, columns - width(text))
    return blanks + text if right else text + blanks


def table(rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), columns: int = 80, gap: int = 2) -> str:
    """``rows`` as an aligned table; columns with an index in ``right`` are right-aligned; lines are cut at ``columns``."""
    if not rows:
        return ""
    widths = [max(width(row[i]) for row in rows if i < len(row)) for i in range(max(len(row) for row in rows))]
    lines = []
    for row in rows:
        cells = [pad(cell, widths[i], right=i in right) for i, cell in enumerate(row)]
        lines.append(fit((" " * gap).join(cells).rstrip(), columns))
    return "\n".join(lines)


BARS = "▁▂▃▄▅▆▇█"


def sparkline(shares: Sequence[float]) -> str:
    """A bar for each of ``shares``, which lie in [0, 1]."""
    return "".join(BARS[min(len(BARS) - 1, int(share * len(BARS)))] for share in shares)


def draws_live(option: str) -> bool:
    """Whether to draw in place on stderr: with ``option`` on; with auto only in a terminal that is capable of it."""
    return option == "on" or (option == "auto" and sys.stderr.isatty() and os.environ.get("TERM") != "dumb")


class Block:
    """Lines at the end of a terminal's output ``stream``: redrawn in place, and to be wiped before anything else is written."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._drawn: Sequence[str] = ()
        self._lock = RLock()  # reentrant: threads log, and so may a signal handler while lines are drawn

    def size(self) -> tuple[int, int]:
        """(columns, rows) of the stream's terminal, which may differ from stdout's."""
        try:
            columns, rows = os.get_terminal_size(self._stream.fileno())
        except (OSError, ValueError):
            return 80, 24
        return columns or 80, rows or 24

    def draw(self, lines: Sequence[str]) -> None:
        """Draws ``lines``, each narrower than the terminal, over those drawn before; the cursor stays after the last line."""
        with self._lock:
            self._stream.write(self._to_top() + "\n".join(f"{line}\x1b[K" for line in lines) + "\x1b[J")
            self._stream.flush()
            self._drawn = lines

    def wipe(self) -> None:
        with self._lock:
            if self._drawn:
                self._stream.write(self._to_top() + "\x1b[J")

    def _to_top(self) -> str:
        """The control sequence that moves to the first drawn line; in a terminal made narrower, a line takes several rows.

        It forgets the drawn lines: if Ctrl-C interrupts what follows, or prints, a second move up would wipe other lines.
        """
        drawn, self._drawn = self._drawn, ()
        columns = self.size()[0]
        rows = sum(max(1, -(-width(line) // columns)) for line in drawn)
        return f"\r\x1b[{rows - 1}A" if rows > 1 else "\r"


def _width(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Cc"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
