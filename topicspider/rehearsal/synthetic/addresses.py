"""The URLs of a made web: from a page's address to its URL and back, in the spelling of each site's software."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

from topicspider.rehearsal.synthetic.text import words_of

if TYPE_CHECKING:
    from topicspider.rehearsal.synthetic.sites import Site, Sites

DIRECTORY_HOST = "start.made.example"
_NUMBER = re.compile(r"\d{1,18}")
_PLAIN = {"home": "/", "about": "/about.html", "all": "/all.html"}
_NUMBERED = {
    "hub": "/zhuanti/{}.html",
    "go": "/go/{}",
    "out": "/link/{}",
    "loop": "/loop/{}",
    "private": "/private/{}.html",
}
LOOPS, PRIVATE, DETOURS = 2, 5, 1000
"""How many pages of a redirect loop, of what robots.txt forbids, and of redirects a site has."""


@dataclass(frozen=True, slots=True)
class Address:
    """One page: its site's number, what it is, and for list and article the section and its index from 0."""

    site: int
    kind: str
    section: int = 0
    index: int = 0


class Addresses:
    """Turns addresses into URLs and back; knows which exist."""

    def __init__(self, sites: Sites) -> None:
        self._sites = sites
        self._big = sites.any(sites.scale.unit("big"))

    def url(self, address: Address) -> str:
        """The URL of a page."""
        site = self._sites.site(address.site)
        return f"http://{site.host}{self._path(site, address)}"

    def has_big_page(self, number: int) -> bool:
        """Whether this is the one site with a page of 15 MB."""
        return number == self._big

    def find(self, host: str, path: str) -> Address | None:
        """The address behind a host and a path (with its query); None when there is nothing."""
        number = self._sites.number_of(host)
        if number is None:
            return None
        site = self._sites.site(number)
        return next(
            (one for one in self._guesses(site, path) if self._exists(site, one) and self._path(site, one) == path),
            None,
        )

    def _guesses(self, site: Site, path: str) -> list[Address]:
        for kind, pattern in (_PLAIN | _NUMBERED).items():
            if path.startswith(pattern.partition("{")[0]) and (kind != "home" or path == "/"):
                digits = _NUMBER.search(path)
                return [Address(site.number, kind, 0, int(digits.group()) if digits and kind in _NUMBERED else 0)]
        numbers = [int(text) for text in _NUMBER.findall(path)[-2:]]
        last = numbers[-1] if numbers else 0
        guesses = [
            Address(site.number, "list", section.number, index)
            for section in site.sections
            for index in (0, max(0, last - 1))
        ]
        number = last - 1000
        if number >= 0:
            guesses.append(Address(site.number, "article", number % 8, number // 8))
        return guesses

    def _exists(self, site: Site, address: Address) -> bool:
        counts = {
            "hub": site.hubs,
            "go": DETOURS,
            "out": DETOURS,
            "loop": LOOPS,
            "private": PRIVATE if site.has_robots else 0,
        }
        if address.kind in counts:
            return address.index < counts[address.kind]
        if address.kind == "all":
            return self.has_big_page(site.number)
        if address.kind in _PLAIN:
            return True
        if address.section >= len(site.sections):
            return False
        section = site.sections[address.section]
        return address.index < (section.lists if address.kind == "list" else section.articles)

    def _path(self, site: Site, address: Address) -> str:
        if address.kind in _PLAIN:
            return _PLAIN[address.kind]
        if address.kind in _NUMBERED:
            return _NUMBERED[address.kind].format(address.index)
        section = site.sections[address.section]
        if address.kind == "list":
            return _list_path(site.style, section.slug, quote(section.title), section.number, address.index)
        return self._article_path(site, address)

    def _article_path(self, site: Site, address: Address) -> str:
        section, number = site.sections[address.section], 1000 + address.index * 8 + address.section
        if site.style == 0:
            return f"/{section.slug}/{number}.html"
        if site.style == 1:
            return f"/{section.slug}/20{10 + address.index % 15}/{1 + address.index % 12:02}/{number}.shtml"
        if site.style == 2:
            return f"/show.asp?id={number}"
        things = words_of(section.topic, english=site.english).things
        word = things[self._sites.scale.number("word", site.number, number) % len(things)]
        return f"/{quote(section.title)}/{quote(word.replace(' ', '-'))}-{number}.html"


def _list_path(style: int, slug: str, title: str, number: int, index: int) -> str:
    if style == 0:
        return f"/{slug}/list_{index + 1}.html" if index else f"/{slug}/"
    if style == 1:
        return f"/{slug}/index_{index + 1}.shtml" if index else f"/{slug}/index.shtml"
    if style == 2:
        return f"/list.asp?class={number}&page={index + 1}"
    return f"/{title}/page/{index + 1}/" if index else f"/{title}/"
