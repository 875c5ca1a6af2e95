"""The item of a crawl: one page, as one topic sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

HUB = "hub"
"""The type of a hub: a page whose links lead to hits, but which is not to be read itself: by its URL a tag, category, archive or search
page, or a home page that lists articles. It is kept, but is no hit; with ``hubs: hits`` in the topic, its type is list."""


@dataclass(slots=True)
class PageItem:
    """A hit as in feeds, stores and search; it is mutable, because pipelines fill it one after the other.

    Values are plain data (text, numbers, lists, dicts), so that every exporter can write them. Sizes are bytes; durations are seconds.
    Times are ISO 8601 in UTC, except ``date``: the HTTP Date header as it was sent. The page's own day is ``published``.
    """

    url: str
    host: str = ""
    port: int = 0
    title: str = ""
    body: str = ""
    summary: str = ""
    keywords: list[str] = field(default_factory=list)
    published: str = ""
    modified: str = ""
    author: str = ""
    site_name: str = ""
    language: str = ""
    type: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    relevance: float = 0.0
    parts: dict[str, float] = field(default_factory=dict)
    topic: str = ""
    depth: int = 0
    referrer: str = ""
    fetched_at: str = ""
    date: str = ""
    download_time: float = 0.0
    status: int = 0
    content_type: str = ""
    content_length: int = 0
    encoding: str = ""
    link_count: int = 0
    duplicate_of: str = ""
    snapshot: str = ""


KINDS: Mapping[str, tuple[str, ...]] = {
    "news": ("title", "published", "author", "site_name", "keywords", "summary"),
    "book": ("title", "author", "translator", "publisher", "isbn", "published", "pages", "price", "currency"),
    "company": ("name", "products", "contact", "phone", "fax", "email", "address", "postcode", "website"),
    "product": ("name", "brand", "model", "sku", "price", "currency", "seller"),
    "document": ("title", "published", "author", "site_name", "content_type", "keywords", "summary"),
}
"""What is read from each kind of page ((b) thesis 2011: news, e-books, industry information): fields of ``data``, else of the item."""


def kind_of(item: PageItem) -> str:
    """The kind of a page: that of its typed data; "news" for an article with a day; "document"; "" for any other page."""
    told = item.data.get("kind", "")
    if told in KINDS:
        return str(told)
    return "news" if item.type == "article" and item.published else item.type if item.type == "document" else ""


def time_now() -> str:
    """The time now, as items have it: ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
