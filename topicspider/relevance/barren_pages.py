"""Tells hosts and patterns of addresses that give one page after the other and never anything new: endless calendars, soft 404s, random links, link farms."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.page.near_duplicate import NEAR, distance
from topicspider.relevance.link_features import url_pattern
from topicspider.url import host_of, site_of

if TYPE_CHECKING:
    from topicspider.relevance.interfaces import ReadPage

WINDOW = 35
"""So many pages in a row without anything new are a trap: fewer than 50 with those under way."""

MOST_GROUPS = 20_000
_ALL, _HOMES = "*", "//"  # stand for all patterns of a host, and for the homes of a domain's hosts


@dataclass(slots=True)
class _Group:
    """What the last pages of one pattern of addresses were."""

    barren: int = 0  # in a row
    seen: tuple[_Told, ...] = ()  # few groups have many pages: a deque takes 760 bytes from the first on

    def note(self, told: _Told, is_none: bool) -> None:
        alike = [other for other in self.seen if other.title == told.title]
        is_barren = is_none or any(told.says_the_same(other) for other in alike)
        self.barren = self.barren + 1 if is_barren else 0
        self.seen = (*self.seen[1 - 2 * WINDOW :], told)


class BarrenPages:
    """The last pages of each host, and of each pattern of its addresses; what nobody came by for long is forgotten.

    A page is barren when it is none at all (a soft 404, a login wall), or when its title and text are those of one of the last pages of its
    group, but for numbers; of a list, and of a page with little text, the links count as text. The homes of one domain's hosts are a group, too,
    where hubs of other hosts are barren until a page of the domain is read that is none: those of a link farm lead to one another.
    """

    def __init__(self) -> None:
        self._groups: OrderedDict[tuple[str, str], _Group] = OrderedDict()
        self._traps: set[tuple[str, str]] = set()  # of these; every link asks, and there are seldom any

    def note(self, url: str, page: ReadPage) -> None:
        told, is_none = _Told(page), bool(page.condition)
        for key in _keys(url):
            group = self._groups.setdefault(key, _Group())
            self._groups.move_to_end(key)
            group.note(told, is_none or (key[1] == _HOMES and _leads_away(url, page)))
            (self._traps.add if group.barren >= WINDOW else self._traps.discard)(key)
        if not (is_none or page.is_hub):
            self._groups.pop(homes := (site_of(host_of(url)), _HOMES), None)
            self._traps.discard(homes)
        told.page = None  # kept no longer than it is judged
        while len(self._groups) > MOST_GROUPS:
            self._traps.discard(self._groups.popitem(last=False)[0])

    def is_trap(self, url: str) -> bool:
        """Whether the last pages that were like this one, or the last of its host, gave nothing new."""
        return bool(self._traps) and not self._traps.isdisjoint(_keys(url))


def _keys(url: str) -> tuple[tuple[str, str], tuple[str, str]]:
    host, pattern = host_of(url), url_pattern(url)
    return (host, _ALL), (site_of(host), _HOMES) if pattern == "/" else (host, pattern)


def _leads_away(url: str, page: ReadPage) -> bool:
    """Whether it is a hub of which most links lead to other hosts."""
    return page.is_hub and 2 * sum(link.url.startswith(url) for link in page.links) < len(page.links)


_NUMBERS = re.compile(r"\d+")


class _Told:
    """What a page says: a hash of its title, and, worked out when it meets another page of that title, hashes of its text (0: too short) and of the words of text and links.

    Of most pages nothing but the title is ever asked. The first page of a title is forgotten before a second comes: it is like none.
    """

    __slots__ = ("_text", "page", "title")

    def __init__(self, page: ReadPage) -> None:
        self.title = _hash(page.subject_words)
        self.page: ReadPage | None = page
        self._text: tuple[int, int] | None = None

    def says_the_same(self, other: _Told) -> bool:
        """Whether text or words are those of ``other``, too, whose title is the same."""
        if self._text is None and self.page is not None:
            self._text = _text_of(self.page)
        if self._text is None or other._text is None or bool(self._text[0]) != bool(other._text[0]):
            return False
        return distance(self._text[0], other._text[0]) <= NEAR if self._text[0] else self._text[1] == other._text[1]


def _text_of(page: ReadPage) -> tuple[int, int]:
    simhash = 0 if page.is_hub else page.simhash
    words = () if simhash else (*page.body_words, *(link.anchor for link in page.links))
    return simhash, _hash(words)


def _hash(words: Sequence[str]) -> int:
    return hash(frozenset(_NUMBERS.sub("", "\n".join(words)).split("\n")))
