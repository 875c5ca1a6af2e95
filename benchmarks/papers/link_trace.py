"""The links of a web in the order in which a crawl finds them: what a cache of seen URLs is asked ((e) Broder 2003).

Every link of a page counts, also one that stands on it twice: the questions are put before anything
else is known of a link.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser

from topicspider.page.decode import decode
from topicspider.page.rewriting import bounded
from topicspider.rehearsal.archive.warc import RecordedWeb
from topicspider.rehearsal.response import RecordedResponse
from topicspider.url import canonicalize, host_key

LONGEST_PAGE_BYTES = 4_000_000
_LINKS = "a[href], area[href], frame[src], iframe[src]"


@dataclass(slots=True)
class LinkTrace:
    """``full``: the URL of every link found, as a number; ``cross``: of the links that lead to another host.

    ``pages`` were read; on them stood ``repeats`` links to a URL that the same page had linked to before.
    """

    full: list[int] = field(default_factory=list)
    cross: list[int] = field(default_factory=list)
    pages: int = 0
    repeats: int = 0


class LinkedWeb:
    """A web whose pages are read once, however many crawls ask for them; URLs and hosts are numbers."""

    def __init__(self, web: RecordedWeb) -> None:
        self._web = web
        self._numbers: dict[str, int] = {}
        self.urls: list[str] = []
        self._host_numbers: dict[str, int] = {}
        self._links: dict[int, array[int]] = {}
        self._pages: set[int] = set()
        self.hosts: list[int] = []

    def number(self, url: str) -> int:
        """The number of a canonical URL, which is ``urls[number]``; its host is ``hosts[number]``."""
        number = self._numbers.setdefault(url, len(self.urls))
        if number == len(self.urls):
            self.urls.append(url)
            self.hosts.append(self._host_numbers.setdefault(host_key(url), len(self._host_numbers)))
        return number

    def links(self, number: int) -> array[int]:
        """Where the links of a page lead, in document order; of a redirect its one target; else nothing."""
        if number not in self._links:
            self._links[number] = self._read(number)
        return self._links[number]

    def is_page(self, number: int) -> bool:
        """Whether what was read there is a page, and not a redirect, a file or nothing."""
        return number in self._pages

    def _read(self, number: int) -> array[int]:
        response = self._web.find(self.urls[number])
        if response is None or len(response.body) > LONGEST_PAGE_BYTES:
            return array("l")
        headers = {name.lower(): value for name, value in response.headers}
        if "location" in headers and 300 <= response.status < 400:
            return self._numbered([headers["location"]], response.url)
        if response.status != 200 or "html" not in headers.get("content-type", "html"):
            return array("l")
        self._pages.add(number)
        return self._links_of(response, headers.get("content-type", ""))

    def _links_of(self, response: RecordedResponse, content_type: str) -> array[int]:
        tree = LexborHTMLParser(bounded(decode(response.body, content_type).text))
        base = tree.css_first("base[href]")
        address = (base is not None and canonicalize(base.attributes.get("href") or "", response.url)) or response.url
        nodes = (node.attributes for node in tree.css(_LINKS))
        found = [node.get("href") or node.get("src") or "" for node in nodes]
        return self._numbered([link for link in found if link and not link.startswith("#")], address)

    def _numbered(self, links: Sequence[str], base: str) -> array[int]:
        urls = (canonicalize(link, base) for link in links)
        return array("l", (self.number(url) for url in urls if url))


def crawl(web: LinkedWeb, start: str, most_pages: int, threads: int = 1) -> LinkTrace:
    """The trace of a crawl from ``start`` of at most ``most_pages`` pages.

    One thread: breadth-first. More: as in Mercator, (e), each thread reads one host's pages, breadth-first,
    until no more of them are known, then takes the next host; all threads read equally fast.
    """
    trace = LinkTrace()
    queue = _Queue(web.hosts) if threads == 1 else _HostQueues(web.hosts, threads)
    first = web.number(start)
    queue.put(first)
    known = {first}
    while trace.pages < most_pages and (page := queue.take()) is not None:
        links = web.links(page)
        _note(trace, web, page, links)
        for link in links:
            if link not in known:
                known.add(link)
                queue.put(link)
    return trace


def _note(trace: LinkTrace, web: LinkedWeb, page: int, links: array[int]) -> None:
    hosts, home = web.hosts, web.hosts[page]
    trace.full.extend(links)
    trace.cross.extend(link for link in links if hosts[link] != home)
    if web.is_page(page):
        trace.pages += 1
        trace.repeats += len(links) - len(set(links))


class _Queue:
    """URLs in the order in which they were found."""

    def __init__(self, hosts: Sequence[int]) -> None:
        self._urls: deque[int] = deque()

    def put(self, url: int) -> None:
        self._urls.append(url)

    def take(self) -> int | None:
        return self._urls.popleft() if self._urls else None


class _HostQueues:
    """A queue a host; ``threads`` hosts are read at a time, by turns, each until its queue is empty."""

    def __init__(self, hosts: Sequence[int], threads: int) -> None:
        self._hosts = hosts
        self._threads = threads
        self._urls: dict[int, deque[int]] = {}
        self._waiting: deque[int] = deque()
        self._turns: deque[int] = deque()

    def put(self, url: int) -> None:
        host = self._hosts[url]
        if host not in self._urls:
            self._urls[host] = deque()
            self._waiting.append(host)
        self._urls[host].append(url)

    def take(self) -> int | None:
        while self._turns or self._waiting:
            while self._waiting and len(self._turns) < self._threads:
                self._turns.append(self._waiting.popleft())
            host = self._turns.popleft()
            if self._urls[host]:
                self._turns.append(host)
                return self._urls[host].popleft()
            del self._urls[host]
        return None
