"""Tells hosts and patterns of addresses that give one page after the other and never anything new: endless calendars, soft 404s, random links."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from topicspider.page.near_duplicate import NEAR, distance
from topicspider.relevance.link_features import url_pattern
from topicspider.url import host_of

if TYPE_CHECKING:
    from topicspider.page.links import Link

WINDOW = 35
"""So many pages in a row without anything new are a trap: fewer than 50 with those under way."""

MOST_GROUPS = 20_000
_ALL = "*"  # stands for all patterns of a host


class ReadPage(Protocol):
    """What is compared of a page."""

    @property
    def subject_words(self) -> tuple[str, ...]: ...
    @property
    def body_words(self) -> tuple[str, ...]: ...
    @property
    def links(self) -> tuple[Link, ...]: ...
    @property
    def simhash(self) -> int: ...
    @property
    def condition(self) -> str: ...
    @property
    def is_hub(self) -> bool: ...


@dataclass(slots=True)
class _Group:
    """What the last pages of one pattern of addresses were."""

    barren: deque[bool] = field(default_factory=lambda: deque(maxlen=WINDOW))
    seen: deque[tuple[int, int, int]] = field(default_factory=lambda: deque(maxlen=2 * WINDOW))

    def note(self, told: tuple[int, int, int], is_none: bool) -> None:
        self.barren.append(is_none or any(_says_the_same(told, other) for other in self.seen))
        self.seen.append(told)

    @property
    def is_trap(self) -> bool:
        return len(self.barren) == WINDOW and all(self.barren)


class BarrenPages:
    """The last pages of each host, and of each pattern of its addresses; what nobody came by for long is forgotten.

    A page is barren when it is none at all (a soft 404, a login wall), or when its title and text are those of one of the last pages of its
    group, but for numbers; of a list, and of a page with little text, the links count as text.
    """

    def __init__(self) -> None:
        self._groups: OrderedDict[tuple[str, str], _Group] = OrderedDict()

    def note(self, url: str, page: ReadPage) -> None:
        told = _told(page)
        for key in _keys(url):
            group = self._groups.setdefault(key, _Group())
            self._groups.move_to_end(key)
            group.note(told, bool(page.condition))
        while len(self._groups) > MOST_GROUPS:
            self._groups.popitem(last=False)

    def is_trap(self, url: str) -> bool:
        """Whether the last pages that were like this one, or the last of its host, gave nothing new."""
        return any(key in self._groups and self._groups[key].is_trap for key in _keys(url))


def _keys(url: str) -> tuple[tuple[str, str], tuple[str, str]]:
    host = host_of(url)
    return (host, _ALL), (host, url_pattern(url))


def _told(page: ReadPage) -> tuple[int, int, int]:
    """Hashes of the title, of the text (0: too short), and of the words of text and links."""
    simhash = 0 if page.is_hub else page.simhash
    words = () if simhash else (*page.body_words, *(link.anchor for link in page.links))
    return _hash(page.subject_words), simhash, _hash(words)


def _hash(words: Sequence[str]) -> int:
    return hash(frozenset("".join(char for char in word if not char.isdecimal()) for word in words))


def _says_the_same(told: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    if told[0] != other[0] or bool(told[1]) != bool(other[1]):
        return False
    return distance(told[1], other[1]) <= NEAR if told[1] else told[2] == other[2]
