"""A link as a page shows it: where it goes, with the extended metadata of (a) Li 2002."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Link:
    """One link of a page; all texts are bounded and free of markup.

    ``url`` is absolute and canonical. ``block`` is where on the page it stands: main, nav, aside, header
    or footer. ``position`` is its rank among the page's links, from 0.
    """

    url: str
    anchor: str = ""
    title: str = ""
    before: str = ""
    after: str = ""
    heading: str = ""
    block: str = "main"
    rel: str = ""
    position: int = 0
    is_pagination: bool = False
