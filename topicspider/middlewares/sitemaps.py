"""Downloader middleware: reads sitemaps and feeds, and finds out which of them to fetch, if the setting for discovery asks for that."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable
from typing import Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from topicspider.crawl_components import CrawlComponents
from topicspider.crawled_page import CrawledListing, CrawledPage, ReadBody, content_type_of
from topicspider.download.handler import Refused
from topicspider.download.outcome import Outcome
from topicspider.frontier.protocol import Entry
from topicspider.meta import DEPTH, LISTING, OUTCOME, SCORE, SITEMAP_LEVEL
from topicspider.middlewares.politeness import PolitenessMiddleware
from topicspider.options import OWN_SPIDER, Options
from topicspider.page.decode import media_type
from topicspider.page.sitemaps import FEED, LISTING_TYPES, SITEMAP, Listing, Places, may_be_listing, read_listing
from topicspider.scrapy_component import ScrapyComponent
from topicspider.url import canonicalize, fingerprint, host_key

_KINDS = {"sitemaps": frozenset({SITEMAP}), "feeds": frozenset({FEED}), "all": frozenset({SITEMAP, FEED})}
DEEPEST_INDEX = 3  # levels: an index of indexes of sitemaps


class SitemapsMiddleware(ScrapyComponent):
    """Stands between documents and decompression (order 45), for our own spider and scheduler only.

    A sitemap or feed to fetch goes to the frontier like any link: its host's lease, rest and robots.txt, the guard and the limits apply. It
    has the score and depth of the page that led to it, and does not count for limits of pages. Listings are read in a thread, one at a
    time.
    """

    def __init__(self, crawler: Crawler, components: CrawlComponents) -> None:
        super().__init__(crawler, components)
        self._kinds = _KINDS[components.options.discovery]
        self._places = Places()
        self._reader_is_free = asyncio.Lock()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        options = Options.read(crawler.settings)
        if crawler.spidercls.name != OWN_SPIDER or options.discovery == "off":
            raise NotConfigured
        return super().from_crawler(crawler)

    async def process_response(self, request: Request, response: Response) -> Response:
        """Read a response that may be a listing; XML that is no listing is refused as WRONG_TYPE."""
        request.meta.pop(LISTING, None)
        kind = media_type(content_type_of(response))
        if response.status // 100 != 2 or request.callback is NO_CALLBACK or not may_be_listing(response.body, kind):
            return response
        limits = self._components.config.limits
        newer_than = limits.newer_than.isoformat() if limits.newer_than else ""
        async with self._reader_is_free:
            listing = await asyncio.to_thread(
                read_listing, response.url, response.body, kind, kinds=self._kinds, newer_than=newer_than
            )
        if listing is not None:
            request.meta[LISTING] = ReadBody(response.body, listing)
            self._count(f"listings/{listing.kind}")
        elif kind in LISTING_TYPES:
            request.meta[OUTCOME] = Outcome.WRONG_TYPE.value
            raise Refused(Outcome.WRONG_TYPE, f"{response.url} is XML, but no sitemap and no feed")
        return response

    def found_on(self, crawled: CrawledPage) -> list[Entry]:
        """Entries for the sitemaps and feeds to which a hit leads."""
        if not crawled.is_hit:
            return []
        worth = max(score.value for score in crawled.scores.values())
        entries = []
        if SITEMAP in self._kinds and (politeness := self._crawler.get_downloader_middleware(PolitenessMiddleware)):
            said = (canonicalize(url, crawled.url) for url in politeness.sitemaps(host_key(crawled.url)))
            entries += self._entries(
                SITEMAP, (url for url in said if url), worth, crawled.download.depth, crawled.url, 1
            )
        if FEED in self._kinds:
            entries += self._entries(FEED, crawled.page.feeds, worth, crawled.download.depth, crawled.url)
        return entries

    def crawled_listing(self, response: Response, listing: Listing) -> CrawledListing:
        """What is needed to judge the links of ``listing``; links left out as too old are counted."""
        if too_old := listing.skipped["too_old"]:
            self._count("pruned/too_old", too_old)
            self._components.stats.judged(0, Counter({"too_old": too_old}))
        worth = min(1.0, max(0.0, float(response.meta.get(SCORE, 0.0))))
        segmenter, judging = self._components.subject.segmenter, self._components.judging
        return CrawledListing(response.url, int(response.meta.get(DEPTH, 0)), listing, worth, segmenter, judging)

    def parts_of(self, crawled: CrawledListing, response: Response) -> list[Entry]:
        """Entries for the sitemaps that an index lists, down to level DEEPEST_INDEX."""
        level = int(response.meta.get(SITEMAP_LEVEL, 1)) + 1
        if level > DEEPEST_INDEX:
            return []
        return self._entries(SITEMAP, crawled.listing.sitemaps, crawled.worth, crawled.depth, crawled.url, level)

    def _entries(
        self, kind: str, urls: Iterable[str], worth: float, depth: int, referrer: str, level: int = 0
    ) -> list[Entry]:
        admission, stats = self._components.judging.admission, self._components.stats
        payload = json.dumps({"meta": {SITEMAP_LEVEL: level}}, separators=(",", ":")) if level else ""
        entries = []
        for url in self._places.take(kind, urls):
            if reason := admission.reject_reason(url, depth):
                stats.judged(0, Counter({reason: 1}))
                self._count(f"pruned/{reason}")
                continue
            entries.append(Entry(url, fingerprint(url), host_key(url), worth, depth, referrer, payload))
        return entries
