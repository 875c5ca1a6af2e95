"""Spider middleware: judges all links of a page at once, prunes them with a reason each, and queues the others."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from functools import cached_property
from typing import Any

from scrapy import Request
from scrapy.http import Response

from topicspider.crawl_stats import Hit
from topicspider.crawled_page import CrawledListing, CrawledPage, listing_of
from topicspider.frontier.protocol import Entry
from topicspider.judging import SEED_SCORE, seed_score
from topicspider.link_pruning import LinkVerdicts
from topicspider.meta import DEPTH, PAGE, REFERRER, SCORE
from topicspider.middlewares.sitemaps import SitemapsMiddleware
from topicspider.page.links import Link
from topicspider.page.sitemaps import Listing
from topicspider.scrapy_component import ScrapyComponent
from topicspider.store.rows import LinkRow
from topicspider.url import canonicalize, fingerprint, host_key, host_of

SAMPLED_OF_A_PAGE = 10  # per page: so many kept links, and so many pruned ones


class RelevanceMiddleware(ScrapyComponent):
    """Judges links before Requests exist: a link costs a Request only when its turn comes to be fetched.

    Our spider yields a CrawledPage: its items go on to the pipelines, its surviving links to the frontier as entries (ADR 4), or, with
    another scheduler, on as Requests. The Requests of other spiders are gathered per page, judged by the links that they follow, and passed
    on, best first, or pruned. Requests that are no link of the page (forms, APIs, other methods, ``dont_filter``) pass unjudged.
    """

    _sampled_links = 0

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Give the start requests of any spider the score of a seed, so that they come before every link."""
        async for output in start:
            if isinstance(output, Request):
                output.meta.setdefault(SCORE, SEED_SCORE)
                output.meta.setdefault("is_start_request", True)
            yield output

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Items pass at once. After an exception, the Requests gathered before it are judged, then it is raised again."""
        is_ours = False
        requests: list[Request] = []
        failure: Exception | None = None
        try:
            async for output in result:
                if isinstance(output, CrawledPage):
                    is_ours = True
                    for item in output.make_items():
                        yield item
                elif isinstance(output, Request):
                    requests.append(output)
                else:
                    yield output
        except Exception as error:  # noqa: BLE001 - raised again below, after its links are queued
            failure = error
        for request in self._survivors(response, is_ours, requests):
            yield request
        if failure is not None:
            raise failure

    def _survivors(self, response: Response, is_ours: bool, requests: Sequence[Request]) -> Iterator[Request]:
        if (listing := listing_of(response)) is not None:
            self._follow(response, listing)
            return
        crawled = self._components.page_of(response)
        # a spider may handle responses that are no pages: 404 (the server's own text), 304 (no body)
        if response.status // 100 == 2 and crawled.page.is_readable and not crawled.page.condition:
            self._components.stats.page(host_of(crawled.url), crawled.is_new_hit, crawled.is_copy, crawled.is_hub)
            if crawled.is_new_hit:
                score = max(score.value for score in crawled.scores.values() if score.on_topic)
                self._components.stats.show(Hit(score, crawled.page.title, crawled.url))
                if crawled.page.feeds:
                    self._components.stats.hosts_with_feeds.add(host_of(crawled.url))
            for verdict in crawled.scores.values():
                self._components.stats.near(verdict.value, verdict.threshold, crawled.url)
            self._stop_if_enough(crawled.is_new_hit)
            if self._scheduler() is not None:  # our scheduler logs when the page has ended
                got, page, is_hit = crawled.download, crawled.page, crawled.is_hit
                self._components.log.visited(crawled.url, got.status, got.seconds, page, page.title, is_hit=is_hit)
        if is_ours and (scheduler := self._scheduler()) is not None:
            scheduler.enqueue_entries(self._entries_for(crawled))
            for place, url in enumerate(self._components.more_seeds()):
                scheduler.enqueue_entries([Entry(url, fingerprint(url), host_key(url), seed_score(place))])
            if (listings := self._listings) is not None:
                scheduler.enqueue_entries(listings.found_on(crawled))
        elif is_ours:
            yield from self.requests_for(crawled)
        if requests:
            yield from self._chosen(response, crawled, requests)

    def _follow(self, response: Response, listing: Listing) -> None:
        """Queue the surviving links of a sitemap or feed, and the parts of a sitemap index."""
        listings, scheduler = self._listings, self._scheduler()
        if listings is not None and scheduler is not None:
            crawled = listings.crawled_listing(response, listing)
            scheduler.enqueue_entries([*self._entries_for(crawled), *listings.parts_of(crawled, response)])

    @cached_property
    def _listings(self) -> SitemapsMiddleware | None:
        """The middleware for sitemaps and feeds; None when no setting asks for them."""
        return self._crawler.get_downloader_middleware(SitemapsMiddleware)

    def _stop_if_enough(self, is_new_hit: bool) -> None:
        components = self._components
        components.stop_rule.note(is_new_hit)
        if components.stopped is None:
            components.stopped = components.stop_rule.verdict()
            if components.stopped is not None:
                self._end_crawl(components.stopped.reason)

    def requests_for(self, crawled: CrawledPage) -> Iterator[Request]:
        """A Request for each of the page's links that survives, best first."""
        depth = crawled.download.depth + 1
        for one in self._judged(crawled).kept:
            yield Request(one.link.url, meta={SCORE: one.score.value, REFERRER: crawled.url, DEPTH: depth})

    def _entries_for(self, crawled: CrawledPage | CrawledListing) -> list[Entry]:
        """A frontier entry for each surviving link, unless it is queued already with at least this score."""
        depth, model = crawled.depth + 1, self._components.models.number
        return [
            Entry(
                one.link.url, one.fingerprint, host_key(one.link.url), one.score.value, depth, crawled.url, model=model
            )
            for one in self._judged(crawled).kept
            if not self._components.seen.covers(one.fingerprint, one.score.value)
        ]

    def _chosen(self, response: Response, crawled: CrawledPage, requests: Sequence[Request]) -> Iterator[Request]:
        """The Requests of another spider, each judged by the link of the page that it follows.

        A Request that is not judged gets the score of the page that it comes from.
        """
        links, unjudged = _links_of(crawled, requests)
        worth = response.meta.get(SCORE, response.request.priority if response.request else 0)
        for request in unjudged:
            yield _marked(request, crawled, worth)
        verdicts = self._judged(crawled, [link for link, _request in links])
        by_url: dict[str, list[Request]] = {}
        for link, request in links:
            by_url.setdefault(link.url, []).append(request)
        for one in verdicts.kept:
            for request in by_url.pop(one.link.url, ()):
                yield _marked(request, crawled, one.score.value)

    def _judged(self, crawled: CrawledPage | CrawledListing, links: Sequence[Link] | None = None) -> LinkVerdicts:
        """Judge ``links``, or all links of the page; count the verdicts, tell the scheduler, and store some of them."""
        verdicts = crawled.judge_links(links)
        self._components.stats.judged(len(verdicts.kept), verdicts.reasons)
        self._count("links/kept", len(verdicts.kept))
        for reason, count in verdicts.reasons.items():
            self._count(f"pruned/{reason}", count)
        if (scheduler := self._scheduler()) is not None:
            scheduler.promote(verdicts.promotions)
            scheduler.revise(verdicts.revisions)
        self._sample(crawled, verdicts)
        return verdicts

    def _scheduler(self) -> Any:
        """Our scheduler, which has the frontier; None with another scheduler (``scrapy shell``, ``scrapy parse``)."""
        scheduler = getattr(self._crawler.engine, "scheduler", None)
        return scheduler if hasattr(scheduler, "promote") else None

    def _sample(self, crawled: CrawledPage | CrawledListing, verdicts: LinkVerdicts) -> None:
        """Store some judged links for ``explain``: of all pages at first, then of ever fewer. All links are counted."""
        if fingerprint(crawled.url) % (1 << self._sampled_links // 2_000):  # halved after each 2,000 links
            return
        topic, policy = self._components.config.name, self._components.options.link_policy
        rows = [
            LinkRow(topic, crawled.url, link.url, link.anchor, score.value, score.pruned, dict(score.parts), policy)
            for link, _fingerprint, score in (*verdicts.kept[:SAMPLED_OF_A_PAGE], *verdicts.pruned[:SAMPLED_OF_A_PAGE])
        ]
        self._sampled_links += len(rows)
        self._components.writer.submit(links=rows)


def _marked(request: Request, crawled: CrawledPage, worth: float) -> Request:
    """``request`` with its score, referrer and depth, in place of meta that the spider copied from its response."""
    request.meta.pop(PAGE, None)
    request.meta.update({SCORE: worth, REFERRER: crawled.url, DEPTH: crawled.download.depth + 1})
    return request


def _links_of(crawled: CrawledPage, requests: Sequence[Request]) -> tuple[list[tuple[Link, Request]], list[Request]]:
    """(each plain GET with the page's link to its URL, the other Requests); a link brings its anchor and context."""
    on_page: dict[str, Link] = {}
    for link in crawled.page.links:
        on_page.setdefault(link.url, link)
    links, others = [], []
    for request in requests:
        url = canonicalize(request.url)
        is_link = (
            request.method == "GET" and not request.dont_filter and (url in on_page or "link_text" in request.meta)
        )
        if url is None or not is_link:
            others.append(request)
            continue
        link = on_page.get(url) or Link(url, anchor=str(request.meta["link_text"]).strip())
        links.append((link, request))
    return links, others
