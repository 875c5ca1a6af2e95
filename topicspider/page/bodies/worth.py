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
_RIGHTS = re.compile(
    r"版权所有|版權所有|许可证(?:编?号)?[:：]|ICP备|不得转载|禁止转载|無断転載|무단 ?전재|all rights reserved|terms of (?:use|service)",
    re.IGNORECASE,
)
_LONGEST_RIGHTS = 300
_COMMENTS = re.compile(
    r"[\W\d]*(?:(?:网友|最新|热门|全部|精彩|商品|用户|读者|文章|網友|最新|全部|讀者)?(?:评论|評論|留言|跟贴|跟帖|评价|回響)(?:列表|区|區)?"
    r"|(?:reader |user |customer )?(?:comments?|reviews|responses)|leser?kommentare|kommentare|commentaires?|comentarios|comentários|commenti|reacties"
    r"|комментари[ия]|コメント|댓글)[\W\d条條]*",
    re.IGNORECASE,
)
"""The heading of what readers say."""
_LONGEST_HEADING = 30
_MAIN = frozenset({"main", "header"})
_POSTS = _MAIN | {"comment"}
_WIDER = ((frozenset({"comment"}), 1 / 8), (frozenset({"aside", "nav"}), 1 / 4))
"""What is looked at where there is little text, and of what it then adds up to, the share below which it counts."""


def places_of(reading: Reading, named: list[str]) -> list[str]:
    """The zone of each block; what follows a heading such as 网友评论 in its container is comments."""
    places = [named[block.container] if block.container >= 0 else "main" for block in reading.blocks]
    for index, block in enumerate(reading.blocks):
        if places[index] not in _MAIN or block.linked or block.end - block.start > _LONGEST_HEADING:
            continue
        if not _COMMENTS.fullmatch(reading.block_text(block)):
            continue
        around = reading.containers[block.container].parent if block.container >= 0 else -1
        for following in range(index, len(places)):
            if not _is_within(reading, reading.blocks[following].container, around):
                break
            if places[following] in _MAIN:
                places[following] = "comment"
    return places


def _is_within(reading: Reading, container: int, around: int) -> bool:
    while container > around:
        container = reading.containers[container].parent
    return container == around


def worths(reading: Reading, places: list[str], links: list[bool], is_thread: bool = False) -> list[float]:
    """How much each block is worth, 0 or more; ``links`` says of each whether it is mostly links.

    Comments count in a thread, and where there is little else; the other zones and short lines only where there is nothing at all.
    """
    plain = _with_teasers(places, links, [_worth(reading, block) for block in reading.blocks])
    allowed = _POSTS if is_thread else _MAIN
    values = _only(plain, places, allowed)
    for others, least in _WIDER:
        more = _only(plain, places, allowed | others)
        if sum(values) < min(_LITTLE, sum(more) * least):
            allowed, values = allowed | others, more
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
    if length <= _LONGEST_RIGHTS and _RIGHTS.search(text):
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
