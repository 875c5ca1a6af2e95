"""Everything a page says, and why, as plain data: what the command ``read`` shows."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from topicspider.page.page import Page
from topicspider.url import canonicalize

if TYPE_CHECKING:
    from topicspider.page.links import Link


FIELDS = (
    "title", "body", "summary", "keywords", "published", "modified", "author", "site_name", "language", "type", "data", "encoding",
    "condition", "canonical", "robots", "refresh_url", "link_count", "links", "skipped_links", "why",
)  # fmt: skip
"""The names in an account, in its order."""
_EXPLAINED = ("title", "published", "modified", "data", "condition")


def account_of(page: Page) -> dict[str, Any]:
    """Every field of ``page`` under the names of FIELDS; JSON can hold it. Never raises (P1)."""
    made = {
        "encoding": asdict(page.charset) if not page.document else None,
        "robots": sorted(page.robots),
        "links": [_link(link) for link in page.links],
        "skipped_links": dict(page.skipped_links),
        "why": {name: getattr(page, f"{name}_why") for name in _EXPLAINED},
    }
    return {name: made[name] if name in made else getattr(page, name) for name in FIELDS}


def declared_address(page: Page) -> str:
    """The address that a page gives itself (canonical, og:url), for pages that lie in a file; "" when it gives none."""
    reading = page.reading
    canonical = next((href for rel, href in reading.head_links if "canonical" in rel.split()), "")
    for address in (canonical, reading.meta.get("og:url", "")):
        if address.lower().startswith(("http://", "https://")) and (url := canonicalize(address)):
            return url
    return ""


def _link(link: Link) -> dict[str, Any]:
    return {name: value for name, value in asdict(link).items() if value not in ("", False, None)}


def blank_account() -> dict[str, Any]:
    """The account of what could not be read: every name, nothing in it."""
    page = Page("http://file.invalid/", b"", "application/octet-stream")
    return account_of(page)
