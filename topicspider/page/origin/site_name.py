"""Finds what a site calls itself: declared, learned from titles of its other pages, or in the copyright line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from topicspider.page.declared.jsonld import text_of, types_of
from topicspider.page.markup.texts import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from topicspider.page.markup.reading import Reading

_LONGEST = 100
_HOLDER = 40
_META = ("og:site_name", "application-name", "site_name", "sitename", "apple-mobile-web-app-title")
_END = 3000
"""Characters at the end of a page in which the copyright line stands."""
_RIGHTS = re.compile(r"©|\(c\)|copyright|版权所有|版權所有|著作权|all rights reserved", re.IGNORECASE)
_NOISE = re.compile(
    r"©|\(c\)|copy\s?right|版权所有|版權所有|著作权|保留所有权利|all rights? reserved\.?|(?:19|20)\d\d|[-–—~至]|(?:powered|designed|hosted) by.*|未经.*|请勿.*|不得.*"
    r"|[\w-]*ICP[备備证證].*|\S{0,4}公网安备.*|电话.*|地址.*|主办.*|(?:https?://|www\.)\S*|by\b",
    re.IGNORECASE,
)
_MARKS = re.compile(r"\s*(?:[|｜_»«•·]|\s[-–—:]\s|[-—–－](?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])[-—–－])\s*")
_CALLED_SITE = re.compile(
    r".{1,12}(?:[网網站]|在线|在線|论坛|論壇|社区|社區|[日晚晨时時]报|[日晚晨時]報|电视台|電視台|百科)"
)
_HOME = re.compile(r"(?:(?:https?:)?//[^/]+)?/?|\./")
_HOME_LINKS = 50
_SEPARATORS = re.compile(r"[，,。.;；|｜!！:：]|\s{2,}")


def declared_site_name(reading: Reading, objects: Iterable[dict[str, object]]) -> str:
    """og:site_name, application-name, JSON-LD WebSite, then a publisher; else ""."""
    objects = list(objects)
    for name in _META[:-1]:
        if site := one_line(reading.meta.get(name, ""), _LONGEST):
            return site
    for thing in objects:
        if "website" in types_of(thing) and (site := text_of(thing.get("name"))):
            return site[:_LONGEST]
    publisher = next((site[:_LONGEST] for thing in objects if (site := text_of(thing.get("publisher")))), "")
    return publisher or one_line(reading.meta.get(_META[-1], ""), _LONGEST)


def shown_site_name(reading: Reading, learned: tuple[str, ...] = ()) -> str:
    """The name that readers see: ``learned`` is what titles of the host have in common, whole and in parts.

    A part of the title that the copyright line or a link to the front page confirms goes first; then a last part that says it is a site (山水网, 山水论坛); then the
    last learned name; then the holder of the rights.
    """
    lines = [line for line in reading.text[-_END:].split("\n") if len(line) <= 300 and _RIGHTS.search(line)]
    parts = [part for part in _MARKS.split(reading.title[:300]) if len(part) > 1]
    holders = [holder for line in lines if (holder := _holder(line))]
    for part in reversed(parts[1:] or parts):
        if any(part in line for line in lines) or any(
            holder in part and 2 * len(holder) >= len(part) for holder in holders
        ):
            return one_line(part, _LONGEST)
    if len(parts) > 1 and parts[-1] in _home_texts(reading):
        return one_line(parts[-1], _LONGEST)
    if len(parts) > 1 and _CALLED_SITE.fullmatch(parts[-1]):
        return parts[-1]
    if learned:
        return one_line(learned[-1], _LONGEST)
    return holders[0] if holders else ""


def _home_texts(reading: Reading) -> set[str]:
    """What the first links to a front page say."""
    links = (one for one in reading.anchors[:_HOME_LINKS] if _HOME.fullmatch(one.href.strip()[:_LONGEST]))
    return {one_line(reading.text[one.start : min(one.end, one.start + _LONGEST)], _LONGEST) for one in links}


def _holder(line: str) -> str:
    """Who holds the rights, by a line such as "Copyright © 2008-2024 山水网 版权所有"."""
    cleared = _NOISE.sub("  ", line).strip(" .,，。-|:：/")
    first = next((part.strip() for part in _SEPARATORS.split(cleared) if len(part.strip()) > 1), "")
    return first if 1 < len(first) <= _HOLDER and any(map(str.isalpha, first)) else ""
