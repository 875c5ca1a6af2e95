"""Says how much each block of a page's text is worth as a part of the body."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicspider.page.markup.reading import Block, Reading

_MARKS = re.compile(r"[，。！？；、：,.!?;:…”]")
_SHORT = 60
"""Bytes (20 Chinese characters, 10 English words) below which a line needs two punctuation marks to count as text."""
_LINE = 120
"""Characters up to which a block with a third of its text in links is an entry of a list, not text."""
_LITTLE = 400
"""Bytes of text below which a page's comments may be what it is about."""
_TEASER_BYTES = 600
_TEASER = 0.3
"""A short text between two links is mostly the teaser of another page: worth this share of its bytes, unless there is nothing else."""
_MAIN = frozenset({"main", "header"})
_POSTS = _MAIN | {"comment"}
_ANYWHERE = _POSTS | {"aside", "nav"}


def places_of(reading: Reading, named: list[str]) -> list[str]:
    """The zone of each block."""
    return [named[block.container] if block.container >= 0 else "main" for block in reading.blocks]


def worths(reading: Reading, places: list[str], links: list[bool], is_thread: bool = False) -> list[float]:
    """How much each block is worth, 0 or more; ``links`` says of each whether it is mostly links.

    Comments count in a thread, and where there is little else; the other zones and short lines only where there is nothing at all.
    """
    plain = _with_teasers(places, links, [_worth(reading, block) for block in reading.blocks])
    values = _only(plain, places, _POSTS if is_thread else _MAIN)
    for wider in (_POSTS, _ANYWHERE):
        if sum(values) >= _LITTLE:
            break
        more = _only(plain, places, wider)
        if sum(values) < min(_LITTLE, sum(more) / 4):
            values = more
    if any(values):
        return values
    return [
        0.0 if is_link else _short_worth(block, place)
        for block, place, is_link in zip(reading.blocks, places, links, strict=True)
    ]


def links_of(reading: Reading) -> list[bool]:
    """Whether each block is mostly links."""
    return [block.linked * 2 > block.end - block.start for block in reading.blocks]


def _only(values: list[float], places: list[str], allowed: frozenset[str]) -> list[float]:
    return [value if place in allowed else 0.0 for value, place in zip(values, places, strict=True)]


def _worth(reading: Reading, block: Block) -> float:
    length = block.end - block.start
    if block.linked * (2 if length > _LINE else 3) > length:
        return 0.0
    text = reading.text[block.start : block.end]
    size = length if text.isascii() else len(text.encode("utf-8", "ignore"))
    marks = len(_MARKS.findall(text)) if size < 400 else 2
    if size < _SHORT and marks < 2:
        return 0.0
    return size * (1 - block.linked / length) * (1.0 if marks else 0.3)


def _with_teasers(places: list[str], links: list[bool], values: list[float]) -> list[float]:
    links = [*links, False]  # behind the last block, and so before the first
    less = [
        value * _TEASER if 0 < value < _TEASER_BYTES and links[index - 1] and links[index + 1] else value
        for index, value in enumerate(values)
    ]
    return less if sum(_only(less, places, _MAIN)) >= sum(_only(values, places, _MAIN)) / 10 else values


def _short_worth(block: Block, place: str) -> float:
    length = block.end - block.start
    return 0.0 if place not in ("main", "comment") or length < 4 else float(length)
