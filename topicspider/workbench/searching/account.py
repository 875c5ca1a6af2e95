"""An answer as plain data, for --json and --csv."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from topicspider.items import PageItem

if TYPE_CHECKING:
    from topicspider.search.search import Answer, Hit

LEFT_OUT = ("body", "parts", "data")
"""Of an item: whole texts and tables are what `scrapy export` is for."""

COLUMNS = (
    *(field.name for field in fields(PageItem) if field.name not in LEFT_OUT),
    "snippet",
    "snippet_html",
    "copies",
)
"""The names of what is told of a hit."""


def account(answer: Answer) -> dict[str, Any]:
    """Everything that the terminal shows, and the fields of each hit but the long ones."""
    told: dict[str, Any] = {
        "query": answer.query.text,
        "total": answer.total,
        "is_relaxed": answer.is_relaxed,
        "asks_nothing": answer.asks_nothing,
        "meant": answer.meant,
        "unread": list(answer.unread),
        "hits": [_hit(hit) for hit in answer.hits],
    }
    if answer.facets:
        told["facets"] = {name: dict(counts) for name, counts in answer.facets.items()}
    return told


def _hit(hit: Hit) -> dict[str, Any]:
    fields = {name: value for name, value in asdict(hit.row.item).items() if name not in LEFT_OUT}
    return {**fields, "snippet": hit.snippet.text, "snippet_html": hit.snippet.html(), "copies": hit.copies}
