"""Turns a Scrapy response into the plain record that the rooms understand."""

from __future__ import annotations

from scrapy.http import Response

from topicspider.visit import Fetch

KEPT_HEADERS = ("content-type", "date", "last-modified", "etag", "content-language")
HEADER_LENGTH = 1000


def fetch_of(response: Response) -> Fetch:
    """What the download of ``response`` told."""
    meta = response.meta if response.request is not None else {}
    return Fetch(
        url=response.url,
        status=response.status,
        body=response.body,
        headers={name: _header(response, name) for name in KEPT_HEADERS},
        depth=int(meta.get("depth", 0)),
        referrer=str(meta.get("topicspider_referrer", "")),
        seconds=float(meta.get("topicspider_download_seconds") or meta.get("download_latency") or 0.0),
    )


def _header(response: Response, name: str) -> str:
    value = response.headers.get(name)
    return value.decode("latin-1")[:HEADER_LENGTH] if value else ""
