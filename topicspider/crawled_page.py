"""One page of a crawl: the download, the parsed page, and the verdicts of every topic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from topicspider.items import PageItem, time_now
from topicspider.judging import Judging, PageEvaluation, TopicView
from topicspider.meta import DEPTH, DOCUMENT, DOWNLOAD_SECONDS, LISTING, REFERRER
from topicspider.page.documents.document import Document
from topicspider.page.page import Page
from topicspider.page.sitemaps import FEED, Listing
from topicspider.relevance.interfaces import PageScore
from topicspider.text.segment import Segmenter
from topicspider.url import host_of, port_of

if TYPE_CHECKING:
    from scrapy.http import Response

KEPT_HEADERS = ("content-type", "date", "last-modified", "etag", "content-language", "x-robots-tag")
HEADER_LENGTH = 1000


@dataclass(frozen=True, slots=True)
class DownloadResult:
    """What the download gave; ``headers``: those of KEPT_HEADERS, by lower-case name; ``seconds``: how long the whole download took.

    ``document``: what a PDF or DOCX was turned into, or why not; None for other pages. ``answer_headers``: all as received, for a snapshot.
    """

    url: str
    status: int
    body: bytes
    headers: Mapping[str, str]
    depth: int = 0
    referrer: str = ""
    seconds: float = 0.0
    document: Document | None = None
    answer_headers: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class ReadBody:
    """What ``body`` was read as. The body is kept to check that meta belongs to this response: spiders copy meta to other requests."""

    body: bytes
    read_as: Document | Listing


def listing_of(response: Response) -> Listing | None:
    """The sitemap or feed that ``response`` is; None for any other answer, or when the settings want none."""
    listing = _read_as(response, LISTING)
    return listing if isinstance(listing, Listing) else None


def _read_as(response: Response, name: str) -> Document | Listing | None:
    read = response.meta.get(name) if response.request is not None else None
    return read.read_as if isinstance(read, ReadBody) and read.body is response.body else None


def content_type_of(response: Response) -> str:
    return (response.headers.get("Content-Type") or b"").decode("latin-1")


def download_of(response: Response) -> DownloadResult:
    meta = response.meta if response.request is not None else {}
    document = _read_as(response, DOCUMENT)
    pairs = [(name, value) for name, values in response.headers.items() for value in values]
    return DownloadResult(
        url=response.url,
        status=response.status,
        body=response.body,
        headers={name: _header(response, name) for name in KEPT_HEADERS},
        depth=int(meta.get(DEPTH, 0)),
        referrer=str(meta.get(REFERRER, "")),
        seconds=float(meta.get(DOWNLOAD_SECONDS) or meta.get("download_latency") or 0.0),
        document=document if isinstance(document, Document) else None,
        answer_headers=[
            (name.decode("latin-1"), value.decode("latin-1")[:HEADER_LENGTH]) for name, value in pairs[:100]
        ],
    )


def _header(response: Response, name: str) -> str:
    """The last header of this name; of X-Robots-Tag all, one in each line, because they add up."""
    values = response.headers.getlist(name)
    chosen = values if name == "x-robots-tag" else values[-1:]
    return "\n".join(value.decode("latin-1") for value in chosen)[:HEADER_LENGTH]


class CrawledListing(PageEvaluation):
    """A sitemap or feed. Its links are judged like those of a page; it is no page itself, so it is no hit, and no judge learns from it.

    A feed is scored by its texts. A sitemap has none; its score is ``worth``, that of what led to it.
    """

    def __init__(
        self, url: str, depth: int, listing: Listing, worth: float, segmenter: Segmenter, judging: Judging
    ) -> None:
        super().__init__(url, depth, _ListingPage(listing, segmenter), judging)
        self.listing = listing
        self.worth = worth

    @cached_property
    def scores(self) -> Mapping[str, PageScore]:
        """Each topic's score; never on topic."""
        if self.listing.kind == FEED:
            return super().scores
        return {view.topic: PageScore(self.worth, on_topic=False, threshold=1.0) for view in self._views}


class _ListingPage:
    """A listing as judging sees it: like a page, with the condition "listing"."""

    condition = "listing"
    published = ""
    simhash = 0
    is_hub = False
    robots: AbstractSet[str] = frozenset()
    filed_under: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()

    def __init__(self, listing: Listing, segmenter: Segmenter) -> None:
        self.links = listing.links
        text = "\n".join(f"{link.anchor}\n{link.after}" for link in self.links if link.anchor or link.after)
        self.subject_words = tuple(segmenter.words(listing.title))
        self.body_words = tuple(segmenter.words(text[:50_000]))  # as long as a long page


class CrawledPage(PageEvaluation):
    """The page that the spider yields, made once for a response (by ``CrawlComponents.page_of``); each of its items refers to it."""

    def __init__(self, download: DownloadResult, page: Page, judging: Judging) -> None:
        super().__init__(download.url, download.depth, page, judging)
        self.download = download
        self.page = page
        self.snapshot: Future[str] | None = None  # its place, once it is written

    def __deepcopy__(self, _memo: Any) -> Self:
        """The copy of an item has the same page."""
        return self

    @cached_property
    def fetched_at(self) -> str:
        """When the page was first looked at, ISO 8601 in UTC."""
        return time_now()

    def make_items(self) -> Iterator[CrawledItem]:
        """One item for each topic; those of misses have no summary, keywords or dates, which nobody reads and which cost time.

        The page keeps no reference to them: they refer to it, and such a cycle would stay in memory until the garbage collector runs.
        """
        return (self._item(view) for view in self._views)

    def _item(self, view: TopicView) -> CrawledItem:
        download, page, score = self.download, self.page, self.scores[view.topic]
        item = CrawledItem(
            url=self.url,
            topic=view.topic,
            host=host_of(self.url),
            port=port_of(self.url),
            title=page.title,
            body=page.body,
            encoding=page.encoding,
            language=page.language,
            link_count=page.link_count,
            depth=download.depth,
            referrer=download.referrer,
            status=download.status,
            fetched_at=self.fetched_at,
            date=download.headers.get("date", ""),
            download_time=round(download.seconds, 6),
            content_type=download.headers.get("content-type", ""),
            content_length=len(download.body),
            relevance=score.value,
            parts=dict(score.parts),
        )
        item.page = self
        if score.on_topic:
            item.summary, item.keywords = page.summary, list(page.keywords)
            item.published, item.modified = page.published, page.modified
            item.author, item.site_name = page.author, page.site_name
            # a hub that counts as a hit is a list like any other
            item.type = "list" if view.takes_hubs and page.is_hub else page.type
            item.data = dict(page.data)
        return item


class CrawledItem(PageItem):
    """An item with a reference to its page; ``page`` is no field, so no exporter writes it."""

    __slots__ = ("page",)
    page: CrawledPage


def page_of_item(item: Any) -> CrawledPage | None:
    """The page of one of our items; None for any other item."""
    return getattr(item, "page", None) if isinstance(item, CrawledItem) else None
