"""Learns what the titles of a host's pages have in common, such as the site's name, which is no page's own title."""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicspider.url import host_of

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_HOSTS = 1000
MAX_SAMPLES = 24
# Three different titles may share an ending by chance (parts of a series), but not half of a host's titles.
_LEAST_PAGES = 3
_LEAST_SHARE = 0.5
_NEARLY_ALL = 0.9
# Separators between title and site name: more than for a single title, as several pages must agree; no single colon (标签：旅行).
_MARKS = re.compile(r" ?(?:[-－—–|｜_＿»«›‹•·∙/／\\<>~,，、@【】\[\]「」()（）]|::)[-－—–|｜_＿»«›‹•·∙/／\\<>~:,， ]*")


@dataclass(frozen=True, slots=True)
class Common:
    """What one page's title shares with others of its host: a ``prefix`` and a ``suffix`` of the title, separators included.

    ``names``: both without separators, whole and in parts. ``is_shared``: many other pages have the same title. ``logos``: those of the
    page's headlines (as keys, see ``Seen``) that at least half of the others have.
    """

    prefix: str = ""
    suffix: str = ""
    names: tuple[str, ...] = ()
    is_shared: bool = False
    logos: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Seen:
    """What is compared of a page: its URL, its ``<title>``, and keys of its headlines (title.headlines_of)."""

    url: str
    title: str
    headlines: tuple[str, ...] = ()


class SiteTitles:
    """Remembers the last MAX_SAMPLES pages of each of the MAX_HOSTS most recently seen hosts.

    Pages count as sharing something only when at least three others, and half of those remembered, agree. The result depends only on the
    pages seen before and on their order: the same crawl gives the same results.
    """

    def __init__(self, max_hosts: int = MAX_HOSTS) -> None:
        self._max_hosts = max_hosts
        self._hosts: OrderedDict[str, deque[Seen]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._hosts)

    def compare(self, page: Seen) -> Common:
        """What ``page`` has in common with earlier pages of its host; remembers it afterwards, one page per URL."""
        pages = self._pages(host_of(page.url)[:200])
        others = [one for one in pages if one.url != page.url]
        if len(others) == len(pages):
            cut = Seen(page.url, page.title[:200], tuple(key[:200] for key in page.headlines[:4]))
            pages.append(cut)
        return _common(page, others) if len(others) >= _LEAST_PAGES else Common()

    def packed(self) -> list[tuple[str, str, tuple[str, ...]]]:
        """Every remembered page as plain data, for ``remember`` in another process."""
        return [(page.url, page.title, page.headlines) for pages in self._hosts.values() for page in pages]

    def remember(self, packed: Iterable[tuple[str, str, tuple[str, ...]]]) -> None:
        for page in packed:
            self._pages(host_of(page[0])[:200]).append(Seen(*page))

    def _pages(self, host: str) -> deque[Seen]:
        if host not in self._hosts:
            self._hosts[host] = deque(maxlen=MAX_SAMPLES)
            if len(self._hosts) > self._max_hosts:
                self._hosts.popitem(last=False)
        self._hosts.move_to_end(host)
        return self._hosts[host]


def _common(page: Seen, others: list[Seen]) -> Common:
    least = max(_LEAST_PAGES, _LEAST_SHARE * len(others))
    titles = {one.title for one in others}
    different = [title for title in titles if title != page.title[:200]]
    enough = max(_LEAST_PAGES, _LEAST_SHARE * len(titles))
    prefix, suffix = _affixes(page.title, different, enough)
    same = sum(one.title == page.title for one in others)
    logos = frozenset(key for key in page.headlines if sum(key in one.headlines for one in others) >= least)
    names = tuple(name for affix in (prefix, suffix) for name in _names(affix))
    return Common(prefix, suffix, names, bool(page.title) and same >= least, logos)


def _affixes(title: str, others: list[str], enough: float) -> tuple[str, str]:
    """The longest prefix and suffix, ending at a separator, that at least ``enough`` of the other titles share.

    A site's name is at one end only: of two affixes the more frequent is kept, unless nearly all titles have both.
    """
    prefix, suffix, before, after = "", "", 0, 0
    marks = [mark.span() for mark in _MARKS.finditer(title[:200]) if _divides(title, *mark.span())]
    marks = [(start, end) for start, end in marks if start > 0 and end < len(title)]
    for _start, end in marks:
        if (count := sum(other.startswith(title[:end]) for other in others)) >= enough:
            prefix, before = title[:end], count
    for start, _end in reversed(marks):
        if (count := sum(other.endswith(title[start:]) for other in others)) >= enough:
            suffix, after = title[start:], count
    is_crossed = len(prefix) + len(suffix) >= len(title) or min(before, after) < _NEARLY_ALL * len(others)
    if prefix and suffix and is_crossed:
        return (prefix, "") if before > after else ("", suffix)
    return prefix, suffix


def _divides(title: str, start: int, end: int) -> bool:
    """Whether a mark separates parts, i.e. is not inside a word such as mod_proxy, e-mail or 24/7."""
    around = title[start - 1 : start] + title[end : end + 1]
    is_inside = len(around) == 2 and around.isascii() and around.isalnum()
    return not (is_inside and end - start == 1 and title[start] not in "|»«›‹•·")


def _names(affix: str) -> list[str]:
    """The whole affix and each of its parts, without separators, at most four."""
    whole = _MARKS.sub(" ", affix).strip()
    parts = [part.strip() for part in _MARKS.split(affix)]
    return list(dict.fromkeys(name for name in (whole, *parts) if name))[:4]
