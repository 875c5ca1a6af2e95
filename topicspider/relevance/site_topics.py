"""Site topics, clustered bottom-up over the directories of a site, and the four kinds of pages ((a) Li 2002)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from topicspider.page.links import Link
    from topicspider.relevance.interfaces import Parent

HOME, INDEX, CONTENT, REFERENCE = "home", "index", "content", "reference"
KIND_WEIGHTS = {HOME: 4.0, INDEX: 2.0, CONTENT: 1.0, REFERENCE: 0.5}
"""How much a page counts for its directory's topic: home and indexes were written to show it. The paper gives no numbers."""
SURE = 3.0
"""The topic of a directory is used from this total weight of its pages on: three articles, or an index and one article."""
DEEPEST, MOST_DIRECTORIES = 8, 100_000


def page_kind(url: str, links: Sequence[Link], is_hub: bool = False) -> str:
    """home: the root of a host; reference: most links leave the site; index: a hub, or the URL of a list or directory; else content."""
    from topicspider.page.page_type import is_listing_address  # needs numpy, which naming the policies does not

    address = url.partition("://")[2]
    if address.find("/") == len(address) - 1:
        return HOME
    if sum(link.kind == "outward" for link in links) > len(links) / 2:
        return REFERENCE
    return INDEX if is_hub or address.endswith("/") or is_listing_address(url) else CONTENT


def directories(url: str) -> Iterator[str]:
    """The directories that ``url`` lies in, the innermost first; the last is its host."""
    path = url.partition("://")[2].partition("?")[0]
    ends = [place + 1 for place, char in enumerate(path) if char == "/"][:DEEPEST]
    return (path[:end] for end in reversed(ends))


class SiteTopics:
    """What share of each directory is on topic, by the verdicts on its pages.

    A page counts in its directory and in all above it, by the weight of its kind. The last MOST_DIRECTORIES that got a page are remembered.
    """

    def __init__(self) -> None:
        self._totals: dict[str, tuple[float, float]] = {}  # weight of pages on topic, and of all

    def add(self, parent: Parent, links: Sequence[Link]) -> None:
        """A page was judged; ``links`` are all of its own."""
        weight = KIND_WEIGHTS[page_kind(parent.url, links, parent.is_hub)]
        for directory in directories(parent.url):
            own, total = self._totals.pop(directory, (0.0, 0.0))
            self._totals[directory] = (own + weight * parent.on_topic, total + weight)
        while len(self._totals) > MOST_DIRECTORIES:
            del self._totals[next(iter(self._totals))]

    def of(self, url: str) -> float:
        """The share, in [0, 1], on topic of the innermost directory around ``url`` whose weight is at least SURE; 0 without one."""
        for directory in directories(url):
            own, total = self._totals.get(directory, (0.0, 0.0))
            if total >= SURE:
                return own / total
        return 0.0
