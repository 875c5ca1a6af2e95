"""Finds the running text of a page: the blocks that read like sentences, around where they are densest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.page.bodies.endings import without_bylines, without_endings
from topicspider.page.bodies.region import region, titled_block
from topicspider.page.bodies.thread import frames_of
from topicspider.page.bodies.worth import links_of, places_of, worths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.page.markup.reading import Block, Reading

MAX_BODY = 200_000
_ZONES = frozenset({"main", "header"})
_THREAD_ZONES = _ZONES | {"comment"}
_EXTENDED = 20
"""Short lines of the same kind that go with the first and the last paragraph, on either side."""
_SHORTEST = 4
_LONGEST_ROW = 200
"""Characters of a table's row that is written in one line: longer cells are the columns of a layout."""
_UP_TO_CELL = 2
_CELL = " | "


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen as the body, and among what: ``values``, ``links`` and ``places`` of all blocks; ``chosen`` are blocks."""

    places: Sequence[str] = ()
    links: Sequence[bool] = ()
    values: Sequence[float] = ()
    chosen: Sequence[int] = ()
    titled: int = -1
    is_thread: bool = False


def body_of(reading: Reading, named: list[str], title: str = "", is_thread: bool = False) -> str:
    """The body of a page whose containers lie in the zones ``named``: lines joined by newlines, at most MAX_BODY characters; "" when nothing reads like text."""
    return text_of(reading, choose(reading, named, title, is_thread), title)


def choose(reading: Reading, named: list[str], title: str = "", is_thread: bool = False) -> Choice:
    """The blocks of the body, before endings are cut off."""
    if not reading.blocks:
        return Choice()
    places = places_of(reading, named)
    links = links_of(reading)
    values = worths(reading, places, links, is_thread)
    titled = titled_block(reading, places, title)
    root = region(reading, values, links, titled, is_thread)
    zones = _THREAD_ZONES if is_thread else _ZONES
    kept = [v > 0 or (z in zones and not is_link) for v, z, is_link in zip(values, places, links, strict=True)]
    if is_thread:
        kept = [is_kept and not is_frame for is_kept, is_frame in zip(kept, frames_of(reading), strict=True)]
    return Choice(places, links, values, _chosen(reading, values, kept, root), titled, is_thread)


def text_of(reading: Reading, choice: Choice, title: str = "") -> str:
    """The text of what was chosen, as ``body_of`` says."""
    lines = _lines(reading, [reading.blocks[index] for index in choice.chosen if index != choice.titled])
    return "\n".join(without_bylines(lines, title))[:MAX_BODY]


def _chosen(reading: Reading, values: list[float], is_kept: list[bool], root: int) -> list[int]:
    """The blocks of a container that belong to the body: from the first good one to the last, in order, with the short lines around them."""
    inside = _inside(reading, root)
    found = [index for index, block in enumerate(reading.blocks) if block.container in inside]
    good = [place for place, index in enumerate(found) if values[index] > 0]
    if not good:
        return []
    kept = [is_kept[index] for index in found]
    first = _extended(reading, found, kept, good[0], -1)
    last = _extended(reading, found, kept, good[-1], 1)
    return [found[place] for place in range(first, last + 1) if kept[place]]


def _extended(reading: Reading, found: list[int], kept: list[bool], edge: int, step: int) -> int:
    """The place of the last short line that is of one kind with the block at ``edge``, next to it in one direction."""
    place = edge
    for _ in range(_EXTENDED):
        following = place + step
        if not 0 <= following < len(found) or not kept[following]:
            break
        if not _are_alike(reading, reading.blocks[found[following]], reading.blocks[found[edge]]):
            break
        place = following
    return place


def _are_alike(reading: Reading, line: Block, text: Block) -> bool:
    """Whether a line stands in the same container as a text, or both are paragraphs or entries of one."""
    if line.end - line.start < _SHORTEST:
        return False
    if line.container == text.container:
        return True
    if line.container < 0 or text.container < 0:
        return False
    own, other = reading.containers[line.container], reading.containers[text.container]
    same_kind = own.tag == other.tag and own.tag in ("p", "li") and own.names.strip() == other.names.strip()
    return same_kind and own.parent == other.parent


def _inside(reading: Reading, root: int) -> set[int]:
    inside = {root}
    for index, container in enumerate(reading.containers):
        if container.parent in inside:
            inside.add(index)
    return inside


def _lines(reading: Reading, chosen: list[Block]) -> list[str]:
    """The texts of blocks without endings, a line a block; the cells of a table's row are one line."""
    lines: list[str] = []
    has_cells = any(container.tag in ("td", "th") for container in reading.containers)
    last_row, last_cell = -1, -1
    for block in without_endings(reading, chosen):
        text = reading.block_text(block)
        row, cell = _row_of(reading, block) if has_cells else (-1, -1)
        if row >= 0 and row == last_row and cell != last_cell and len(text) + len(lines[-1]) <= _LONGEST_ROW:
            lines[-1] = f"{lines[-1]}{_CELL}{text}"
        else:
            lines.append(text)
        last_row, last_cell = row, cell
    return lines


def _row_of(reading: Reading, block: Block) -> tuple[int, int]:
    """(the table row, the cell) a block stands in, near enough to be tabular and no layout; -1 for neither."""
    index = block.container
    for _ in range(_UP_TO_CELL):
        if index < 0:
            return -1, -1
        container = reading.containers[index]
        if container.tag in ("td", "th"):
            return container.parent, index
        index = container.parent
    return -1, -1
