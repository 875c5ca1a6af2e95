"""Reads labelled fields from a page's text: on lines, in neighbouring cells, in definition lists; labels are those of labels.py."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from topicspider.page.typed.labels import LONGEST, STARTS, field_of, spelled
from topicspider.page.typed.values import clean

if TYPE_CHECKING:
    from topicspider.page.markup.reading import Block, Reading

_MAX_BLOCKS = 3000
_MAX_FOUND = 300
_LONGEST_LINE = 600
_LONGEST_CELL = 300
_LONGEST_PAIR = 80
"""Characters of a line that holds a label and its value with nothing between them."""
_COLON = re.compile(r"[\s\u200e\u200f]{0,3}[:：](?!//)")
_PIECES = re.compile(r"[\w\s.\-/*#'’\u200e\u200f]{1,40}$")
_BRACKETED = re.compile(r"[【\[［](?P<label>[\w\s]{2,16})[】\]］]\s?[:：]?")
_HAN_END = re.compile(r"[\u3400-\u9fff]{2,8}$")
_NUMBER = re.compile(r"\d")
_STARTS_VALUE = re.compile(r"(?:[A-Z]{1,3}\s?)?[\d￥¥$€£+(（]")
_NO_VALUE = re.compile(r"[简簡介绍紹分故专專大馆館推热熱排列区區直保官认認文库庫投联聯中服查列表搜]")
_LETTERS_THEN_NUMBER = re.compile(r"[A-Za-z][A-Za-z .-]{1,18}(?=[\d$+])")
_SELF_EVIDENT = frozenset({"isbn", "price", "list_price", "phone", "mobile", "fax", "postcode"})
_FOOTER = re.compile(
    r"版权所有|版權所有|copyright|©|[Ii][Cc][Pp]备|[Ii][Cc][Pp]證|all rights reserved|技术支持|著作權", re.IGNORECASE
)
_CELLS = frozenset({"td", "th", "dt", "dd"})
_LAST_BLOCKS = 40
_LONGEST_FOOTER = 300
_WIDEST_ROW = 400
"""Containers within a row of cells: counting them costs time for each label."""
_GROUP = 3
"""Labels in a row that make a list of fields of lines such as 品牌某某."""


@dataclass(frozen=True, slots=True)
class Found:
    """One labelled value; ``block`` is the index of the block the label stands in, ``label`` as it is spelled."""

    field: str
    value: str
    block: int
    label: str


def main_blocks(reading: Reading, zones: list[str]) -> list[int]:
    """The blocks outside menus, sidebars and footers; old pages name no footer, but say whose the rights are."""
    blocks = reading.blocks
    kept = [
        index
        for index, block in enumerate(blocks)
        if block.container < 0 or zones[block.container] in ("main", "header")
    ]
    kept = kept[:_MAX_BLOCKS]
    for place in range(len(kept) - 1, max(len(kept) // 2, len(kept) - _LAST_BLOCKS), -1):
        block = blocks[kept[place]]
        if block.end - block.start <= _LONGEST_FOOTER and _FOOTER.search(reading.text, block.start, block.end):
            while place and blocks[kept[place - 1]].container == block.container:
                place -= 1
            return kept[:place]
    return kept


def labelled(reading: Reading, indexes: list[int]) -> list[Found]:
    """Every labelled value of these blocks, in document order, at most 300."""
    found: list[Found] = []
    pairs: list[tuple[int, str, str, str]] = []
    for place, index in enumerate(indexes):
        block = reading.blocks[index]
        length = block.end - block.start
        if length > _LONGEST_LINE or len(found) >= _MAX_FOUND:
            continue
        line = reading.text[block.start : block.end]
        if length <= LONGEST and (pair := _beside(reading, indexes, place, line)):
            found.append(pair)
        elif ":" in line or "：" in line or line[0] in "【[［":
            found.extend(_on_line(line, index))
        elif length <= _LONGEST_PAIR and block.linked < length and (glued := _glued(line)):
            pairs.append((index, *glued))
    if pairs:
        found = sorted(found + _evident(reading, pairs), key=lambda one: one.block)
    return [one for one in found if one.field and one.value]


# --- label and value in two blocks -----------------------------------------------------------------


def _beside(reading: Reading, indexes: list[int], place: int, line: str) -> Found | None:
    """The value in the cell or line after a block that is a label alone."""
    label = spelled(line.rstrip(":： \u200e\u200f"))
    field = field_of(label) if label else None
    if field is None or place + 1 >= len(indexes):
        return None
    has_colon = line.rstrip("\u200e\u200f ")[-1:] in (":", "：")
    first, second = reading.blocks[indexes[place]], reading.blocks[indexes[place + 1]]
    if indexes[place + 1] != indexes[place] + 1 or second.end - second.start > _LONGEST_CELL:
        return None
    value = reading.block_text(second)
    if field_of(spelled(value.rstrip(":： "))) is not None or not (
        has_colon or _are_neighbours(reading, first, second)
    ):
        return None
    marks = _marks(value)
    if marks and marks[0][0] == 0:
        return None  # the next line has a label of its own: this one has no value
    return Found(field, clean(value), indexes[place], label)


def _are_neighbours(reading: Reading, first: Block, second: Block) -> bool:
    """Whether two blocks are cells of a row (label cells stand at even places), dt and dd, or siblings in a box of two."""
    if first.container < 0 or second.container < 0:
        return False
    one, other = _cell(reading, first.container), _cell(reading, second.container)
    left, right = reading.containers[one], reading.containers[other]
    if left.parent != right.parent or one == other:
        return False
    if left.tag == "dt" or right.tag == "dd":
        return left.tag == "dt" and right.tag == "dd"
    if other - left.parent > _WIDEST_ROW:
        return False
    siblings = [
        index
        for index in range(left.parent + 1, other + 3)
        if index < len(reading.containers) and reading.containers[index].parent == left.parent
    ]
    if left.tag in _CELLS:
        return siblings.index(one) % 2 == 0 and not (left.tag == right.tag == "th")
    return len(siblings) == 2


def _cell(reading: Reading, container: int) -> int:
    """The cell, dt or dd around a container, else the container."""
    place = container
    for _ in range(3):
        if reading.containers[place].tag in _CELLS:
            return place
        if reading.containers[place].parent < 0:
            break
        place = reading.containers[place].parent
    return container


# --- label and value on one line -------------------------------------------------------------------


def _on_line(line: str, index: int) -> list[Found]:
    """The labelled values of one line: each goes on to the next label."""
    marks = _marks(line)
    found = []
    for place, (_start, after, field, label) in enumerate(marks):
        end = marks[place + 1][0] if place + 1 < len(marks) else len(line)
        found.append(Found(field, clean(line[after:end]), index, label))
    return found


def _marks(line: str) -> list[tuple[int, int, str, str]]:
    """(start of the label, start of the value, field, label) of each label of a line."""
    marks: list[tuple[int, int, str, str]] = []
    if line[0] in "【[［" or "【" in line:
        for bracketed in _BRACKETED.finditer(line):
            label = spelled(bracketed["label"])
            field = field_of(label)
            if field is not None:
                marks.append((bracketed.start(), bracketed.end(), field, label))
    reached = marks[-1][1] if marks else 0
    for colon in _COLON.finditer(line):
        if colon.start() < reached:
            continue
        mark = _mark(line, reached, colon.start(), bool(marks))
        if mark is not None:
            marks.append((mark[0], colon.end(), mark[1], mark[2]))
            reached = colon.end()
    return marks


def _mark(line: str, start: int, end: int, has_before: bool) -> tuple[int, str, str] | None:
    """(start, field, label) of the label that ends where a colon stands."""
    head = line[max(start, end - 2 * LONGEST) : end]
    pieces = _PIECES.search(head)
    if pieces is None:
        return None
    offset = end - len(pieces[0])
    words = [(one.start() + offset, one[0]) for one in re.finditer(r"\S+", pieces[0])]
    for place in range(len(words)):
        label = spelled("".join(word for _, word in words[place:]))
        if label and len(label) <= LONGEST and (field := field_of(label)) is not None:
            return words[place][0], field, label
    if not words or _NUMBER.search(words[-1][1][-1:]):
        return None
    glued = _HAN_END.search(words[-1][1]) if has_before else None
    if glued:  # no blank between a value and the next label: 作者：张三出版社：某某
        for place in range(len(glued[0]) - 1):
            label = glued[0][place:]
            if (field := field_of(label)) is not None and len(label) >= 2 and not label.endswith(("价", "價")):
                return end - len(label), field, label
    last = words[-1]
    return (last[0], "", last[1]) if len(last[1]) <= 8 and last[0] > 0 else None


# --- label and value without anything between ------------------------------------------------------


def _glued(line: str) -> tuple[str, str, str] | None:
    """(field, label, value) of a line such as 品牌某某 or ISBN 978…: the longest label it begins with."""
    if spelled(line[:8])[: 3 if line[0].isascii() else 2] not in STARTS:
        return None
    if line.isascii():
        joined = _LETTERS_THEN_NUMBER.match(line)
        if joined and (field := field_of(spelled(joined[0]))) is not None:
            return field, spelled(joined[0]), line[joined.end() :]
        words = line.split(None, 4)
        for count in range(min(3, len(words) - 1), 0, -1):
            label = spelled("".join(words[:count]))
            if (field := field_of(label)) is not None:
                return field, label, line.split(None, count)[count]
        return None
    for length in range(min(8, len(line) - 1), 1, -1):
        head = line[:length]
        field = field_of(spelled(head))
        if field is not None and head[-1:].strip():
            return field, spelled(head), line[length:].strip()
    return None


def _evident(reading: Reading, pairs: list[tuple[int, str, str, str]]) -> list[Found]:
    """Those of the lines without a colon that are plain by their value, or stand in a list of at least three such lines."""
    kept = [
        Found(field, clean(value), index, label)
        for index, field, label, value in pairs
        if field in _SELF_EVIDENT and _STARTS_VALUE.match(value)
    ]
    seen = {one.block for one in kept}

    def place(pair: tuple[int, str, str, str]) -> int:
        container = reading.blocks[pair[0]].container
        return reading.containers[container].parent if container >= 0 else -1

    for _parent, group in groupby(pairs, key=place):
        lines = list(group)
        if len({label for _, _, label, _ in lines}) >= _GROUP:
            kept += [
                Found(field, clean(value), index, label)
                for index, field, label, value in lines
                if index not in seen and not _NO_VALUE.match(value)
            ]
    return kept
