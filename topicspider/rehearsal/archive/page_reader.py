"""Reads a recorded response as a crawl would: a page with its features, a redirect, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urljoin

from w3lib.html import get_base_url, get_meta_refresh
from w3lib.url import safe_url_string

from topicspider.options import MAX_PAGE_BYTES
from topicspider.page.decode import DOCUMENT_TYPES, is_wanted, kind_of
from topicspider.page.documents.process import convert
from topicspider.page.near_duplicate import simhash
from topicspider.page.page import MAX_WORDS, Page
from topicspider.politeness.robots import MAX_HOPS
from topicspider.rehearsal.archive.feature_file import Answer, PageFeatures
from topicspider.rehearsal.archive.warc import RecordedWeb
from topicspider.rehearsal.response import RecordedResponse
from topicspider.text.segment import Segmenter
from topicspider.url import canonicalize, host_key

ROBOTS_AGENT = "topicspider"
"""The user agent whose rules of robots.txt count in a rehearsal."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MARKUP = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_UNSAID = frozenset({"", "application/octet-stream"})
_FETCHED = _MARKUP | {"text/plain", *DOCUMENT_TYPES}
"""Content types; a crawl does not read documents of other types (see middlewares.guard)."""


def read_answers(url: str, response: RecordedResponse | None, segmenters: Sequence[Segmenter]) -> list[Answer]:
    """Read ``response`` to a request for ``url`` (canonical) as a crawl does; returns an Answer for each segmenter, and never raises.

    The answers differ in their words alone; the page is read once, because that takes longer than to cut it into words.
    """
    if response is None:
        return [Answer(url)] * len(segmenters)
    blank = Answer(url, response.status, seconds=response.delay_seconds or None)
    headers = {name.lower(): value for name, value in response.headers}
    page, target = None, ""
    if response.status in _REDIRECTS:
        target = location_of(url, headers.get("location", ""))
    elif response.status // 100 == 2 and response.status not in (204, 205):
        page = _page(url, response, headers, segmenters[0])
        target = "" if page is None else refresh_of(page, headers.get("content-type", ""))
    if page is None or target:
        return [replace(blank, target=target)] * len(segmenters)
    return [replace(blank, features=_features(page, segmenter)) for segmenter in segmenters]


def _page(url: str, response: RecordedResponse, headers: dict[str, str], segmenter: Segmenter) -> Page | None:
    """The page; None when it is too large, broken, or neither markup nor a document that can be read."""
    body, document, content_type = response.body, "", headers.get("content-type", "")
    if len(body) > MAX_PAGE_BYTES:
        return None
    if kind := kind_of(body, content_type):
        if not is_wanted(_FETCHED, content_type, url, headers.get("content-disposition", "")):
            return None
        read = convert(kind, body)
        body, content_type, document = read.markup, read.content_type, read.readable_kind
    said = "\n".join(value for name, value in response.headers if name.lower() == "x-robots-tag")
    page = Page(url, body, content_type, segmenter, document=document, robots_header=said)
    return page if page.is_readable else None


def _features(page: Page, segmenter: Segmenter) -> PageFeatures:
    """What judging asks of ``page``; summary, keywords and the like are never computed."""
    title, body = (tuple(segmenter.words(text)[:MAX_WORDS]) for text in (page.title, page.body))
    filed_under, sections = (
        tuple(filter(None, (" ".join(segmenter.words(name)) for name in names)))
        for names in (page.categories, page.breadcrumbs)
    )
    known = page.published, page.robots, simhash(body), page.condition, page.is_hub, filed_under, sections
    return PageFeatures(page.title, (*title, *" ".join(filed_under).split()), body, page.links, *known)


def location_of(url: str, location: str) -> str:
    """The canonical URL to which a Location header (latin-1 text, as received) leads from ``url``; "" when it leads nowhere."""
    try:
        target = urljoin(url, safe_url_string(location.encode("latin-1", "replace"))) if location else ""
    except ValueError:  # "http://[": the crawl's redirect middleware fails too
        return ""
    return canonicalize(target) or ""


def refresh_of(page: Page, content_type: str) -> str:
    """The canonical URL of a meta refresh that a crawl follows; "" when there is none.

    As Scrapy's middleware, a crawl follows one of less than 100 s within the first 4096 characters, outside noscript; and only if
    ``content_type`` is that of markup, empty, or application/octet-stream.
    """
    head = page.html[:4096]
    kind = content_type.partition(";")[0].strip().lower()
    if "refresh" not in head.lower() or (kind not in _MARKUP and kind not in _UNSAID):
        return ""
    try:
        base = get_base_url(head, page.url, page.encoding)
        seconds, target = get_meta_refresh(head, base, page.encoding, ignore_tags=("noscript",))
    except (ValueError, LookupError):
        return ""
    if not target or seconds is None or seconds >= 100.0:
        return ""
    return canonicalize(target) or ""


def robots_of(web: RecordedWeb, host: str) -> bytes | None:
    """The body of the robots.txt of ``host`` (see url.host_key), after redirects within that host; None when there is none."""
    name, _, port = host.rpartition(":")
    for scheme in {"443": ("https",), "80": ("http",)}.get(port, ("http", "https")):
        url = canonicalize(f"{scheme}://{name}:{port}/robots.txt") or ""
        for _hop in range(MAX_HOPS + 1):
            response = web.find(url) if host_key(url) == host else None
            if response is None:
                break
            if response.status // 100 == 2:
                return response.body
            headers = {name.lower(): value for name, value in response.headers}
            url = location_of(url, headers.get("location", "")) if response.status // 100 == 3 else ""
    return None
