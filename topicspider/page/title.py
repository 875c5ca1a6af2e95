"""Finds the title of a page by a vote of ``<title>``, headings, og:title and the JSON-LD headline."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicspider.page.reading import Reading

MAX_TITLE = 300
_MAX_HEADINGS = 40
_PARTS = re.compile(
    r"\s*[|｜_＿»›•∙]+\s*|\s+[-－—–~/\\<>«·]+\s+|\s*(?:--+|——+|>>+|::+)\s*"
    r"|(?<=[^\x00-\x7f])[-－–—](?![-－–—\d])|(?<![-－–—\d])[-－–—](?=[^\x00-\x7f])"
)
_KEY = re.compile(r"[\W_]+")


def title_of(reading: Reading, headline: str = "") -> str:
    """The title, at most MAX_TITLE characters; "" when the page names none.

    The vote: a heading that stands in ``<title>`` wins; then a lone h1 that shares words with it; then og:title
    or the JSON-LD headline when ``<title>`` has it, too; else ``<title>`` without the separated parts that
    name the site.
    """
    declared = _line(reading.title)
    site = _key(reading.meta.get("og:site_name", ""))
    social = _without_site(_line(reading.meta.get("og:title", "") or reading.meta.get("twitter:title", "")), site)
    headings = _headings(reading)
    title = (
        _heading_in(declared or social, headings, site)
        or _lone_heading(headings, declared, site)
        or _confirmed(declared, (social, _line(headline)))
        or _without_site(declared, site)
        or social
        or _line(headline)
        or (headings[0][1] if headings else "")
    )
    return title[:MAX_TITLE].strip()


def _heading_in(declared: str, headings: list[tuple[str, str]], site: str) -> str:
    """A heading that the declared title begins with (4 letters at least), else one that it contains (6).

    h1 goes before h2; a longer such heading that goes on where the chosen one ends is preferred to it.
    """
    key = _key(declared)
    wanted = [(text, _key(text)) for _tag, text in headings]
    wanted = [(text, own) for text, own in wanted if own and own != site]
    begins = [(text, own) for text, own in wanted if len(own) >= 4 and key.startswith(own)]
    found = begins or [(text, own) for text, own in wanted if len(own) >= 6 and own in key]
    if not found:
        return ""
    first = found[0][1]
    return max((one for one in found if one[1].startswith(first)), key=lambda one: len(one[1]))[0]


def _confirmed(declared: str, candidates: tuple[str, ...]) -> str:
    key = _key(declared)
    return next((text for text in candidates if text and (wanted := _key(text)) and wanted in key), "")


def _lone_heading(headings: list[tuple[str, str]], declared: str, site: str) -> str:
    """The only h1, when it is no logo: long enough, and alike the declared title or longer than all of it."""
    first = [text for tag, text in headings if tag == "h1"]
    if len(first) != 1 or _key(first[0]) == site or _size(first[0]) < 18:
        return ""
    ours, theirs = _pairs(first[0]), _pairs(declared)
    alike = len(ours & theirs) >= 0.4 * max(1, min(len(ours), len(theirs)))
    return first[0] if alike or _size(first[0]) > _size(declared) else ""


def _without_site(title: str, site: str) -> str:
    """The longest separated part, with the parts after it that are about as long (a title may hold a dash)."""
    spans, start = [], 0
    for mark in _PARTS.finditer(title):
        spans.append((start, mark.start()))
        start = mark.end()
    spans = [(a, b) for a, b in [*spans, (start, len(title))] if title[a:b].strip() and _key(title[a:b]) != site]
    if not spans:
        return title
    sizes = [_size(title[a:b]) for a, b in spans]
    core = sizes.index(max(sizes))
    if sizes[0] * 2 >= sizes[core]:
        core = 0
    last = core
    while last + 1 < len(spans) - 1 and sizes[last + 1] >= 0.6 * sizes[core]:
        last += 1
    return title[spans[core][0] : spans[last][1]].strip()


def _headings(reading: Reading) -> list[tuple[str, str]]:
    """(tag, text) of the first h1, then h2."""
    found = [reading.blocks[index] for index in reading.headings[:_MAX_HEADINGS]]
    found = sorted((block for block in found if block.tag in ("h1", "h2")), key=lambda block: block.tag)
    return [(b.tag, _line(reading.text[b.start : min(b.end, b.start + MAX_TITLE)])) for b in found]


def _size(text: str) -> int:
    return len(text.encode("utf-8", "ignore"))


def _pairs(text: str) -> set[str]:
    key = _key(text)
    return {key[i : i + 2] for i in range(len(key) - 1)}


def _key(text: str) -> str:
    return _KEY.sub("", text).casefold()


def _line(text: str) -> str:
    return " ".join(text.replace("\xad", "").split())
