"""What the address of a link tells of the page behind it: its site, its form, and which of the four kinds of (a) Li 2002 it is."""

from __future__ import annotations

import re
from functools import lru_cache

from topicspider.url.host import host_of

HOME, INDEX, CONTENT = "home", "index", "content"
_CACHED = 50_000
_DIGITS = re.compile(r"\d+")
_LONGEST_ENDING = 5
_LONGEST_VALUE = 20
_OF_NUMBERS = "0123456789-_"
_INDEX = re.compile(r"(?:index|default|main|home|list)(?:[_-]?\d+)?\.[a-z]{2,5}\Z", re.IGNORECASE)


@lru_cache(maxsize=_CACHED)
def site_at(authority: str) -> str:
    """The host of ``authority`` (host and port) without www.: of the many blogs under one registered domain each is a site of its own."""
    return host_of(f"http://{authority}/").removeprefix("www.")


def authority_of(url: str) -> str:
    """Host and port as they stand in a canonical URL."""
    start = url.find("://") + 3
    end = url.find("/", start)
    return url[start:] if end < 0 else url[start:end]


def form_of(url: str) -> str:
    """Path and query with what differs from page to page left out: numbers are 0, the last name is s.

    ``/tag/12/old-town.html?p=3`` is ``/tag/0/s.html?p=0``: the articles of one column share their form, as do its lists.
    """
    path, mark, query = _path_of(url).partition("?")
    head, _, last = path.rpartition("/")
    stem, dot, ending = last.rpartition(".")
    if not dot or len(ending) > _LONGEST_ENDING:
        stem, dot, ending = last, "", ""
    name = "" if not stem else "s" if stem.strip(_OF_NUMBERS) else "0"
    pairs = sorted(_form_of_pair(pair) for pair in query.split("&")) if mark else []
    return f"{_form_of_folder(head)}/{name}{dot}{ending}{mark}{'&'.join(pairs)}"


def kind_of(url: str) -> str:
    """home, index (a directory or what is named like its page) or content; the fourth kind, reference, is a link of kind outward."""
    path = _path_of(url)
    if path == "/":
        return HOME
    if path.endswith("/"):
        return INDEX
    return INDEX if "." in path[-_LONGEST_ENDING - 1 :] and _INDEX.search(path) else CONTENT


@lru_cache(maxsize=_CACHED)
def _form_of_folder(path: str) -> str:
    return _DIGITS.sub("0", path)


def _form_of_pair(pair: str) -> str:
    key, _, value = pair.partition("=")
    return f"{key}={_DIGITS.sub('0', value) if len(value) < _LONGEST_VALUE else ''}"


def _path_of(url: str) -> str:
    start = url.find("/", url.find("://") + 3)
    return "/" if start < 0 else url[start:]
