"""Says in which part of the page a link stands, as links show it: main, nav, aside, header or footer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicspider.page.markup.reading import Reading


_OWN = ("header", "footer")


class LinkBlocks:
    """The blocks of one page's links, from the zones of its containers; each container is looked at once.

    Two things differ from zones, which are made for text: comments and posts are main; and so is what stands in the header or
    footer *of an article*: the headline of each entry of a list, its tags and its neighbours, which no reader would call a menu.
    """

    def __init__(self, reading: Reading, named: list[str]) -> None:
        self._containers = reading.containers
        self._named = named
        self._known: dict[int, str] = {-1: "main"}

    def __getitem__(self, container: int) -> str:
        block = self._known.get(container)
        if block is None:
            block = self._known[container] = self._block(container)
        return block

    def _block(self, container: int) -> str:
        zone = self._named[container]
        if zone == "comment" or (zone in _OWN and self._is_of_article(container)):
            return "main"
        return zone

    def _is_of_article(self, at: int) -> bool:
        """Whether the nearest header or footer element around stands in an article (HTML: then it is the article's own)."""
        containers = self._containers
        while at >= 0 and containers[at].tag not in _OWN:
            at = containers[at].parent
        while at >= 0 and containers[at].tag != "article":
            at = containers[at].parent
        return at >= 0
