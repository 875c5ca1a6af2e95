"""Finds the container of a page that its body lies in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicspider.page.markup.reading import Reading

_DESCEND = 0.72
"""The body lies in a child when the child holds this share of the text (swept .5 to .9 on the measuring set)."""
_DESCEND_THREAD = 0.85
"""The same for a thread, whose longest post is no body (.72 to .98)."""
_TITLED = 0.2
"""Share of the text beside the title from which it outweighs lists of teasers for other pages (.06 to .4)."""
_TITLED_BYTES = 300
_RIVAL = 0.03
_BEFORE_TITLE = 0.5
"""Text above the title is worth this share: notices, menus, what a site says about itself."""
_SAME_TITLE = 0.6


def titled_block(reading: Reading, places: list[str], title: str) -> int:
    """The block of the heading that says the title: the first h1, else h2, else other; -1 when none does."""
    best, best_rank = -1, 0
    title = title.strip()
    for index in reading.headings:
        block = reading.blocks[index]
        rank = {"h1": 3, "h2": 2}.get(block.tag, 1)
        if rank > best_rank and places[index] in ("main", "header") and _says(reading.block_text(block), title):
            best, best_rank = index, rank
    return best


def _says(heading: str, title: str) -> bool:
    heading = heading.strip()
    shorter, longer = sorted((heading, title), key=len)
    return len(shorter) >= 4 and len(shorter) >= _SAME_TITLE * len(longer) and shorter in longer


def region(reading: Reading, values: list[float], links: list[bool], titled: int, is_thread: bool = False) -> int:
    """The container to take the body from, -1 for the whole page.

    Down from the root while one child holds most of what its parent holds; where the heading of the title (block ``titled``) stands
    beside lists of teasers, down to the heading.
    """
    weighed = [value * _BEFORE_TITLE if index < titled else value for index, value in enumerate(values)]
    tree = _Tree(reading, weighed, links, titled)
    place = -1
    while place in tree.children:
        child = tree.next(place, is_thread)
        if child < 0 or reading.containers[child].tag in ("p", "li"):
            break
        place = child
    return place


class _Tree:
    """What each container holds with everything below it."""

    def __init__(self, reading: Reading, values: list[float], links: list[bool], titled: int) -> None:
        count = len(reading.containers)
        self.held = [0.0] * (count + 1)  # the last stands for the page
        self.texts = [0] * (count + 1)
        self.links = [0] * (count + 1)
        self.children: dict[int, list[int]] = {}
        for block, value, is_link in zip(reading.blocks, values, links, strict=True):
            if value:
                self.held[block.container] += value
                self.texts[block.container] += 1
            elif is_link:
                self.links[block.container] += 1
        for index in range(count - 1, -1, -1):
            parent = reading.containers[index].parent
            self.links[parent] += self.links[index]
            if self.held[index]:
                self.held[parent] += self.held[index]
                self.texts[parent] += self.texts[index]
                self.children.setdefault(parent, []).append(index)
        self.above = set(_above(reading, titled))

    def next(self, place: int, is_thread: bool) -> int:
        """The child to go down to, or -1."""
        held = self.held[place]
        best = max(self.children[place], key=self.held.__getitem__)
        if not held:
            return -1
        titled = self.titled_child(place, best)
        if titled >= 0:
            return titled
        if is_thread and self.above and best not in self.above:
            return -1
        share = _DESCEND_THREAD if is_thread else _DESCEND
        return best if self.held[best] >= share * held else -1

    def titled_child(self, place: int, best: int) -> int:
        """The child with the title, when it has text of its own and what holds more is made of links; else -1."""
        held = self.held[place]
        if best in self.above and self.held[best] >= _DESCEND * held:
            return -1
        titled = next((child for child in self.children[place] if child in self.above), -1)
        if titled < 0 or self.held[titled] < max(_TITLED_BYTES, _TITLED * held):
            return -1
        rivals = [c for c in self.children[place] if c != titled and self.held[c] > _RIVAL * held]
        is_listed = bool(rivals) and all(self.links[c] * 2 >= self.texts[c] for c in rivals)
        is_best_listed = best != titled and self.links[best] * 2 >= self.texts[best]
        return titled if is_listed or is_best_listed else -1


def _above(reading: Reading, titled: int) -> list[int]:
    """The containers around a block."""
    found: list[int] = []
    index = reading.blocks[titled].container if titled >= 0 else -1
    while index >= 0:
        found.append(index)
        index = reading.containers[index].parent
    return found
