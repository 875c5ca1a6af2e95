"""Turns a Scrapy response into the plain record that the rooms understand."""

from __future__ import annotations

from dataclasses import dataclass

from scrapy.http import Response

from topicspider.meta import DEPTH, DOCUMENT, DOWNLOAD_SECONDS, LISTING, REFERRER
from topicspider.page.documents.document import Document
from topicspider.page.listings.listing import Listing
from topicspider.visit import Fetch

KEPT_HEADERS = ("content-type", "date", "last-modified", "etag", "content-language", "x-robots-tag")
HEADER_LENGTH = 1000
MAX_HEADERS = 100


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """What became of ``body``: spiders copy meta to other requests, whose answers have another body."""

    body: bytes
    document: Document


@dataclass(frozen=True, slots=True)
class ReadListing:
    """What became of ``body``, as for documents."""

    body: bytes
    listing: Listing


def listing_of(response: Response) -> Listing | None:
    """The sitemap or feed that ``response`` is; None for any other answer, and while the settings want none."""
    read = response.meta.get(LISTING) if response.request is not None else None
    return read.listing if isinstance(read, ReadListing) and read.body is response.body else None


def fetch_of(response: Response) -> Fetch:
    """What the download of ``response`` told."""
    meta = response.meta if response.request is not None else {}
    read = meta.get(DOCUMENT)
    return Fetch(
        url=response.url,
        status=response.status,
        body=response.body,
        headers={name: _header(response, name) for name in KEPT_HEADERS},
        depth=int(meta.get(DEPTH, 0)),
        referrer=str(meta.get(REFERRER, "")),
        seconds=float(meta.get(DOWNLOAD_SECONDS) or meta.get("download_latency") or 0.0),
        document=read.document if isinstance(read, ReadDocument) and read.body is response.body else None,
        answer_headers=_all_headers(response),
    )


def _header(response: Response, name: str) -> str:
    """The last header of this name; all of X-Robots-Tag, a line each: they add up."""
    values = response.headers.getlist(name)
    chosen = values if name == "x-robots-tag" else values[-1:]
    return "\n".join(value.decode("latin-1") for value in chosen)[:HEADER_LENGTH]


def _all_headers(response: Response) -> list[tuple[str, str]]:
    """The first MAX_HEADERS headers as they came."""
    pairs = [(name, value) for name, values in response.headers.items() for value in values]
    return [(name.decode("latin-1"), value.decode("latin-1")[:HEADER_LENGTH]) for name, value in pairs[:MAX_HEADERS]]
