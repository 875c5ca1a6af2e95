"""One fetched page with what every topic of the crawl says of it, and the items that say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from topicspider.defaults import Options
from topicspider.evaluation import MultiTopicScores, PageEvaluation, TopicView
from topicspider.items import PageItem
from topicspider.page.copies import CopyMemory
from topicspider.page.documents.document import Document
from topicspider.page.listings.listing import FEED, Listing
from topicspider.page.manner import Manner
from topicspider.page.page import Page
from topicspider.relevance.interfaces import PageScore
from topicspider.text.segment import Segmenter
from topicspider.topic.url_filter import UrlFilter
from topicspider.url.host import host_of, port_of

_MAX_LISTING_TEXT = 50_000  # characters; as long as a long page


@dataclass(frozen=True, slots=True)
class Fetch:
    """What the download told about a page; ``headers`` has lower-case names, ``seconds`` the whole download.

    ``answer_headers`` are all headers as they came, for a snapshot. ``document``: what a PDF, DOCX or EPUB was turned into, or why not; None for any other page.
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

    @property
    def readable_body(self) -> bytes:
        """The markup: what a document was turned into, else the body itself."""
        return self.body if self.document is None else self.document.markup

    @property
    def readable_type(self) -> str:
        """The content type of ``readable_body``."""
        return self.headers.get("content-type", "") if self.document is None else self.document.content_type


def manner_of(options: Options) -> Manner:
    """By which rules a crawl with these options reads its pages."""
    return Manner(options.title_rule, options.body_rule, options.keyword_rule)


class ListingVisit(PageEvaluation):
    """A sitemap or feed: its links are judged as a page's are; it is no page itself, so it is no hit, and no judge learns from it.

    A feed is worth what its texts say; a sitemap has none, and is worth what led to it.
    """

    def __init__(
        self,
        url: str,
        depth: int,
        listing: Listing,
        worth: float,
        segmenter: Segmenter,
        views: Sequence[TopicView],
        admission: UrlFilter,
        link_values: MultiTopicScores | None = None,
    ) -> None:
        super().__init__(url, depth, _ListingPage(listing, segmenter), views, admission, link_values)
        self.depth = depth
        self.listing = listing
        self.worth = worth

    @cached_property
    def scores(self) -> Mapping[str, PageScore]:
        """Each topic's opinion; never on topic."""
        if self.listing.kind == FEED:
            return super().scores
        return {view.topic: PageScore(self.worth, on_topic=False, threshold=1.0) for view in self._views}


class _ListingPage:
    """What judging needs of a listing: as of a page, but it is in the condition of being none."""

    condition = "listing"
    published = ""
    simhash = 0
    robots: AbstractSet[str] = frozenset()

    def __init__(self, listing: Listing, segmenter: Segmenter) -> None:
        self.links = listing.links
        self._listing = listing
        self._segmenter = segmenter

    @cached_property
    def title_words(self) -> tuple[str, ...]:
        return tuple(self._segmenter.words(self._listing.title))

    @cached_property
    def body_words(self) -> tuple[str, ...]:
        text = "\n".join(f"{link.anchor}\n{link.after}" for link in self.links if link.anchor or link.after)
        return tuple(self._segmenter.words(text[:_MAX_LISTING_TEXT]))


class Visit(PageEvaluation):
    """Every door of Scrapy asks the same visit."""

    def __init__(
        self,
        fetch: Fetch,
        page: Page,
        views: Sequence[TopicView],
        admission: UrlFilter,
        link_values: MultiTopicScores | None = None,
        copies: CopyMemory | None = None,
    ) -> None:
        super().__init__(fetch.url, fetch.depth, page, views, admission, link_values, copies)
        self.fetch = fetch
        self.depth = fetch.depth
        self.page = page
        self.snapshot: Future[str] | None = None  # its place, when it is written

    @cached_property
    def fetched_at(self) -> str:
        """When the page was first looked at, ISO 8601 in UTC."""
        return datetime.now(UTC).isoformat(timespec="seconds")

    @cached_property
    def items(self) -> tuple[PageItem, ...]:
        """One item a topic, not yet filled: pipelines do that."""
        return tuple(PageItem(url=self.url, topic=view.topic) for view in self._views)

    def fill_reading(self, item: PageItem) -> None:
        """Put what the page says and what the download told into ``item``."""
        fetch, page = self.fetch, self.page
        item.host, item.port = host_of(self.url), port_of(self.url)
        item.title, item.body = page.title, page.body
        item.encoding, item.language, item.link_count = page.encoding, page.language, page.link_count
        item.depth, item.referrer, item.status = fetch.depth, fetch.referrer, fetch.status
        item.fetched_at = self.fetched_at
        item.date = fetch.headers.get("date", "")
        item.download_time = round(fetch.seconds, 6)
        item.content_type = fetch.headers.get("content-type", "")
        item.content_length = len(fetch.body)

    def fill_relevance(self, item: PageItem) -> None:
        """Put the verdict of the item's topic into ``item``."""
        score = self.scores[item.topic]
        item.relevance = score.value
        item.parts = dict(score.parts)

    def simhash_of(self, topic: str) -> int:
        """The simhash of a page that ``topic`` keeps; 0 for others, which nobody looks up."""
        return self.page.simhash if self.scores[topic].on_topic else 0

    def fill_description(self, item: PageItem) -> None:
        """Put what only hits need into ``item``: summary, keywords, dates, typed data."""
        page = self.page
        words = next((view.words for view in self._views if view.topic == item.topic), {})
        item.summary, item.keywords = page.summary_for(words), list(page.keywords)
        item.published, item.modified = page.published, page.modified
        item.author, item.site_name = page.author, page.site_name
        item.type, item.data = page.type, dict(page.data)
