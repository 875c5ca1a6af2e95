"""A sitemap or a feed: a list of a site's pages, made for machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from topicspider.page.links.link import Link

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
