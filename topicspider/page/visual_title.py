"""Finds the title by its looks alone, the rule of (a) Li 2002: the text above the first long paragraph that looks most like a title."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.page.parsed_page import Block, Container, Reading


MIN_PARAGRAPH = 150
"""Least bytes outside links of a paragraph of the body: 50 Chinese characters or 25 English words."""
OTHER_PARTS = frozenset({"nav", "aside", "footer", "comment"})
"""Zones that contain no title."""
_PLAIN_SIZE = 16.0
_SIZES = (10.0, 10.0, 13.0, 16.0, 18.0, 24.0, 32.0, 48.0)  # pixels of <font size=0 to 7>
_HEADING_EMS = {"h1": 2.0, "h2": 1.5, "h3": 1.17, "h5": 0.83, "h6": 0.67}
_LENGTH = re.compile(r"(\d{1,3}(?:\.\d{0,4})?)(px|pt|em|rem|%)")
_UNITS = {"px": 1.0, "pt": 4 / 3, "rem": _PLAIN_SIZE}
_FONT = re.compile(r"size([+-]?)(\d)")


@dataclass(frozen=True, slots=True)
class Style:
    """How a text looks: ``size`` in pixels; ``color`` as the page writes it, "" for the default."""

    size: float = _PLAIN_SIZE
    is_bold: bool = False
    is_centred: bool = False
    color: str = ""


def visual_title(reading: Reading, zones: Sequence[str]) -> str:
    """The paper's rule, in its three steps; "" when there is no paragraph, or no text above it.

    1. Find the first paragraph of at least MIN_PARAGRAPH bytes. 2. Above it, find the text that looks most like a title by size, centring,
    weight and colour; of equals take the nearest. 3. Join to it the text before or after it that looks the same. Only tags and style
    attributes determine the looks, not style sheets. Menus, sidebars and links are skipped. If no line above the paragraph stands out
    from it, the result is "".
    """
    first = next(iter(paragraphs(reading, zones)), 0)
    plain = _style_of(reading, reading.blocks[first]) if reading.blocks else Style()
    above = range(first - 1, max(-1, first - 1 - 80), -1)
    lines = [index for index in above if _may_be_title(zones, reading.blocks[index])]
    if not lines:
        return ""
    looks = {index: _likeness(_style_of(reading, reading.blocks[index]), plain) for index in lines}
    best = max(lines, key=looks.__getitem__)
    if looks[best] <= _likeness(plain, plain):
        return ""
    return _with_neighbour(reading, zones, best, first)


def paragraphs(reading: Reading, zones: Sequence[str]) -> list[int]:
    """Indexes of blocks with MIN_PARAGRAPH bytes outside links, menus and sidebars; if there are none, with half as many."""
    sizes = {
        index: len(reading.block_text(block).encode("utf-8", "ignore"))
        * (1 - block.linked / max(1, block.end - block.start))
        for index, block in enumerate(reading.blocks)
        if block.tag[:1] != "h" and zones[block.container] not in OTHER_PARTS
    }
    long = [index for index, size in sizes.items() if size >= MIN_PARAGRAPH]
    return long or [index for index, size in sizes.items() if size >= MIN_PARAGRAPH / 2]


def _may_be_title(zones: Sequence[str], block: Block) -> bool:
    length = block.end - block.start
    return 2 <= length <= 160 and 2 * block.linked <= length and zones[block.container] not in OTHER_PARTS


def _likeness(style: Style, plain: Style) -> float:
    """How much a style looks like a title: its size relative to the paragraph's; plus centring, weight and colour that this lacks."""
    marks = 0.3 * (style.is_centred > plain.is_centred) + 0.2 * (style.is_bold > plain.is_bold)
    return style.size / plain.size + marks + 0.2 * (style.color != plain.color)


def _with_neighbour(reading: Reading, zones: Sequence[str], best: int, first: int) -> str:
    """The text at ``best``, joined with the block before or after it if that looks the same in the same element (a title of two lines)."""
    block = reading.blocks[best]
    for other in (best + 1, best - 1):
        near = reading.blocks[other] if 0 <= other < first else None
        if near is None or near.container != block.container or not _may_be_title(zones, near):
            continue
        if _style_of(reading, near) == _style_of(reading, block):
            return joined([reading.block_text(reading.blocks[index]) for index in sorted((best, other))])
    return reading.block_text(block)


def _style_of(reading: Reading, block: Block) -> Style:
    """The style at the beginning of a block: the elements around it are applied from the outermost inwards, then its own style."""
    chain: list[Container] = []
    index = block.container
    while index >= 0 and len(chain) < 80:
        chain.append(reading.containers[index])
        index = chain[-1].parent
    style = Style()
    for container in reversed(chain):
        if container.tag in _HEADING_EMS:
            style = replace(style, size=style.size * _HEADING_EMS[container.tag], is_bold=True)
        elif container.tag in ("center", "th"):
            style = replace(style, is_centred=True)
        elif container.tag == "table":  # tables do not inherit alignment
            style = replace(style, is_centred=False)
        style = _styled(style, container.style)
    return _styled(style, block.style)


def _styled(style: Style, declarations: str) -> Style:
    for declaration in declarations.lower().split(";")[:20]:
        name, _colon, value = (part.strip() for part in declaration.partition(":"))
        if name in ("font-size", "font"):
            style = replace(style, size=_sized(style.size, value))
        if name == "font-weight" or (name == "font" and "bold" in value):
            style = replace(style, is_bold=value.startswith("bold") or value[:1] in "6789" or "bold" in value)
        elif name == "text-align":
            style = replace(style, is_centred=value == "center")
        elif name == "color":
            style = replace(style, color=value)
    return style


def _sized(size: float, value: str) -> float:
    """A CSS length or ``<font size>`` in pixels; ``size``: that of the surrounding text, also the result for anything else."""
    if font := _FONT.match(value):
        steps = int(font[2])
        return _SIZES[max(1, min(7, steps if not font[1] else 3 + (steps if font[1] == "+" else -steps)))]
    length = _LENGTH.search(value)
    if not length:
        return size
    number = float(length[1])
    return number * _UNITS[length[2]] if length[2] in _UNITS else size * number / (100 if length[2] == "%" else 1)


def joined(lines: Sequence[str]) -> str:
    """``lines`` joined into one line, with a space between words but none between Chinese characters."""
    text = ""
    for line in (" ".join(line.split()) for line in lines):
        is_spaced = text and line and (text[-1].isascii() or line[0].isascii())
        text = f"{text} {line}" if is_spaced else text + line
    return text
