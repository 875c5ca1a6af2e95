"""Reads a recorded response as a crawl would: a page with its features, a redirect, or nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
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
from topicspider.text.segment import make_segmenter
from topicspider.url import canonicalize, host_key

if TYPE_CHECKING:
    from topicspider.rehearsal.response import RecordedResponse, RecordedWeb
    from topicspider.text.segment import Segmenter

ROBOTS_AGENT = "topicspider"
"""Who asks for robots.txt in a rehearsal."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_NO_PAGES = frozenset({204, 205})
# Scrapy's MetaRefreshMiddleware with its default settings, which a crawl leaves as they are
_REFRESH_IGNORED_IN = ("noscript",)
_MARKUP = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_UNSAID = frozenset({"", "application/octet-stream"})
_FETCHED = _MARKUP | {"text/plain", *DOCUMENT_TYPES}
"""Documents of other types are left unread by a crawl (middlewares.guard)."""


@dataclass(frozen=True, slots=True)
class TokenizerConfig:
    """How pages are cut into words: plain data, so that every process cuts alike.

    ``own_words``: what the topic's profile added to the segmenter (its ``own_words``); a crawl cuts its pages so.
    """

    segmenter: str
    own_words: tuple[str, ...] = ()

    def make(self) -> Segmenter:
        """A segmenter that cuts so."""
        return make_segmenter(self.own_words)


class PageReader:
    """Reads with one segmenter; ``others``: see ``read_each``."""

    def __init__(self, segmenter: Segmenter, *others: Segmenter) -> None:
        self._segmenter, self._others = segmenter, others

    def read(self, url: str, response: RecordedResponse | None) -> Answer:
        """What a crawl makes of ``response`` to a request for ``url`` (canonical); never raises."""
        return self._read(url, response)[0]

    def read_each(self, url: str, response: RecordedResponse | None) -> list[Answer]:
        """As ``read``, and what crawls make of it whose pages the other segmenters cut: to read a page takes longer than to cut it."""
        answer, page = self._read(url, response)
        return [answer, *(_cut_by(segmenter, answer, page) for segmenter in self._others)]

    def _read(self, url: str, response: RecordedResponse | None) -> tuple[Answer, Page | None]:
        if response is None:
            return Answer(url), None
        seconds = response.delay_seconds or None
        headers = {name.lower(): value for name, value in response.headers}
        if response.status in _REDIRECTS:
            target = location_of(url, headers.get("location", ""))
            return Answer(url, response.status, target=target, seconds=seconds), None
        if response.status // 100 != 2 or response.status in _NO_PAGES:
            return Answer(url, response.status, seconds=seconds), None
        page = self._page(url, response, headers)
        if page is None:
            return Answer(url, response.status, seconds=seconds), None
        if target := refresh_of(page, headers.get("content-type", "")):
            return Answer(url, response.status, target=target, seconds=seconds), None
        return Answer(url, response.status, features_of(page), seconds=seconds), page

    def _page(self, url: str, response: RecordedResponse, headers: dict[str, str]) -> Page | None:
        """The page; None when it is too large, broken, or neither markup nor a document that can be read."""
        body, document, content_type = response.body, "", headers.get("content-type", "")
        if len(body) > MAX_PAGE_BYTES:
            return None
        if kind := kind_of(body, content_type):
            if not is_wanted(_FETCHED, content_type, url, headers.get("content-disposition", "")):
                return None
            read = convert(kind, body)
            body, content_type, document = read.markup, read.content_type, read.readable_kind
        page = Page(
            url,
            body,
            content_type,
            self._segmenter,
            document=document,
            robots_header="\n".join(value for name, value in response.headers if name.lower() == "x-robots-tag"),
        )
        return page if page.is_readable else None


def _cut_by(segmenter: Segmenter, answer: Answer, page: Page | None) -> Answer:
    """``answer`` with the words of ``page`` as another segmenter cuts them: nothing else that is kept depends on it."""
    if answer.features is None or page is None:
        return answer
    title, body = (tuple(segmenter.words(text)[:MAX_WORDS]) for text in (page.title, page.body))
    features = replace(answer.features, title_words=title, body_words=body, simhash=simhash(body))
    return replace(answer, features=features)


def features_of(page: Page) -> PageFeatures:
    """What judging asks of ``page``; summary, keywords and the like are never computed."""
    return PageFeatures(
        title=page.title,
        title_words=page.title_words,
        body_words=page.body_words,
        links=page.links,
        published=page.published,
        robots=page.robots,
        simhash=simhash(page.body_words),
        condition=page.condition,
    )


def location_of(url: str, location: str) -> str:
    """Where a Location header (latin-1 text, as it came over the wire) leads from ``url``, canonical; "" for nowhere."""
    if not location:
        return ""
    raw = location.encode("latin-1", "replace")
    try:
        target = safe_url_string(raw)
        if raw.startswith(b"//"):
            target = f"{url.partition(':')[0]}://{target.lstrip('/')}"
        target = urljoin(url, target)
    except ValueError:  # "http://[": the crawl's redirect middleware fails too
        return ""
    return canonicalize(target) or ""


def refresh_of(page: Page, content_type: str) -> str:
    """Where a meta refresh leads that a crawl follows, canonical; "" when there is none.

    The crawl follows what Scrapy's middleware sees: within the first 4096 characters, sooner than 100 s, not in noscript; and only
    where the answer is said to be markup.
    """
    head = page.html[:4096]
    kind = content_type.partition(";")[0].strip().lower()
    if "refresh" not in head.lower() or (kind not in _MARKUP and kind not in _UNSAID):
        return ""
    try:
        base = get_base_url(head, page.url, page.encoding)
        seconds, target = get_meta_refresh(head, base, page.encoding, ignore_tags=_REFRESH_IGNORED_IN)
    except (ValueError, LookupError):
        return ""
    if not target or seconds is None or seconds >= 100.0:
        return ""
    return canonicalize(target) or ""


def robots_of(web: RecordedWeb, host: str) -> bytes | None:
    """The body of the robots.txt of ``host`` (a host key), over redirects on that host; None when it has none."""
    name, _, port = host.rpartition(":")
    for scheme in ("https",) if port == "443" else ("http",) if port == "80" else ("http", "https"):
        url = canonicalize(f"{scheme}://{name}:{port}/robots.txt")
        body = None if url is None else _robots_at(web, url, host)
        if body is not None:
            return body
    return None


def _robots_at(web: RecordedWeb, url: str, host: str) -> bytes | None:
    for _hop in range(MAX_HOPS + 1):
        response = web.find(url)
        if response is None:
            return None
        headers = {name.lower(): value for name, value in response.headers}
        if response.status // 100 == 2:
            return response.body
        url = location_of(url, headers.get("location", "")) if response.status // 100 == 3 else ""
        if host_key(url) != host:
            return None
    return None
