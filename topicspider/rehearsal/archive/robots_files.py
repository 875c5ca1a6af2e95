"""Finds the robots.txt of a recorded host, over redirects on the same host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.politeness.robots import MAX_HOPS
from topicspider.rehearsal.archive.content_encoding import decode_content
from topicspider.rehearsal.archive.page_reader import MAX_BYTES, location_of
from topicspider.url.canonical import canonicalize
from topicspider.url.host import host_key

if TYPE_CHECKING:
    from topicspider.rehearsal.response import RecordedResponse, RecordedWeb


def robots_of(web: RecordedWeb, host: str) -> bytes | None:
    """The body of the robots.txt of ``host`` (a host key); None when it has none, or it is on another host."""
    name, _, port = host.rpartition(":")
    for scheme in ("https",) if port == "443" else ("http",) if port == "80" else ("http", "https"):
        url = canonicalize(f"{scheme}://{name}:{port}/robots.txt")
        body = None if url is None else _follow(web, url, host)
        if body is not None:
            return body
    return None


def _follow(web: RecordedWeb, url: str, host: str) -> bytes | None:
    for _hop in range(MAX_HOPS + 1):
        response = web.find(url)
        if response is None:
            return None
        named = {name.lower(): value for name, value in response.headers}
        if response.status // 100 == 2:
            return _body(response, named.get("content-encoding", ""))
        url = location_of(url, named.get("location", "")) if response.status // 100 == 3 else ""
        if host_key(url) != host:
            return None
    return None


def _body(response: RecordedResponse, encoding: str) -> bytes | None:
    try:
        return decode_content(response.body, encoding, MAX_BYTES)
    except ValueError:
        return None
