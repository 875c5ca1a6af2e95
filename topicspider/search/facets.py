"""Counts the pages found by topic, site, year and type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicspider.search.finding import Condition
    from topicspider.search.index import SearchIndex

Facets = Mapping[str, Sequence[tuple[str, int]]]
"""What is counted by ("topic", "site", "year", "type") to (value, pages), the most frequent first; years newest first."""

MOST_VALUES = 10
_NAMES = ("topic", "site", "year", "type")
_COLUMNS = "pages.topic, pages.site, substr(pages.day, 1, 4), pages.type, pages.original"


def facets(index: SearchIndex, meant: Condition, *, copies: bool = False) -> Facets:
    """The counts of the pages meant, near-duplicates as one unless ``copies``; a page whose year is not known is counted in none."""
    rows = index.file.read(meant.sql(_COLUMNS), meant.values)
    return {name: _largest(name, [(str(row[at]), row[-1]) for row in rows], copies) for at, name in enumerate(_NAMES)}


def _largest(name: str, found: Sequence[tuple[str, int]], copies: bool) -> list[tuple[str, int]]:
    counts = Counter(value for value, _ in (found if copies else set(found)) if value)
    if name == "year":
        return sorted(counts.items(), reverse=True)[:MOST_VALUES]
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:MOST_VALUES]
