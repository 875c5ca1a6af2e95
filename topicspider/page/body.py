"""Finds the running text of a page: the blocks that read like sentences, around where they are densest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicspider.page.reading import Block, Reading

MAX_BODY = 200_000
_MARKS = re.compile(r"[，。！？；、：,.!?;:…”]")
_SHORT = 60
"""Bytes (20 Chinese characters, 10 English words) below which a line needs two punctuation marks to count as text."""
_LITTLE = 400
"""Bytes of text below which a page's comments may be what it is about."""

_LONGEST_ENDING = 80
_BYLINE = re.compile(
    r"^(?:\W*(?:发布|发表|更新|發布|發表)?(?:时间|日期|于|時間)?[:：\s]*)?(?:19|20)\d\d\s*[-/.年]\s*\d{1,2}\s*[-/.月]\s*\d{1,2}\s*日?[\s\d:：点分秒时]*(?:$|.{0,60}(?:来源|來源|作者|编辑|人参与|评论|字号|浏览|点击|阅读))"
    r"|^(?:来源|來源|作者|文章来源|稿源|字号|字體|字体|核心提示)\s*[:：]?\s*\S{0,20}$|^(?:大|中|小|\s|\|)+$"
)
_ENDING = re.compile(
    r"[\W_]*(?:责任编辑|責任編輯|责编|编辑[:：]|(?:本文)?来源[:：]|\(?本文来源|声明[:：]|免责声明|版权声明|相关新闻|相关阅读|相关文章|相关链接|相关报道|相关推荐|相關新聞|相關文章|相關報導|"
    r"延伸阅读|延伸閱讀|推荐阅读|热门推荐|猜你喜欢|更多关于|更多新闻|更多精彩|上一篇|下一篇|上一页|下一页|分享到|网友评论|我要评论|发表评论|跟贴|热门评论|"
    r"Related (?:articles|stories|posts|news|links|content|topics)|More (?:from|on|stories|news)\b|Read more\b|Share this|Comments?\W*(?:\(?\d+\)?)?$|Leave a (?:reply|comment)|Sign up\b|"
    r"Читайте также|По теме|Комментарии|Διαβάστε (?:ακόμη|επίσης)|Zobacz (?:też|także)|Czytaj (?:też|także|więcej)|関連記事)",
    re.IGNORECASE,
)
_MAIN = frozenset({"main", "header"})
_POSTS = _MAIN | {"comment"}
_ANYWHERE = _POSTS | {"aside", "nav"}
_DESCEND = 0.72
"""The body lies in a child when the child holds this share of the sentences (swept .5 to .9 on the measuring set)."""


def body_of(reading: Reading, named: list[str], title: str = "") -> str:
    """The body of a page whose containers lie in the zones ``named``: lines joined by newlines, at most MAX_BODY characters; "" when nothing reads like text."""
    if not reading.blocks:
        return ""
    places = _places(reading, named)
    values = _values(reading, places)
    chosen = _chosen(reading, places, values, _densest(reading, values))
    lines = [reading.block_text(block) for block in _without_endings(reading, chosen)]
    return "\n".join(_without_bylines(lines, title))[:MAX_BODY]


def _places(reading: Reading, named: list[str]) -> list[str]:
    """The zone of each block."""
    return [named[block.container] if block.container >= 0 else "main" for block in reading.blocks]


def _values(reading: Reading, places: list[str]) -> list[float]:
    """How much each block is worth as a part of the body.

    Comments count only where there is little else (a forum's posts are often called comments), the other
    zones and short lines only where there is nothing at all.
    """
    plain = [_value(reading, block) for block in reading.blocks]
    values = _only(plain, places, _MAIN)
    for wider in (_POSTS, _ANYWHERE):
        more = _only(plain, places, wider)
        if sum(values) < min(_LITTLE, sum(more) / 4):
            values = more
    if any(values):
        return values
    return [_short_value(reading, block, place) for block, place in zip(reading.blocks, places, strict=True)]


def _only(values: list[float], places: list[str], allowed: frozenset[str]) -> list[float]:
    return [value if place in allowed else 0.0 for value, place in zip(values, places, strict=True)]


def _value(reading: Reading, block: Block) -> float:
    length = block.end - block.start
    if block.linked * 2 > length:
        return 0.0
    text = reading.text[block.start : block.end]
    size = length if text.isascii() else len(text.encode("utf-8", "ignore"))
    marks = len(_MARKS.findall(text)) if size < 400 else 2
    if size < _SHORT and marks < 2:
        return 0.0
    return size * (1 - block.linked / length) * (1.0 if marks else 0.3)


def _short_value(reading: Reading, block: Block, place: str) -> float:
    length = block.end - block.start
    return 0.0 if place not in ("main", "comment") or block.linked * 2 > length or length < 4 else float(length)


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


def _chosen(reading: Reading, places: list[str], values: list[float], root: int) -> list[Block]:
    """The blocks of a container that belong to the body: from the first good one to the last, in order."""
    inside = _inside(reading, root)
    found = [index for index, block in enumerate(reading.blocks) if block.container in inside]
    good = [index for index in found if values[index] > 0]
    if not good:
        return []
    kept = [index for index in found if good[0] <= index <= good[-1]]
    return [reading.blocks[i] for i in kept if values[i] > 0 or _is_between(reading.blocks[i], places[i])]


def _is_between(block: Block, place: str) -> bool:
    """Whether a short line between good ones stays: a heading, a table's cell, an item of a list."""
    return place in ("main", "header") and block.linked * 2 <= block.end - block.start


def _inside(reading: Reading, root: int) -> set[int]:
    inside = {root}
    for index, container in enumerate(reading.containers):
        if container.parent in inside:
            inside.add(index)
    return inside


def _without_endings(reading: Reading, chosen: list[Block]) -> list[Block]:
    """Without boxes such as 相关新闻 and what follows the end of the text.

    A box ends where the text goes on at its own level of the tree; the end of the text is where it does not.
    """
    levels = [_level(reading, block) for block in chosen]
    home = _home(chosen, levels)
    kept: list[Block] = []
    is_boxed = is_home = False
    for block, level in zip(chosen, levels, strict=True):
        length = block.end - block.start
        if length < _LONGEST_ENDING and _ENDING.match(reading.block_text(block)):
            if level == home and is_home:
                return kept
            is_boxed = True
        elif is_boxed and level == home:
            is_boxed = False
        if not is_boxed:
            kept.append(block)
            is_home = is_home or level == home
    return kept


def _level(reading: Reading, block: Block) -> int:
    """The container a block stands in; a paragraph stands in its parent."""
    if block.container < 0:
        return -1
    container = reading.containers[block.container]
    return container.parent if container.tag in ("p", "h2", "h3", "h4") else block.container


def _home(chosen: list[Block], levels: list[int]) -> int:
    """The level that holds most text."""
    sizes: dict[int, int] = {}
    for block, level in zip(chosen, levels, strict=True):
        sizes[level] = sizes.get(level, 0) + block.end - block.start - block.linked
    return max(sizes, key=sizes.__getitem__, default=-1)


def _without_bylines(lines: list[str], title: str) -> list[str]:
    """Without the title and the line of date and source above the text."""
    first = 0
    while first < min(len(lines) - 1, 4) and (lines[first] == title or _is_byline(lines[first])):
        first += 1
    return lines[first:]


def _is_byline(line: str) -> bool:
    return len(line) < 100 and (_BYLINE.search(line) is not None)
