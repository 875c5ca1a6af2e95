"""Reads sitemaps (sitemaps.org) and feeds (RSS 0.9 to 2.0, Atom) as streams of elements."""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime
from typing import ClassVar

from topicspider.page.documents.errors import Unreadable
from topicspider.page.documents.xml_events import Elements, read_xml
from topicspider.page.listings.listing import MAX_ELEMENTS, MAX_ENTRIES, Found, Listed

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
