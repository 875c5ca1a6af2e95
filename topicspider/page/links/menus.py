"""Finds the menus of pages that no tag or class name tells, as old pages made of tables have them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.page.links.blocks import LinkBlocks
    from topicspider.page.markup.reading import Anchor, Reading

_FEWEST, _MOST = 4, 25
"""Items of a menu; longer lists of short names are more often what a page is about."""
_SHORT, _SHORT_LATIN = 6, 12
"""Characters of a menu's item: 旅游频道, Contact us."""
_SHARE = 0.8
_DENSITY = 0.6
_IDEOGRAPHS = "\u2e80"
_A_TEXT = 40
"""Characters outside of links from which a block is text."""
_LONG_LINKS = 3
_CONTENT = 2
"""Content has so many times the characters of the menus: the short names that a directory lists are its content."""
_TAIL = 150
"""Characters from the end of the page in which a footer ends."""


@dataclass(slots=True)
class _Group:
    start: int
    end: int
    container: int
    count: int = 0
    short: int = 0
    linked: int = 0

    def looks_like_menu(self) -> bool:
        return (
            _FEWEST <= self.count <= _MOST
            and self.short >= _SHARE * self.count
            and self.linked >= _DENSITY * (self.end - self.start)
        )


def menus_of(reading: Reading, groups: Sequence[int], blocks: LinkBlocks) -> dict[int, str]:
    """Those of the ``groups`` of the main part that are menus: "nav" above all content, "footer" below it, at the page's end.

    A menu has 4 to 25 links, most of them short and no numbers, little text between them, and stands in no article. Content is
    blocks of text and groups with long links. Of the links that stand on most pages of their host, this rule raised the share
    outside of main from .90 to .93 and from .90 to .90 (25 recorded sites, in halves), from .75 to .76 and from .69 to .73 (33 news
    hosts); of the other links of main it took 1.4, 0.3, 0.3 and 1 %.
    """
    tally = _tally(reading, groups, blocks)
    found = {group: one for group, one in tally.items() if one.looks_like_menu()}
    if not found:
        return {}
    first, last, size = _content(reading, blocks, [one for group, one in tally.items() if group not in found])
    if size < _CONTENT * sum(one.linked for one in found.values()):
        return {}
    menus = {}
    for group, one in found.items():
        is_last = one.start >= last and one.end >= len(reading.text) - _TAIL
        if (one.end <= first or is_last) and not _is_in_article(reading, one.container):
            menus[group] = "footer" if is_last else "nav"
    return menus


def _tally(reading: Reading, groups: Sequence[int], blocks: LinkBlocks) -> dict[int, _Group]:
    tally: dict[int, _Group] = {}
    for anchor, group in zip(reading.anchors, groups, strict=True):
        length = anchor.end - anchor.start
        if length <= 0 or blocks[anchor.container] != "main":
            continue
        one = tally.get(group)
        if one is None:
            one = tally[group] = _Group(anchor.start, 0, anchor.container)
        one.end = anchor.end
        one.count += 1
        one.linked += length
        if length <= _SHORT_LATIN:
            one.short += _is_item(reading.text, anchor)
    return tally


def _is_item(text: str, anchor: Anchor) -> bool:
    words = text[anchor.start : anchor.end].strip(" []")
    return (len(words) <= _SHORT or words[0] < _IDEOGRAPHS) and not words.isdecimal()


def _content(reading: Reading, blocks: LinkBlocks, others: Sequence[_Group]) -> tuple[int, int, int]:
    """Where the content starts and ends in the page's text, and how many characters it has."""
    spans = [(one.start, one.end, one.linked) for one in others if one.count - one.short >= _LONG_LINKS]
    for block in reading.blocks:
        size = block.end - block.start - block.linked
        if size >= _A_TEXT and blocks[block.container] == "main":
            spans.append((block.start, block.end, size))
    if not spans:
        return 0, len(reading.text), 0
    return min(span[0] for span in spans), max(span[1] for span in spans), sum(span[2] for span in spans)


def _is_in_article(reading: Reading, at: int) -> bool:
    containers = reading.containers
    while at >= 0 and containers[at].tag != "article":
        at = containers[at].parent
    return at >= 0
