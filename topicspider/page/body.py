"""Finds the running text of a page: the blocks that read like sentences, around where they are densest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.page.zones import zones

if TYPE_CHECKING:
    from topicspider.page.walk import Block, Reading

MAX_BODY = 200_000
_MARKS = re.compile(r"[，。！？；、：,.!?;:…”]")
_DESCEND = 0.72
"""The body lies in a child when the child holds this share of the sentences (swept .5 to .9 on the measuring set)."""


@dataclass(frozen=True, slots=True)
class Body:
    """The text, lines joined by newlines, and its share of all the page's text (a hub's is near 0)."""

    text: str = ""
    share: float = 0.0


def body_of(reading: Reading, title: str = "") -> Body:
    """The body of a page, at most MAX_BODY characters; "" when nothing reads like text."""
    if not reading.blocks:
        return Body()
    values = _values(reading)
    root = _densest(reading, values)
    chosen = _chosen(reading, values, root)
    lines = [reading.block_text(block) for block in chosen]
    if lines and title and lines[0] == title:
        lines = lines[1:]
    text = "\n".join(lines)[:MAX_BODY]
    return Body(text, len(text) / max(1, len(reading.text)))


def _values(reading: Reading) -> list[float]:
    """How much each block is worth as a part of the body."""
    places = zones(reading)
    result = []
    for block in reading.blocks:
        zone = places[block.container] if block.container >= 0 else "main"
        result.append(0.0 if zone in ("nav", "aside", "footer", "comment") else _value(reading, block))
    return result


def _value(reading: Reading, block: Block) -> float:
    text = reading.block_text(block)
    size = len(text.encode("utf-8", "ignore"))
    share = block.linked / max(1, len(text))
    if share > 0.5:
        return 0.0
    marks = len(_MARKS.findall(text))
    if size < 60 and marks < 2:
        return 0.0
    return size * (1 - share) * (1.0 if marks else 0.3)


def _densest(reading: Reading, values: list[float]) -> int:
    """The container to take the body from: down from the root while one child holds most of what its parent holds."""
    containers = reading.containers
    sums = [0.0] * len(containers)
    for block, value in zip(reading.blocks, values, strict=True):
        if block.container >= 0:
            sums[block.container] += value
    children: dict[int, list[int]] = {}
    for index in range(len(containers) - 1, -1, -1):
        parent = containers[index].parent
        if parent >= 0:
            sums[parent] += sums[index]
        children.setdefault(parent, []).append(index)
    place = -1
    held = sum(values)
    while place in children:
        best = max(children[place], key=sums.__getitem__)
        if sums[best] < _DESCEND * held or not held:
            break
        place, held = best, sums[best]
    return place


def _chosen(reading: Reading, values: list[float], root: int) -> list[Block]:
    """The blocks of a container that belong to the body, in order."""
    inside = _inside(reading, root)
    found = [i for i, block in enumerate(reading.blocks) if block.container in inside]
    good = [i for i in found if values[i] > 0]
    if not good:
        return []
    places = zones(reading)
    chosen = []
    for i in found:
        if not good[0] <= i <= good[-1]:
            continue
        block = reading.blocks[i]
        if values[i] > 0 or (
            block.linked * 2 <= block.end - block.start and places[block.container] in ("main", "header")
        ):
            chosen.append(block)
    return chosen


def _inside(reading: Reading, root: int) -> set[int]:
    inside = {root}
    for index, container in enumerate(reading.containers):
        if container.parent in inside:
            inside.add(index)
    return inside
