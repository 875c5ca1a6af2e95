"""A link as a page shows it: where it goes, with the extended metadata of (a) Li 2002."""

from __future__ import annotations

from dataclasses import dataclass

_NOT_VOUCHED_FOR = ("nofollow", "ugc", "sponsored")


@dataclass(frozen=True, slots=True)
class Link:
    """One link of a page; all texts are bounded and free of markup.

    ``url`` is absolute and canonical. ``block`` is where on the page it stands: main, nav, aside, header
    or footer. ``position`` is its rank among the page's links, from 0. ``kind`` is the way it leads within
    the site: down, up, level, cross, outward or frame, as ``link_kind`` defines them; "" when nobody said.
    ``group`` is a small number that the links of one list, menu or paragraph share; -1 when nobody said.
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
    kind: str = ""
    group: int = -1

    @property
    def is_nofollow(self) -> bool:
        """Whether the page does not vouch for it (rel nofollow, ugc or sponsored): a hint, as search engines treat it, no ban."""
        return bool(self.rel) and any(word in _NOT_VOUCHED_FOR for word in self.rel.split())
