"""Checks by the replay server's log and the store whether a crawl that was killed has done all its work in the end.

A request is open from when the server has read it until the server has handed the last byte of the answer to the operating
system, or has seen that the connection was closed. The operating system closes the connections of a killed process, so its
requests stay open only until the server notices.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from topicspider.rehearsal.synthetic.web import SyntheticWeb
from topicspider.url import canonicalize

START_PAGE = "http://start.made.example/"
LARGEST_PAGE = 10_000_000  # bytes; the one page beyond it is refused as too large
_LINK = re.compile(r'(?:href="|;\s*url=)([^"]+)"')

Logged = Mapping[str, Any]
"""A line of the server's log, with the fields of request_log.LoggedRequest."""


@dataclass(frozen=True, slots=True)
class Reachable:
    """``urls``: all to which links and redirects lead, also dead ones; ``pages``: those that must be stored in the end."""

    urls: frozenset[str]
    pages: frozenset[str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """URLs with a fault of each kind (see judge), and how many requests repeated an earlier one (``refetched``)."""

    refetched: int
    overlaps: tuple[str, ...]
    missing: tuple[str, ...]
    unstored: tuple[str, ...]
    foreign: tuple[str, ...]

    @property
    def faults(self) -> list[str]:
        """Each fault as its kind and its URL."""
        kinds = {"overlap": self.overlaps, "missing": self.missing, "unstored": self.unstored, "foreign": self.foreign}
        return [f"{kind} {url}" for kind, urls in kinds.items() for url in urls]


def reachable(web: SyntheticWeb) -> Reachable:
    """What a crawl that prunes nothing must fetch, found by following links from the directory, with a link reader of our own."""
    urls, todo, pages = {START_PAGE}, [START_PAGE], set()
    while todo:
        url = todo.pop()
        response = web.find(url)
        if response is None or len(response.body) > LARGEST_PAGE:
            continue
        truth = web.truth(url)
        if response.status == 200 and truth is not None and truth.kind != "redirect":
            pages.add(url)
        location = dict(response.headers).get("Location")
        links = [location] if location else _LINK.findall(response.body.decode("latin-1"))
        new = {canonicalize(urljoin(url, unescape(link))) for link in links} - urls
        found = {one for one in new if one}
        urls |= found
        todo += sorted(found)
    return Reachable(frozenset(urls), frozenset(pages))


def judge(log: Iterable[Logged], stored: set[str], wanted: Reachable) -> Verdict:
    """Compare the requests to the server and the URLs in the store with what had to be fetched."""
    requests = list(log)
    asked = Counter(url_of(one) for one in requests if one["path"] != "/robots.txt")
    answered = {url_of(one) for one in requests if one["status"]}
    return Verdict(
        refetched=asked.total() - len(asked),
        overlaps=tuple(open_at_once(requests)),
        missing=tuple(sorted(wanted.urls - answered)),
        unstored=tuple(sorted(wanted.pages - stored)),
        foreign=tuple(sorted(set(asked) - wanted.urls)),
    )


def url_of(request: Logged) -> str:
    """The URL of a request."""
    return f"{request['scheme']}://{request['host']}{request['path']}"


def open_at_once(log: Iterable[Logged]) -> list[str]:
    """URLs of requests (also for robots.txt) that began while another request to their host was open."""
    by_host: dict[str, list[Logged]] = {}
    for one in sorted(log, key=lambda one: (one["start"], one["end"])):
        by_host.setdefault(one["host"], []).append(one)
    found = []
    for requests in by_host.values():
        latest = requests[0]
        for before, after in pairwise(requests):
            latest = max(latest, before, key=lambda one: one["end"])
            if after["start"] < latest["end"]:
                found.append(url_of(after))
    return found


def stored_urls(folders: Iterable[Path], topic: str) -> set[str]:
    """The URLs in the stores of all nodes."""
    found: set[str] = set()
    for folder in folders:
        path = folder / "data" / topic / "pages.db"
        if path.exists():
            with closing(sqlite3.connect(path)) as database:
                found.update(url for (url,) in database.execute("SELECT url FROM pages"))
    return found
