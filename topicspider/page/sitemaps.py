"""Reads sitemaps (sitemaps.org) and feeds (RSS, Atom) as lists of links, and remembers which ones were requested of each host."""

from __future__ import annotations

import html
import re
import zlib
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from html.entities import html5
from typing import NamedTuple

from topicspider.page.decode import MAX_BYTES, decode
from topicspider.page.links import KindOf, Link
from topicspider.page.parsed_page import one_line, safe
from topicspider.page.xml_elements import Element, elements, local_name, text_within
from topicspider.url import canonicalize, host_key

SITEMAP, FEED = "sitemap", "feed"
LISTING_TYPES = (
    "text/xml", "application/xml", "application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/x-rss+xml",
    "application/gzip", "application/x-gzip",
)  # fmt: skip
"""The content types that servers send for listings; a sitemap index and its parts are often gzipped."""

_NAMELESS_TYPES = frozenset({"application/octet-stream", "binary/octet-stream"})


class _Entry(NamedTuple):
    """One entry of a listing: its URL, which may be relative, title, description, and day (YYYY-MM-DD, or "")."""

    url: str
    title: str
    description: str
    day: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The content of one listing: ``links`` newest first, further ``sitemaps``, and the number of entries ``skipped`` by reason.

    ``kind``: sitemap or feed. Reasons: invalid (no URL), repeated, too_old (day before the topic's ``newer_than``), limit.
    """

    kind: str
    title: str = ""
    links: tuple[Link, ...] = ()
    sitemaps: tuple[str, ...] = ()
    skipped: Counter[str] = field(default_factory=Counter)


def is_packed_listing(url: str, kind: str) -> bool:
    """Whether ``url`` ends in .xml.gz and its content type ``kind`` is application/octet-stream or the like."""
    return kind in _NAMELESS_TYPES and url.partition("?")[0].lower().endswith(".xml.gz")


_DAY = re.compile(r"\s*(\d{4}-[01]\d-[0-3]\d)")
_ENTRIES = {SITEMAP: ("{*}url", "{*}sitemap"), FEED: ("{*}item", "{*}entry")}
_FIELDS = {
    "loc": "url", "lastmod": "day", "title": "title", "link": "url", "description": "description", "summary": "description",
    "content": "description", "pubDate": "day", "published": "day", "updated": "day", "date": "day", "guid": "guid",
}  # fmt: skip


def _entries(xml: bytes, kind: str, url: str) -> tuple[str, list[_Entry]]:
    """(the feed's title, the entries that can be parsed); at most 50,000, as the sitemap protocol allows."""
    title, base, found = "", "", list[_Entry]()
    if xml.count(b"<") > 1_000_000:  # bombs of elements
        return title, found
    for element in elements(xml, *_ENTRIES[kind], "{*}title"):
        if local_name(str(element.tag)) == "title":
            above = element.getparent()
            if not title and above is not None and local_name(str(above.tag)) in ("channel", "feed"):
                title = text_within(element).strip()
            continue
        base = base or _base(element.getroottree().getroot(), url)
        entry = _entry(element, _base(element, base))
        element.clear()
        if entry.url:
            found.append(entry)
        if len(found) >= 50_000:
            break
    return title, found


def _base(element: Element, above: str) -> str:
    """The base URL inside ``element``: its xml:base, resolved against ``above``; else ``above``."""
    said = str(element.get("{http://www.w3.org/XML/1998/namespace}base", ""))
    return (said and canonicalize(said, above)) or above


def _entry(element: Element, base: str) -> _Entry:
    """The entry made of the first value of each field, among children in its own namespace or Dublin Core's."""
    fields: dict[str, str] = {}
    own = str(element.tag).rpartition("}")[0]
    for part in element:
        space, _, name = str(part.tag).rpartition("}")
        text = (part.get("href") or text_within(part)).strip()
        # of Atom's links only the page itself is wanted
        if (
            text
            and part.get("rel", "alternate") == "alternate"
            and (space == own or space.endswith("/dc/elements/1.1/"))
        ):
            if (key := _FIELDS.get(name, "")) == "url" and key not in fields:
                text = canonicalize(text[:2_083], _base(part, base)) or text
            if key != "guid" or _is_permalink(part, text):
                fields.setdefault(key, text[:4_000])
    url, day = fields.get("url") or fields.get("guid", ""), day_of(fields.get("day", ""))
    return _Entry(url, fields.get("title", ""), fields.get("description", ""), day)


def _is_permalink(guid: Element, text: str) -> bool:
    """Whether RSS's ``<guid>`` is a URL; some are mere numbers without isPermaLink=false."""
    return guid.get("isPermaLink") != "false" and text.startswith(("http://", "https://"))


def day_of(text: str) -> str:
    """YYYY-MM-DD from an ISO 8601 or RFC 822 date; "" for anything else."""
    if found := _DAY.match(text):
        return found[1]
    try:
        return parsedate_to_datetime(text[:100]).date().isoformat() if text else ""
    except (TypeError, ValueError, IndexError, OverflowError):
        return ""


MOST = {SITEMAP: 20, FEED: 3}
"""Most files requested of one host in one run; a blog may have a separate feed of comments for each article."""
CAPACITY = 10_000


class Places:
    """The listings requested of each host; beyond ``capacity`` the least recently used hosts are forgotten."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._asked: OrderedDict[tuple[str, str], set[str]] = OrderedDict()

    def take(self, kind: str, urls: Iterable[str]) -> list[str]:
        """Those of ``urls`` (canonical) that were not taken before, up to MOST[kind] for each host."""
        taken = []
        for url in urls:
            key = (kind, host_key(url))
            asked = self._asked.setdefault(key, set())
            self._asked.move_to_end(key)
            if len(self._asked) > self._capacity:
                self._asked.popitem(last=False)
            if url not in asked and len(asked) < MOST[kind]:
                asked.add(url)
                taken.append(url)
        return taken


_PACKED = b"\x1f\x8b"
_KINDS = {"urlset": SITEMAP, "sitemapindex": SITEMAP, "rss": FEED, "feed": FEED, "rdf": FEED}
_PROLOG = 8_192
_ROOT = re.compile(r"<(?:[A-Za-z_][\w.-]{0,60}:)?([A-Za-z]{1,20})[\s/>]")
_DECLARATION = re.compile(r"\A\s*<\?xml[^>]{0,200}\?>")
_PLAIN_TYPE = re.compile(r"<!DOCTYPE[^\[<>]{0,500}>")  # of RSS 0.91; no entities of its own
_AMPERSAND = re.compile(
    r"&(?:([A-Za-z][A-Za-z0-9]{1,31}|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)?|<!\[CDATA\[[\s\S]*?(?:\]\]>|\Z)|<!--[\s\S]*?(?:-->|\Z)"
)
_NO_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_TAG = re.compile(r"<[^<>]{0,1000}>")
_XML_NAMES = frozenset({"amp", "lt", "gt", "quot", "apos"})


def read_listing(
    url: str,
    body: bytes,
    content_type: str = "",
    *,
    kinds: Collection[str] = (SITEMAP, FEED),
    max_links: int = 2000,
    newer_than: str = "",
) -> Listing | None:
    """The listing in ``body``, which came from ``url``; None when it is none of these ``kinds``. Never raises.

    At most 4 MiB (after gunzip) are read, and the newest ``max_links`` entries kept; entries with a day before ``newer_than`` (YYYY-MM-DD)
    are skipped. Of broken XML, what comes before the error is used.
    """
    text = decode(_unpacked(body), content_type).text
    root = _root_name(text[:_PROLOG])
    kind = _KINDS.get(root, "")
    if not kind or kind not in kinds:
        return None
    xml = _mended(text).encode("utf-8", "replace")
    base = canonicalize(url) or url
    title, entries = _entries(xml, kind, base)
    title = _line(title, 300)
    entries.sort(key=lambda entry: entry.day, reverse=True)
    if root == "sitemapindex":
        parts = (canonicalize(entry.url, base) for entry in entries[:1_000])
        return Listing(kind, title, sitemaps=tuple(dict.fromkeys(part for part in parts if part)))
    skipped: Counter[str] = Counter()
    links = _links(entries, base, title, max_links, newer_than, skipped)
    return Listing(kind, title, tuple(links), skipped=skipped)


def may_be_listing(body: bytes, kind: str = "") -> bool:
    """Whether ``body`` is worth reading as a listing: its media type ``kind`` is XML or gzip, it is gzipped, or begins like a listing."""
    is_typed = kind in LISTING_TYPES or body.startswith(_PACKED)
    return is_typed or _root_name(body[:_PROLOG].decode("latin-1")) in _KINDS


def _links(
    entries: list[_Entry], base: str, heading: str, max_links: int, newer_than: str, skipped: Counter[str]
) -> list[Link]:
    """One link per entry, in the given order: newest first, entries without a day last in document order."""
    kind_of, links, seen = KindOf(base), list[Link](), set[str]()
    for entry in entries:
        url = canonicalize(entry.url[:2_083], base)
        reason = _reason(url, entry, newer_than, seen)
        if not reason and len(links) >= max_links:
            reason = "limit"
        if reason or url is None:
            skipped[reason] += 1
            continue
        links.append(
            Link(
                url,
                _line(entry.title, 300),
                after=_line(entry.description, 150),
                heading=heading[:150],
                position=len(links),
                kind=kind_of(url),
                group=0,
            )
        )
    return links


def _reason(url: str | None, entry: _Entry, newer_than: str, seen: set[str]) -> str:
    if url is None:
        return "invalid"
    if url in seen:
        return "repeated"
    seen.add(url)
    return "too_old" if entry.day and entry.day < newer_than else ""


def _line(text: str, limit: int) -> str:
    """``text`` without HTML, at most ``limit`` characters on one line; feeds contain HTML, escaped or in CDATA."""
    plain = html.unescape(_TAG.sub(" ", html.unescape(text))) if "<" in text or "&" in text else text
    return safe(one_line(plain, limit))


def _unpacked(body: bytes) -> bytes:
    """``body`` without its gzip compression (one or more members), at most MAX_BYTES; a broken rest is dropped."""
    if not body.startswith(_PACKED):
        return body
    unpacked, members = b"", 0
    with suppress(zlib.error):
        while body and len(unpacked) < MAX_BYTES and members < 100:
            member = zlib.decompressobj(31)
            unpacked += member.decompress(body, MAX_BYTES - len(unpacked))
            body, members = member.unused_data, members + 1
    return unpacked


def _root_name(head: str) -> str:
    """The local name of the first element, in lower case, or ""; comments, <?…> and the document type are skipped."""
    at = 0
    while (at := head.find("<", at)) >= 0:
        closing = "-->" if head.startswith("<!--", at) else "?>" if head.startswith("<?", at) else ">"
        if closing == ">" and not head.startswith("<!", at):
            found = _ROOT.match(head, at)
            return found[1].lower() if found else ""
        end = head.find(closing, at + 2)
        if end < 0:
            return ""
        at = end + 1
    return ""


def _mended(text: str) -> str:
    """``text`` without XML declaration (it becomes UTF-8), with character references replaced and a bare & escaped."""
    text = _DECLARATION.sub("", text.removeprefix("\ufeff"), count=1)
    text = _PLAIN_TYPE.sub("", text[:_PROLOG], count=1) + text[_PROLOG:]
    text = _AMPERSAND.sub(_character, text)
    # joins surrogate pairs written as &#xD83D;&#xDE00;; a lone half becomes U+FFFD
    return _NO_XML.sub(" ", text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")).lstrip()


def _character(found: re.Match[str]) -> str:
    name = found[1] or ""
    if name in _XML_NAMES or found[0][0] == "<":  # in CDATA and comments & is a plain character
        return found[0]
    if name.startswith("#"):
        number = int(name.strip("#xX"), 16 if name[1] in "xX" else 10)
        return html.escape(chr(number)) if number < 0x110000 else "\ufffd"
    if name and (character := html5.get(f"{name};")):
        return html.escape(character)
    return "&amp;" + found[0][1:]
