"""Detects spider traps: hosts and URL patterns whose pages bring nothing new (endless calendars, soft 404s, random links, link farms)."""

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
"""This many barren pages in a row make a trap: with those that are being fetched meanwhile, fewer than 50 pages."""

MOST_GROUPS = 20_000
_ALL, _HOMES = "*", "//"  # in place of a pattern: all pages of a host; the home pages of all hosts of a domain


@dataclass(slots=True)
class _Group:
    """The latest pages of one group; see BarrenPages."""

    barren: int = 0  # how many of the latest pages in a row were barren
    seen: tuple[_Told, ...] = ()  # no deque: it takes 760 bytes for one page already, and few groups have many pages

    def note(self, told: _Told, is_none: bool) -> None:
        alike = [other for other in self.seen if other.title == told.title]
        is_barren = is_none or any(told.says_the_same(other) for other in alike)
        self.barren = self.barren + 1 if is_barren else 0
        self.seen = (*self.seen[1 - 2 * WINDOW :], told)


class BarrenPages:
    """Groups pages by host, by URL pattern on a host, and home pages by domain; forgets the groups that got no page for longest.

    A page is barren when it is not a real page (a soft 404, a login wall), or when its title and text, apart from numbers, are those of a
    recent page of its group. Anchors count as text on hubs and on pages with little text. Among home pages, a hub with most links to other
    hosts is barren too, as in link farms; this group starts anew when a real page of the domain is read that is no hub.
    """

    def __init__(self) -> None:
        self._groups: OrderedDict[tuple[str, str], _Group] = OrderedDict()
        self._traps: set[tuple[str, str]] = set()  # groups that are traps, for fast look-up: seldom any

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
        told.page = None  # needed only above; frees its memory
        while len(self._groups) > MOST_GROUPS:
            self._traps.discard(self._groups.popitem(last=False)[0])

    def is_trap(self, url: str) -> bool:
        """Whether the latest WINDOW pages of a group that ``url`` belongs to were all barren."""
        return bool(self._traps) and not self._traps.isdisjoint(_keys(url))


def _keys(url: str) -> tuple[tuple[str, str], tuple[str, str]]:
    host, pattern = host_of(url), url_pattern(url)
    return (host, _ALL), (site_of(host), _HOMES) if pattern == "/" else (host, pattern)


def _leads_away(url: str, page: ReadPage) -> bool:
    """Whether the home page at ``url`` is a hub with most of its links to other hosts."""
    return page.is_hub and 2 * sum(link.url.startswith(url) for link in page.links) < len(page.links)


_NUMBERS = re.compile(r"\d+")


class _Told:
    """A page as a hash of its title and two of its text: its simhash (0 for a hub or a short text), else a hash of all words and anchors.

    The text is hashed only when the group has an earlier page of that title, which is rare; so nothing is found equal to the first one.
    """

    __slots__ = ("_text", "page", "title")

    def __init__(self, page: ReadPage) -> None:
        self.title = _hash(page.subject_words)
        self.page: ReadPage | None = page
        self._text: tuple[int, int] | None = None

    def says_the_same(self, other: _Told) -> bool:
        """Whether the text is that of ``other``, which has the same title: a near simhash, or without one the same words."""
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
