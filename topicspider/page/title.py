"""Finds the title of a page by a vote of ``<title>``, headings, og:title and the JSON-LD headline."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicspider.page.walk import Reading

MAX_TITLE = 300
_PARTS = re.compile(
    r"\s*[|｜_＿–—»›·•‧∙:：]+\s*|\s+[-－—–~/\\<>]+\s+|\s*(?:--+|——+|>>+|::+)\s*|(?<=[^\x00-\x7f])-|-(?=[^\x00-\x7f])"
)
_KEY = re.compile(r"[\W_]+")


def title_of(reading: Reading, headline: str = "") -> str:
    """The title, at most MAX_TITLE characters; "" when the page names none."""
    declared = _line(reading.title)
    social = _line(reading.meta.get("og:title", "") or reading.meta.get("twitter:title", ""))
    headings = _headings(reading)
    site = _key(reading.meta.get("og:site_name", ""))
    best = _supported(declared, headings, social, _line(headline), site)
    return (best or social or (headings[0] if headings else "") or declared)[:MAX_TITLE].strip()


def _supported(declared: str, headings: list[str], social: str, headline: str, site: str) -> str:
    """A heading that stands in ``<title>``, else the declared title without the parts that name the site."""
    key = _key(declared)
    for candidate in headings:
        wanted = _key(candidate)
        if len(wanted) >= 4 and wanted != site and key.startswith(wanted):
            return candidate
    for candidate in headings:
        wanted = _key(candidate)
        if len(wanted) >= 6 and wanted != site and (wanted in key or wanted == _key(social)):
            return candidate
    for candidate in (headline, social):
        if candidate and (not declared or _key(candidate) in key):
            return _without_site(candidate, site)
    return _without_site(declared, site)


def _without_site(title: str, site: str) -> str:
    """The first separated part that is long enough to be a title."""
    parts = [part for part in _PARTS.split(title) if part and part.strip()]
    if len(parts) < 2:
        return title
    best = max(parts, key=lambda part: len(part.encode("utf-8", "ignore")))
    first = parts[0]
    if _key(first) != site and len(first.encode("utf-8", "ignore")) * 2 >= len(best.encode("utf-8", "ignore")):
        return first
    return best


def _headings(reading: Reading) -> list[str]:
    found = [reading.blocks[index] for index in reading.headings[:40]]
    found = [block for block in found if block.tag in ("h1", "h2")]
    found.sort(key=lambda block: block.tag)
    return [_line(reading.text[block.start : min(block.end, block.start + MAX_TITLE)]) for block in found]


def _key(text: str) -> str:
    return _KEY.sub("", text).casefold()


def _line(text: str) -> str:
    return " ".join(text.split())
