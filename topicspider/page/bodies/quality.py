"""Asks trafilatura for the running text of a page, about ten times slower than our own way; its only home."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topicspider.page.markup.bounds import MAX_DEPTH, bounded

if TYPE_CHECKING:
    from topicspider.page.markup.reading import Reading

MAX_CHARS = 1_000_000
MAX_CONTAINERS = 6_000


@dataclass(frozen=True, slots=True)
class Answer:
    """What trafilatura says: the text, lines joined by newlines, or "" and why there is none."""

    text: str = ""
    why: str = ""


def ask(markup: str, reading: Reading, url: str = "", with_comments: bool = False) -> Answer:
    """Its answer for the markup of a page; never raises.

    It is not asked about markup that is too long, too deep, or of too many elements (``reading`` is the walk over it), for it and
    libxml2 below it take more than linear time.
    """
    if len(markup) > MAX_CHARS:
        return Answer("", "markup too long")
    if not _is_bounded(reading):
        return Answer("", "markup too deep")
    try:
        text = _extracted(bounded(markup), url, with_comments)
    except Exception as error:  # noqa: BLE001 -- whatever it raises: rules of others over any page of the web
        return Answer("", f"failed: {type(error).__name__}")
    return Answer(text, "" if text else "found nothing")


def warm_up() -> None:
    """Import trafilatura: 0.2 s that no page of a crawl should wait for."""
    _extracted("<p>early</p>", "", with_comments=False)


def _is_bounded(reading: Reading) -> bool:
    if len(reading.containers) > MAX_CONTAINERS:
        return False
    depths: list[int] = []
    for container in reading.containers:
        depths.append(1 + (depths[container.parent] if container.parent >= 0 else 0))
    return max(depths, default=0) <= MAX_DEPTH


def _extracted(markup: str, url: str, with_comments: bool) -> str:
    import trafilatura

    found: Any = trafilatura.bare_extraction(markup, url=url or None, include_comments=with_comments)
    if found is None:
        return ""
    parts = (found.text, found.comments if with_comments else "")
    return "\n".join(str(part) for part in parts if part)
