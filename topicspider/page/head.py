"""Reads what the head of a page declares: canonical address, robots, refresh, author, name of the site."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from topicspider.page.jsonld import text_of, types_of
from topicspider.page.texts import one_line
from topicspider.url.canonical import canonicalize
from topicspider.url.host import host_of, site_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from topicspider.page.reading import Reading

_REFRESH = re.compile(
    r"\s*+(?:\d{1,9}+(?:\.\d{0,9}+)?+)?+\s*+[;,]?+\s*+(?:url\s*+=\s*+)?+[\"']?+\s*+([^\"'\s][^\"']{0,2000})",
    re.IGNORECASE,
)
_BYLINE = re.compile(
    r"(?:^|[\s(（\[【])(?:(?:作者|撰文|撰稿|[Aa]uthor)\s?[:：]|文\s?[/／]|(?:本报|本网|通讯员)?记者[:：\s])\s*(?!来源|日期|时间)([\w·•.\-]{2,20}?)(?=$|[\s)）\]】,，;；|/])"
    r"|^(?:By|BY)\s+((?:[A-Z][\w.'’-]{0,20}\s?){2,4})$",
    re.MULTILINE,
)
_AUTHOR = 80


def canonical_of(reading: Reading, base: str, url: str) -> str:
    """The address of ``<link rel=canonical>`` if it is of the page's own site, else "": wrong ones are common."""
    for rel, href, _language in reading.head_links:
        if "canonical" in rel.split():
            target = canonicalize(href, base)
            if target and site_of(host_of(target)) == site_of(host_of(url)):
                return target
            return ""
    return ""


def robots_of(reading: Reading) -> frozenset[str]:
    """noindex and nofollow, as far as ``<meta name=robots>`` says so ("none" is both)."""
    words = set(re.split(r"[\s,]+", reading.meta.get("robots", "").lower()))
    if "none" in words:
        return frozenset({"noindex", "nofollow"})
    return frozenset(words & {"noindex", "nofollow"})


def refresh_of(reading: Reading, base: str) -> str:
    """Where ``<meta http-equiv=refresh>`` leads, canonical, or ""."""
    found = _REFRESH.match(reading.meta.get("refresh", ""))
    return (canonicalize(found[1], base) or "") if found and found[1] else ""


def author_of(reading: Reading, objects: Iterable[dict[str, object]]) -> str:
    """Who wrote it: JSON-LD, meta author, else a byline such as 作者：张三 near the start; "" when unknown."""
    for thing in objects:
        if author := text_of(thing.get("author")):
            return author[:_AUTHOR]
    for name in ("author", "article:author", "byl", "dc.creator"):
        author = one_line(reading.meta.get(name, ""), _AUTHOR)
        if author and "://" not in author:
            return author
    found = _BYLINE.search(reading.text[:3000])
    return one_line(found[1] or found[2], _AUTHOR) if found else ""


def site_name_of(reading: Reading, objects: Iterable[dict[str, object]]) -> str:
    """The name the site gives itself: og:site_name, application-name, JSON-LD WebSite or publisher; else ""."""
    for name in ("og:site_name", "application-name"):
        if site := one_line(reading.meta.get(name, ""), 100):
            return site
    for thing in objects:
        if "website" in types_of(thing) and (site := text_of(thing.get("name"))):
            return site[:100]
    return next((site[:100] for thing in objects if (site := text_of(thing.get("publisher")))), "")
