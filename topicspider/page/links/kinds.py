"""Says which way a link leads within its site: the six kinds of (a) Li 2002.

The paper names them (down, up, level, cross, outward, frame) and does not define them. Here, by the URLs alone:

- frame: the target of a ``<frame>`` or ``<iframe>``, wherever it lies;
- outward: of another site; the subdomains of one registered domain are one site;
- up: an ancestor of the page: a directory that it lies in, or that directory's index page;
- down: below the page's directory; from the index page of a directory also the other pages in it;
- level: in the page's own directory, or the page itself with another query;
- cross: elsewhere in the site, another subdomain included.

A directory is a path up to its last slash. An index page is a path that ends in a slash or in a name such as ``index.html`` or
``default.asp``, without a query: with one, it is a page of its own (``/index.php?id=3``). ``/travel`` is an ancestor of ``/travel/3``.
A leading ``www.``, the scheme and the port make no other host.
"""

from __future__ import annotations

import re

from topicspider.url.host import site_of

DOWN, UP, LEVEL, CROSS, OUTWARD, FRAME = "down", "up", "level", "cross", "outward", "frame"

_INDEX = re.compile(r"(?:index|default|main|home)\.[a-z]{2,5}\Z", re.IGNORECASE)
_INDEX_STARTS = frozenset("idmhIDMH")


class KindOf:
    """Tells the kinds of the links of one page: its URL is taken apart once, hosts are compared once each."""

    def __init__(self, page_url: str) -> None:
        authority, path, query = _parts(page_url)
        self._host = _host(authority)
        self._site = site_of(self._host)
        self._path = path
        self._node = path if query else _without_index(path)
        self._directory = path[: path.rfind("/") + 1]
        self._is_index = not query and self._node.endswith("/")
        self._origin = page_url[: page_url.find("/", page_url.find("://") + 3) + 1]
        self._hosts: dict[str, str] = {}

    def __call__(self, url: str) -> str:
        """The kind of a link to ``url`` (canonical); never frame, which is a matter of the tag."""
        if self._origin and url.startswith(self._origin):  # most links
            path, _, query = url[len(self._origin) - 1 :].partition("?")
            return self._within(path, query)
        authority, path, query = _parts(url)
        elsewhere = self._hosts.get(authority)
        if elsewhere is None:
            elsewhere = self._hosts[authority] = self._compared(authority)
        return elsewhere or self._within(path, query)

    def _compared(self, authority: str) -> str:
        """The kind of all links to another host; "" when it is the page's own."""
        host = _host(authority)
        if host == self._host:
            return ""
        return CROSS if site_of(host) == self._site else OUTWARD

    def _within(self, path: str, query: str) -> str:
        if path == self._path:
            return LEVEL
        node = path if query else _without_index(path)
        if not query and self._node.startswith(node if node.endswith("/") else node + "/"):
            return LEVEL if node == self._node else UP
        directory = path[: path.rfind("/") + 1]
        if directory == self._directory:
            return DOWN if self._is_index else LEVEL
        return DOWN if directory.startswith(self._directory) else CROSS


def _parts(url: str) -> tuple[str, str, str]:
    """Authority, path and query of a canonical URL."""
    rest = url.partition("://")[2]
    front, _, query = rest.partition("?")
    authority, slash, path = front.partition("/")
    return authority, slash + path or "/", query


def _host(authority: str) -> str:
    end = authority.find(":", authority.rfind("]") + 1)
    return (authority if end < 0 else authority[:end]).removeprefix("www.")


def _without_index(path: str) -> str:
    """A directory's index page stands for the directory."""
    start = path.rfind("/") + 1
    return path[:start] if path[start : start + 1] in _INDEX_STARTS and _INDEX.match(path, start) else path
