"""Asks a page for everything it has, and checks promise P1: nothing raises, every field is bounded and can be written as UTF-8."""

from __future__ import annotations

from dataclasses import astuple, is_dataclass
from functools import cached_property

from topicspider.page.page import Page

FIELDS = tuple(
    name
    for name, value in vars(Page).items()
    if isinstance(value, (property, cached_property)) and not name.startswith("_")
)
CRAWL_FIELDS = (
    "canonical", "robots", "refresh_url", "condition", "title", "links", "title_words", "categories", "breadcrumbs", "subject_words", "body", "body_words",
    "language", "content_hash",
)  # fmt: skip
"""What a crawl asks every page for, on its event loop."""

LONGEST = {
    "title": 300, "body": 200_000, "summary": 300, "keywords": 10, "links": 2_000, "link_count": 2_000, "title_words": 300, "categories": 12, "breadcrumbs": 12,
    "subject_words": 600,
    "body_words": 20_000, "author": 80, "site_name": 100, "published": 10, "modified": 10, "base_url": 20_000, "canonical": 2_083,
    "refresh_url": 2_083, "language": 8, "type": 20, "encoding": 20, "simhash": 2**63 - 1, "content_hash": 2**63 - 1,
}  # fmt: skip
MOST_CHARACTERS = 4_500_000


def ask(page: Page, fields: tuple[str, ...] = FIELDS) -> None:
    """Has every field computed."""
    for name in fields:
        getattr(page, name)


def check(page: Page) -> None:
    """Fails when a field raises, has no bound, or cannot be written."""
    for name in FIELDS:
        value = getattr(page, name)
        size = value if isinstance(value, int) else len(value) if hasattr(value, "__len__") else 0
        assert size <= LONGEST.get(name, MOST_CHARACTERS), name
        if name != "reading":
            assert written(value) <= MOST_CHARACTERS, name
    for link in page.links:
        assert len(link.url) <= 2083
        assert link.block in ("main", "nav", "aside", "footer", "header")
        assert max(len(link.anchor), len(link.title), len(link.heading)) <= 300
        assert max(len(link.before), len(link.after)) <= 40
        assert "\n" not in link.anchor + link.before + link.after + link.heading


def written(value: object) -> int:
    """How many characters a value holds, all of which UTF-8 can hold."""
    if isinstance(value, str):
        value.encode("utf-8")
        return len(value)
    if isinstance(value, dict):
        return sum(written(part) for pair in value.items() for part in pair)
    if isinstance(value, (list, tuple, frozenset, set)):
        return sum(written(part) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        return written(astuple(value))
    return 8
