"""Gives the body of a document: all of its text, for it has no menus and no neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicspider.page.parsed_page import Reading

MAX_BODY = 200_000
_MAX_TITLE = 300


def whole_text(reading: Reading, title: str) -> str:
    """The blocks of a document, a line each, at most MAX_BODY characters; without its title at the start."""
    lines: list[str] = []
    size = 0
    for block in reading.blocks:
        line = reading.block_text(block).strip()
        if not line or (not lines and line == title):
            continue
        lines.append(line)
        size += len(line) + 1
        if size > MAX_BODY:
            break
    return "\n".join(lines)[:MAX_BODY]


def declared_title(reading: Reading) -> str:
    """What its reader took for its title; on one line."""
    return " ".join(reading.title.split())[:_MAX_TITLE].strip()
