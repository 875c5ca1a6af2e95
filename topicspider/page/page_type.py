"""Tells the type of a page: article, hub, list, forum, product or document."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from topicspider.items import HUB
from topicspider.page.links import FRAMES
from topicspider.page.typed_objects import ARTICLES, kind_of, text_of, types_of

if TYPE_CHECKING:
    from topicspider.page.parsed_page import Reading

_FORUM = re.compile(
    r"(?<![a-z])(?:forum|bbs|thread|viewtopic|showthread|topic|discuz|phpbb|luntan)(?![a-z])", re.IGNORECASE
)
_OG_KINDS = {"article": "article", "news": "article", "blog": "article", "product": "product", "book": "product"}
_LISTING = re.compile(
    r"/(?:tags?|categor(?:y|ies)|archives?|authors?|topics?|labels?|column|columns|channel|biaoqian|fenlei)/(?:[^/]+/){0,3}[^/]*$"
    r"|/page/?\d{1,5}/?$|/(?:list|index|default)[_-]?\d{1,6}(?:[_-]\d{1,6})?\.\w{3,5}$|/(?:tags?|categories|archives?|list|search|sitemap)(?:\.\w{3,5}|/)?$"
    r"|/(?:19|20)\d\d/(?:[01]?\d/)?$",
    re.IGNORECASE,
)
_LISTING_QUERY = re.compile(
    r"(?:^|&)(?:paged?|cat|tag|category|classid|typeid|sort|orderby|s|q|keyword)=", re.IGNORECASE
)
_A_PAGE = re.compile(
    r"\.s?html?$|/\d{4,}(?:\.\w{3,5})?$|/archives?/(?!(?:19|20)\d\d/?$)\d+/?$|\d{4}[-/_]?\d\d[-/_]?\d\d", re.IGNORECASE
)
"""Matches addresses of single pages, even below /archives/ or /tag/."""
_SHOWN = re.compile(
    r"(?:show|view|detail|read|article|content)(?:[-_]?(?:news|info|article|text))?\.(?:aspx?|php|jsp|cgi|do)\?(?:[^=]*=[^&]*&)*?[a-z]*id=\d",
    re.IGNORECASE,
)
"""Matches the address of a single text by its id, to which lists may append their own page number."""
_MORE = re.compile(
    r"(?:阅读|閱讀|查看|继续|繼續|展开)(?:全文|更多|阅读|閱讀|详情|詳情|原文)|全文|more|read (?:more|on|the rest|full).{0,60}|continue reading.{0,80}|keep reading.{0,60}|"
    r"view (?:post|article|details)|leer más|lire la suite|weiterlesen|続きを読む|more details",
    re.IGNORECASE,
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4"})
_HOME = re.compile(r"https?://[^/]+/?")
_TEASERS = 4
"""From so many linked headings in the text, or links such as 阅读全文, a page is a list of articles."""
_A_TEXT = 600
"""From so many bytes of body (200 Chinese characters, 100 English words) a page is text to read rather than a list of links."""


def type_of(reading: Reading, objects: list[dict[str, object]], body: str, url: str, is_html: bool) -> str:
    """The type, by the first rule that fits; what would be a list is a hub where it is a site's home:

    document: not HTML. forum: declared, or a forum's address and at least two posts. product: declared by JSON-LD or og:type.
    hub: an address such as /tag/… or /page/2 and five links, unless the page declares the one article of its title. list: declares a list
    or several articles, or has teasers. article: declares the one article of its title. list: links are over half of the text, and the body
    is shorter than 600 bytes or the links 15 times as long. Then the declared type; article for a body of 150 bytes; hub for frames without
    a body; list for ten links; else document.
    """
    if not is_html:
        return "document"
    declared = kind_of(objects)
    if declared == "forum" or (declared == "" and _FORUM.search(url) and _posts(reading) >= 2):
        return "forum"
    declared = declared or _OG_KINDS.get(reading.meta.get("og:type", "").lower().partition(".")[0], "")
    if declared == "product":
        return declared
    if len(reading.anchors) >= 5 and is_listing_address(url) and not _is_one_article(objects, reading):
        return HUB
    if declared == "list" or _is_listing(reading, objects, declared, body, url):
        return HUB if _HOME.fullmatch(url) else "list"
    if declared == "article" and _is_one_article(objects, reading):
        return "article"
    size = len(body.encode("utf-8", "ignore"))
    linked = sum(block.linked for block in reading.blocks)
    if linked > 0.5 * len(reading.text) and (size < _A_TEXT or linked > 15 * len(body)):
        return HUB if _HOME.fullmatch(url) else "list"
    if declared or size >= _A_TEXT / 4:
        return declared or "article"
    if not body and any(anchor.tag in FRAMES for anchor in reading.anchors):
        return HUB
    return "list" if len(reading.anchors) >= 10 else "document"


def _is_one_article(objects: list[dict[str, object]], reading: Reading) -> bool:
    """Whether JSON-LD declares one article, and ``<title>`` contains its headline (20 characters); not one with the site's name (blogs)."""
    headlines = [text_of(thing.get("headline")) for thing in objects if types_of(thing) & ARTICLES]
    if len(headlines) != 1 or headlines[0] == reading.meta.get("og:site_name"):
        return False
    return len(headlines[0]) > 1 and headlines[0][:20] in reading.title


def _is_listing(reading: Reading, objects: list[dict[str, object]], declared: str, body: str, url: str) -> bool:
    """Whether a page lists articles rather than being one: it declares several, or it has teasers."""
    if sum(1 for thing in objects if types_of(thing) & ARTICLES) >= _TEASERS:
        return True
    if declared or not reading.blocks:
        return False
    return _has_teasers(reading, body, url)


def is_listing_address(url: str) -> bool:
    """Whether the address looks like that of a list: /tag/…, /category/…, /archives/2020/, /page/2, ?paged=2."""
    path, _, query = url.partition("#")[0].partition("?")
    path = "/" + path.partition("://")[2].partition("/")[2]
    if _LISTING_QUERY.search(query[:500]) and not _A_PAGE.search(path[-200:]):
        return not _SHOWN.search(f"{path[-200:]}?{query[:500]}")
    found = _LISTING.search(path[:2100])
    is_part = found is not None and found[0].startswith(("/page", "/list", "/index", "/default"))
    return is_part or (found is not None and not _A_PAGE.search(found[0]))


def _has_teasers(reading: Reading, body: str, url: str) -> bool:
    """Whether there are several links to the full text (阅读全文), or several headings within the body that link to other pages."""
    heads: dict[int, str] = {}
    more = 0
    own = _last_part(url)
    for anchor in reading.anchors:
        if anchor.end - anchor.start > 100 or anchor.block >= len(reading.blocks):
            continue
        block = reading.blocks[anchor.block]
        target = anchor.href.partition("#")[0]
        if block.tag in _HEADINGS and block.linked * 2 > block.end - block.start:
            if target and _last_part(target) != own:
                heads.setdefault(block.start, target)
        elif _MORE.fullmatch(reading.text, anchor.start, anchor.end):
            more += 1
    if more >= _TEASERS:
        return True
    lines = body.split("\n")
    first = reading.text.find(lines[0][:100])
    last = reading.text.rfind(lines[-1][:100])
    among = {target for place, target in heads.items() if first - 200 <= place <= last}
    return len(among) >= _TEASERS and len(reading.headings) <= 2 * len(heads)


def _last_part(url: str) -> str:
    return url.partition("#")[0].partition("?")[0].rstrip("/").rpartition("/")[2]


def _posts(reading: Reading) -> int:
    """Containers that look like one post of a thread."""
    names = (container.names.lower() for container in reading.containers)
    return sum("post" in name or "reply" in name for name in names)
