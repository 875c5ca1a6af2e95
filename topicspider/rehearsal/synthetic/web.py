"""The synthetic web: computes the response and the true topics of each URL from the URL alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

from topicspider.rehearsal.response import RecordedResponse
from topicspider.rehearsal.synthetic.pages import Pages, Sheet, html_of
from topicspider.rehearsal.synthetic.sites import DESIGN, DIRECTORY_HOST, Address, Scale, Site, Sites
from topicspider.rehearsal.synthetic.text import words_of
from topicspider.url import canonicalize

BIG_PAGE_BYTES = 15_000_000


@dataclass(frozen=True, slots=True)
class Truth:
    """What a page really is. ``kind``: page, list, topic-list, directory, redirect; ``topics``: what it is about."""

    kind: str
    topics: tuple[str, ...] = ()


class SyntheticWeb:
    """A web of ``scale.pages`` pages on sites www.sNNN.example, computed on demand; http://start.made.example/ is a directory of sites."""

    def __init__(self, scale: Scale) -> None:
        self.scale = scale
        self._sites = Sites(scale)
        self._pages = Pages(self._sites)

    @classmethod
    def read(cls, text: str) -> SyntheticWeb:
        """The web of ``pages=N,hosts=N,seed=N,topic=NAME,topic_hosts=N,classes=N``; raises ConfigError."""
        return cls(Scale.read(text))

    def find(self, url: str) -> RecordedResponse | None:
        """The response of ``url`` (absolute); None when there is no such page. https answers as http does."""
        host, path = _split(url)
        if host == DIRECTORY_HOST:
            sheet = self._directory(path)
            return _response(url, html_of(sheet, 1), "utf8") if sheet else None
        if path == "/robots.txt":
            return self._robots(host, url)
        address = self._pages.addresses.find(host, path)
        return None if address is None else self._answer(url, address)

    def truth(self, url: str) -> Truth | None:
        """What the page at ``url`` is; None when there is none."""
        host, path = _split(url)
        if host == DIRECTORY_HOST:
            return Truth("directory") if self._directory(path) else None
        address = self._pages.addresses.find(host, path)
        return None if address is None else self._truth(address)

    def labels(self, most: int | None = None) -> Iterator[tuple[str, Truth]]:
        """(URL, truth) of all pages, or of the first ``most``: the directory, then site after site; HTTP redirects are no pages."""
        directory = [f"http://{DIRECTORY_HOST}/", *map(_category_url, self.scale.topics)]
        sites = map(self._sites.site, range(self.scale.hosts))
        addresses = chain.from_iterable(map(_pages_of, sites))
        pages = ((self._pages.addresses.url(one), self._truth(one)) for one in addresses)
        return islice(chain(((url, Truth("directory")) for url in directory), pages), most)

    def is_unlisted(self, url: str) -> bool:
        """Whether something answers at ``url`` that ``labels`` leaves out: redirects, what robots.txt forbids, the one large page."""
        address = self._pages.addresses.find(*_split(url))
        return address is not None and address.kind not in ("home", "about", "hub", "list", "article")

    def knows(self, host: str) -> bool:
        return host == DIRECTORY_HOST or self._sites.number_of(host) is not None

    def hosts(self) -> Iterator[str]:
        yield DIRECTORY_HOST
        yield from map(self._sites.host, range(self.scale.hosts))

    def __len__(self) -> int:
        """The pages of all sites and of the directory."""
        return self.scale.pages + 1 + len(self.scale.topics)

    def _answer(self, url: str, address: Address) -> RecordedResponse:
        site = self._sites.site(address.site)
        if address.kind in ("go", "out", "loop"):
            target = self._pages.addresses.url(self._pages.detour(address))
            headers = (("Location", target), ("Content-Type", "text/html"))
            return RecordedResponse(url, 302, "Found", headers, b"", delay_seconds=site.slow_seconds)
        if address.kind == "all":
            return self._big(url, site)
        sheet = self._pages.sheet(address)
        _header, sheet.charset = DESIGN["encodings"][site.encoding]
        return _response(url, html_of(sheet, site.style), site.encoding, site.slow_seconds)

    def _big(self, url: str, site: Site) -> RecordedResponse:
        first = self._pages.sheet(Address(site.number, "article"))
        piece = html_of(first, 0).encode()
        body = (piece * (BIG_PAGE_BYTES // len(piece) + 1))[:BIG_PAGE_BYTES]
        return RecordedResponse(url, 200, "OK", (("Content-Type", "text/html; charset=utf-8"),), body, chunked=True)

    def _robots(self, host: str, url: str) -> RecordedResponse | None:
        number = self._sites.number_of(host)
        if number is None or not self._sites.site(number).has_robots:
            return None
        delay = "Crawl-delay: 1\n" if number % 16 == 5 else ""
        text = f"User-agent: *\n{delay}Disallow: /private/\n"
        return RecordedResponse(url, 200, "OK", (("Content-Type", "text/plain"),), text.encode())

    def _truth(self, address: Address) -> Truth:
        site = self._sites.site(address.site)
        if address.kind in ("go", "out", "loop") or (address.kind == "article" and self._pages.is_moved(address)):
            return Truth("redirect")
        if address.kind == "article":
            matter = self._pages.matter(address)
            return Truth("page", tuple(filter(None, (matter.topic, matter.second))))
        if address.kind == "list":
            return Truth("topic-list", (site.sections[address.section].topic,))
        if address.kind == "hub":
            return Truth("topic-list", (self._pages.hub_topic(address),))
        return Truth("list" if address.kind == "home" else "page")

    def _directory(self, path: str) -> Sheet | None:
        """A page of the directory: its list of topics, or sites on one topic; None for any other path."""
        title = "网址大全"
        if path == "/":
            links = [
                (_category_url(topic), words_of(topic, english=False).columns[0])
                for topic in sorted(self.scale.topics, key=lambda topic: self.scale.number("category", topic))
            ]
            return Sheet(title, title, english=False, charset="utf-8", entries=[(link, "") for link in links])
        topic = path.removeprefix("/dir/").removesuffix(".html")
        if path != f"/dir/{topic}.html" or topic not in self.scale.topics:
            return None
        sheet = Sheet(words_of(topic, english=False).columns[0], title, english=False, charset="utf-8")
        for number in self._sites.on_topic(topic, 15):
            site = self._sites.site(number)
            sheet.entries.append(((f"http://{site.host}/", site.title), ""))
        sheet.trail = [(f"http://{DIRECTORY_HOST}/", title)]
        return sheet


def _pages_of(site: Site) -> Iterator[Address]:
    yield Address(site.number, "home")
    yield Address(site.number, "about")
    yield from (Address(site.number, "hub", 0, index) for index in range(site.hubs))
    for section in site.sections:
        yield from (Address(site.number, "list", section.number, index) for index in range(section.lists))
        yield from (Address(site.number, "article", section.number, index) for index in range(section.articles))


def _category_url(topic: str) -> str:
    return f"http://{DIRECTORY_HOST}/dir/{topic}.html"


def _split(url: str) -> tuple[str, str]:
    """Host and path with query of a URL in any spelling."""
    _scheme, _, rest = (canonicalize(url) or "").partition("://")
    host, slash, path = rest.partition("/")
    return host, slash + path


def _response(url: str, text: str, encoding: str, delay_seconds: float = 0.0) -> RecordedResponse:
    body = text.encode("gbk", "xmlcharrefreplace") if encoding.startswith("gbk") else text.encode()
    headers = (("Content-Type", f"text/html{DESIGN['encodings'][encoding][0]}"),)
    return RecordedResponse(url, 200, "OK", headers, body, delay_seconds=delay_seconds)
