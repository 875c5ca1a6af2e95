"""Reads sitemaps (sitemaps.org) and feeds (RSS, Atom) as streams of elements, and remembers which of each host were asked for."""

from __future__ import annotations

import html
import re
import zlib
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from html.entities import html5
from typing import ClassVar

from topicspider.page.decode import MAX_BYTES, decode
from topicspider.page.documents.archive import Elements, read_xml
from topicspider.page.documents.document import Unreadable
from topicspider.page.links import KindOf, Link
from topicspider.page.parsed_page import one_line, safe
from topicspider.url.canonical import canonicalize
from topicspider.url.host import host_key

SITEMAP, FEED = "sitemap", "feed"
LISTING_TYPES = (
    "text/xml",
    "application/xml",
    "application/rss+xml",
    "application/atom+xml",
    "application/rdf+xml",
    "application/x-rss+xml",
    "application/gzip",
    "application/x-gzip",
)
"""The content types of listings, as servers say them; an index of sitemaps and its parts are often packed."""

_NAMELESS_TYPES = frozenset({"application/octet-stream", "binary/octet-stream"})

MAX_ENTRIES = 50_000  # what the protocol of sitemaps allows in one file
MAX_ELEMENTS = 500_000
MAX_ANCHOR = 300
MAX_CONTEXT = 150
"""Characters of an item's description: a link of a page has forty to each side."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One entry as it stands: a URL that may be relative, what is said of it, and its day (YYYY-MM-DD, or "")."""

    url: str
    title: str = ""
    description: str = ""
    day: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """What a reader has found; ``sitemaps`` are the parts of an index, newest first."""

    title: str = ""
    entries: Sequence[Listed] = ()
    sitemaps: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """What one listing brings: ``links`` newest first, further ``sitemaps``, and what was ``skipped`` by reason.

    ``kind`` is sitemap or feed. Reasons: invalid (no URL), repeated, too_old (last changed before the topic's ``newer_than``), limit.
    """

    kind: str
    title: str = ""
    links: tuple[Link, ...] = ()
    sitemaps: tuple[str, ...] = ()
    skipped: Counter[str] = field(default_factory=Counter)


def is_packed_listing(url: str, kind: str) -> bool:
    """Whether ``url`` names packed XML that comes under a type that says nothing, as servers send ``sitemap.xml.gz``."""
    return kind in _NAMELESS_TYPES and url.partition("?")[0].lower().endswith(".xml.gz")


_MAX_TEXT = 4_000  # characters of one field, with its markup
_MAX_URL = 2_083
_NEWS = "sitemap-news"
_DAY = re.compile(r"\s*(\d{4}-[01]\d-[0-3]\d)")


def read_sitemap(xml: bytes) -> Found:
    """The entries of a sitemap, or the parts of an index of sitemaps."""
    reader = _Sitemap()
    _read(xml, reader)
    if reader.is_index:
        newest = sorted(reader.entries, key=lambda entry: entry.day, reverse=True)
        return Found(sitemaps=[entry.url for entry in newest])
    return Found(entries=reader.entries)


def read_feed(xml: bytes) -> Found:
    """The items of a feed."""
    reader = _Feed()
    _read(xml, reader)
    return Found(reader.title, reader.entries)


def _read(xml: bytes, reader: _Entries) -> None:
    """What comes before a fault counts; a document with entities of its own has none from there on."""
    try:
        read_xml(xml, reader)
    except Unreadable:
        return


class _Entries(Elements):
    """Gathers the fields of each entry: only its direct children, in its own namespace, unless ``field_of`` knows better."""

    items: ClassVar[frozenset[str]] = frozenset()

    def __init__(self) -> None:
        self.entries: list[Listed] = []
        self.level = 0
        self.elements = 0
        self.item_level = 0  # 0: outside of entries
        self.item_space = ""
        self.field = ""
        self.field_level = 0
        self.texts: list[str] = []
        self.length = 0
        self.fields: dict[str, str] = {}

    def opened(self, space: str, name: str, attributes: dict[str, str]) -> None:
        """An element begins."""
        self.level += 1
        self.elements += 1
        self.is_done = self.elements > MAX_ELEMENTS or len(self.entries) >= MAX_ENTRIES
        if not self.item_level and name in self.items:
            self.item_level, self.item_space, self.fields = self.level, space, {}
        elif not self.field and (found := self.field_of(space, name, attributes)):
            self.field, self.field_level, self.texts, self.length = found, self.level, [], 0

    def closed(self, space: str, name: str) -> None:
        """An element ends."""
        if self.field and self.level == self.field_level:
            self.store(self.field, "".join(self.texts))
            self.field = ""
        if self.item_level and self.level == self.item_level:
            self.item_level = 0
            if url := self.fields.get("url", ""):
                said = self.fields
                self.entries.append(
                    Listed(url, said.get("title", ""), said.get("description", ""), day_of(said.get("day", "")))
                )
        self.level -= 1

    def text(self, data: str) -> None:
        """Some characters."""
        if self.field and self.length < _MAX_TEXT:
            self.texts.append(data[: _MAX_TEXT - self.length])
            self.length += len(data)

    def store(self, field: str, text: str) -> None:
        """A field has ended; its first value counts."""
        if text.strip():
            self.fields.setdefault(field, text.strip()[: _MAX_URL if field == "url" else _MAX_TEXT])

    def field_of(self, space: str, name: str, attributes: dict[str, str]) -> str:
        """The field that begins with this element, or ""."""
        raise NotImplementedError

    def is_own(self, space: str) -> bool:
        """Whether an element of this namespace, just opened, is a direct child of the entry and belongs to it."""
        return self.item_level > 0 and self.level == self.item_level + 1 and space == self.item_space


class _Sitemap(_Entries):
    items = frozenset({"url", "sitemap"})
    fields_of_news: ClassVar[dict[str, str]] = {"title": "title", "publication_date": "day"}
    is_index = False

    def opened(self, space: str, name: str, attributes: dict[str, str]) -> None:
        self.is_index = self.is_index or (self.level == 0 and name == "sitemapindex")
        super().opened(space, name, attributes)

    def field_of(self, space: str, name: str, attributes: dict[str, str]) -> str:
        if self.is_own(space):
            return {"loc": "url", "lastmod": "day"}.get(name, "")
        return self.fields_of_news.get(name, "") if self.item_level and _NEWS in space else ""


class _Feed(_Entries):
    items = frozenset({"item", "entry"})
    known: ClassVar[dict[str, str]] = {
        "title": "title", "link": "url", "description": "description", "summary": "description",
        "content": "description", "pubDate": "day", "published": "day", "updated": "day",
    }  # fmt: skip
    title = ""

    def field_of(self, space: str, name: str, attributes: dict[str, str]) -> str:
        if not self.item_level:
            is_channel = self.level <= 3 and name == "title" and not self.title
            return "channel" if is_channel else ""
        if name == "guid" and attributes.get("isPermaLink", "true") != "false" and self.is_own(space):
            return "guid"
        if name == "date" and space.endswith("/dc/elements/1.1/"):
            return "day"
        if not self.is_own(space):
            return ""
        if name == "link" and "href" in attributes:
            return self.link(attributes)
        return self.known.get(name, "")

    def link(self, attributes: dict[str, str]) -> str:
        """Atom's link: the address is an attribute, and only that of the page itself is wanted."""
        if attributes.get("rel", "alternate") == "alternate":
            self.store("url", attributes["href"])
        return ""

    def store(self, field: str, text: str) -> None:
        if field == "channel":
            self.title = self.title or text.strip()
        elif field == "guid":
            if text.strip().startswith(("http://", "https://")):
                super().store("permalink", text)
        else:
            super().store(field, text)

    def closed(self, space: str, name: str) -> None:
        if self.item_level and self.level == self.item_level and "permalink" in self.fields:
            self.fields.setdefault("url", self.fields["permalink"])
        super().closed(space, name)


def day_of(text: str) -> str:
    """YYYY-MM-DD from an ISO 8601 or RFC 822 date; "" for anything else."""
    if found := _DAY.match(text):
        return found[1]
    try:
        return parsedate_to_datetime(text[:100]).date().isoformat() if text else ""
    except (TypeError, ValueError, IndexError, OverflowError):
        return ""


MOST = {SITEMAP: 20, FEED: 3}
"""Files of one host in one run. A blog has a feed of its own for the comments on each article."""
CAPACITY = 10_000


class Places:
    """The hosts asked longest ago are forgotten; the frontier knows what was fetched all the same."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._asked: OrderedDict[tuple[str, str], set[str]] = OrderedDict()

    def take(self, kind: str, urls: Iterable[str]) -> list[str]:
        """Those of ``urls`` (canonical) that were not taken before, as far as their hosts have room for ``kind``."""
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
_AMPERSAND = re.compile(r"&(?:([A-Za-z][A-Za-z0-9]{1,31});|(?!#\d{1,7};|#[xX][0-9a-fA-F]{1,6};))")
_NO_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_TAG = re.compile(r"<[^<>]{0,1000}>")
_XML_NAMES = frozenset({"amp", "lt", "gt", "quot", "apos"})
_MAX_SITEMAPS = 1_000


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

    At most 4 MiB of it are read, unpacked, and the newest ``max_links`` entries kept; those whose day is before ``newer_than``
    (YYYY-MM-DD) are skipped. Broken XML gives what comes before the fault.
    """
    text = decode(_unpacked(body), content_type).text
    kind = _KINDS.get(_root_name(text[:_PROLOG]), "")
    if kind not in kinds or not kind:
        return None
    xml = _mended(text).encode("utf-8", "replace")
    found = read_sitemap(xml) if kind == SITEMAP else read_feed(xml)
    base = canonicalize(url) or url
    skipped: Counter[str] = Counter()
    links = _links(found.entries, base, max_links, newer_than, skipped)
    sitemaps = [part for one in found.sitemaps[:_MAX_SITEMAPS] if (part := canonicalize(one, base))]
    title = _line(found.title, MAX_ANCHOR)
    links = [_named(link, title) for link in links]
    return Listing(kind, title, tuple(links), tuple(dict.fromkeys(sitemaps)), skipped)


def may_be_listing(body: bytes, kind: str = "") -> bool:
    """Whether it is worth reading: XML or gzip by its media type, or what begins like a listing under the type of a page."""
    is_typed = kind in LISTING_TYPES or body.startswith(_PACKED)
    return is_typed or _root_name(body[:_PROLOG].decode("latin-1")) in _KINDS


def _links(entries: Sequence[Listed], base: str, max_links: int, newer_than: str, skipped: Counter[str]) -> list[Link]:
    """One link an entry, newest first; entries without a day keep their order behind those with one."""
    kind_of, links, seen = KindOf(base), list[Link](), set[str]()
    for entry in sorted(entries, key=lambda entry: entry.day, reverse=True):
        url = canonicalize(entry.url, base)
        reason = _reason(url, entry, newer_than, seen)
        if not reason and len(links) >= max_links:
            reason = "limit"
        if reason or url is None:
            skipped[reason] += 1
            continue
        anchor, context = _line(entry.title, MAX_ANCHOR), _line(entry.description, MAX_CONTEXT)
        links.append(Link(url, anchor, after=context, position=len(links), kind=kind_of(url), group=0))
    return links


def _reason(url: str | None, entry: Listed, newer_than: str, seen: set[str]) -> str:
    if url is None:
        return "invalid"
    if url in seen:
        return "repeated"
    seen.add(url)
    return "too_old" if entry.day and entry.day < newer_than else ""


def _named(link: Link, title: str) -> Link:
    return Link(
        link.url, link.anchor, "", "", link.after, title[:MAX_CONTEXT], position=link.position, kind=link.kind, group=0
    )


def _line(text: str, limit: int) -> str:
    """Plain text of at most ``limit`` characters: items hold HTML, escaped once or in CDATA."""
    plain = html.unescape(_TAG.sub(" ", html.unescape(text))) if "<" in text or "&" in text else text
    return safe(one_line(plain, limit))


def _unpacked(body: bytes) -> bytes:
    """What gzip packed, as far as it can be unpacked, at most MAX_BYTES."""
    if not body.startswith(_PACKED):
        return body
    unpacker, unpacked = zlib.decompressobj(31), b""
    try:
        unpacked = unpacker.decompress(body, MAX_BYTES)
    except zlib.error:
        return b""
    return unpacked


def _root_name(head: str) -> str:
    """The local name of the first element in lower case, or ""; comments and the document type come before it."""
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
    """Without its declaration (it is UTF-8 now), with HTML's named characters written out, and bare & escaped."""
    text = _DECLARATION.sub("", text.removeprefix("\ufeff"), count=1)
    text = _PLAIN_TYPE.sub("", text[:_PROLOG], count=1) + text[_PROLOG:]
    return _AMPERSAND.sub(_character, _NO_XML.sub(" ", text)).lstrip()


def _character(found: re.Match[str]) -> str:
    name = found[1]
    if name in _XML_NAMES:
        return found[0]
    if name and (character := html5.get(f"{name};")):
        return html.escape(character)
    return "&amp;" + found[0][1:]
