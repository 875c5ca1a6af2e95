"""Spider middleware: judges all links of a page at once, prunes them by reason, and queues the survivors."""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from topicspider.assembly import Assembly
from topicspider.evaluation import SEED_SCORE, JudgedLink, LinkVerdicts
from topicspider.fetches import fetch_of, listing_of
from topicspider.frontier.protocol import Entry
from topicspider.meta import DEPTH, REFERRER, SCORE
from topicspider.middlewares.link_sample import LinkSample
from topicspider.middlewares.listings import ListingsMiddleware
from topicspider.page.links.link import Link
from topicspider.page.listings.listing import Listing
from topicspider.spiders.topic import LinkBatch
from topicspider.store.contract import LinkRow
from topicspider.url.canonical import canonicalize
from topicspider.url.host import host_key, host_of
from topicspider.visit import ListingVisit, Visit

logger = logging.getLogger(__name__)

SAMPLED_OF_A_PAGE = 10  # of the kept ones, and of the pruned ones


class FocusMiddleware:
    """Links are judged before Requests exist: a link costs a Request only when it is its turn to be fetched.

    Our spider yields a LinkBatch; its survivors go to the frontier as entries (ADR 4), or, with another
    scheduler, on as Requests. From other spiders the Requests of a page are gathered, judged by
    the link they came from, and let through, best first, or pruned. Requests that are no link of
    the page (forms, APIs, other methods, ``dont_filter``) pass unjudged.
    """

    def __init__(self, crawler: Crawler, assembly: Assembly) -> None:
        self._crawler = crawler
        self._assembly = assembly
        self._link_sample = LinkSample()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler, Assembly.of(crawler))

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Where any spider starts comes before every link."""
        async for output in start:
            if isinstance(output, Request):
                output.meta.setdefault(SCORE, SEED_SCORE)
            yield output

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Items pass at once; what was gathered before an exception is judged, then it is raised again."""
        batches: list[LinkBatch] = []
        requests: list[Request] = []
        failure: Exception | None = None
        try:
            async for output in result:
                if isinstance(output, LinkBatch):
                    batches.append(output)
                elif isinstance(output, Request):
                    requests.append(output)
                else:
                    yield output
        except Exception as error:  # noqa: BLE001 - raised again below, when its links are safe
            failure = error
        for request in self._survivors(response, bool(batches), requests):
            yield request
        if failure is not None:
            raise failure

    def _survivors(self, response: Response, has_batch: bool, requests: Sequence[Request]) -> Iterator[Request]:
        if (listing := listing_of(response)) is not None:
            self._follow(response, listing)
            return
        visit = self._assembly.visit(fetch_of(response))
        if self._scheduler() is None:  # nobody says when the request has left the engine
            weakref.finalize(response, self._assembly.leave, response.url, visit).atexit = False
        # a spider may handle what is no page: 404 (its words are the server's), 304 (it has none)
        if _is_good(response.status) and visit.page.is_readable and not visit.page.condition:
            self._assembly.tally.page(host_of(visit.url), visit.is_new_hit, visit.is_copy)
            self._stop_if_enough(visit.is_new_hit)
            self._assembly.recent_pages.add(visit.url, visit.fetch.depth, visit.page)
            self._log(visit)
        if has_batch and (scheduler := self._scheduler()) is not None:
            scheduler.enqueue_entries(self._entries_for(visit, scheduler))
            if (listings := self._listings()) is not None:
                scheduler.enqueue_entries(listings.found_on(visit))
        elif has_batch:
            yield from self.requests_for(visit)
        if requests:
            yield from self._chosen(response, visit, requests)

    def _follow(self, response: Response, listing: Listing) -> None:
        """Queue what a sitemap or feed lists, as far as it survives, and the parts of an index."""
        listings, scheduler = self._listings(), self._scheduler()
        if listings is not None and scheduler is not None:
            visit = listings.visit(response, listing)
            scheduler.enqueue_entries([*self._entries_for(visit, scheduler), *listings.parts_of(visit, response)])

    def _listings(self) -> ListingsMiddleware | None:
        """Who knows of sitemaps and feeds; None when no setting asks for them."""
        return self._crawler.get_downloader_middleware(ListingsMiddleware)

    def _stop_if_enough(self, is_find: bool) -> None:
        assembly, engine = self._assembly, self._crawler.engine
        assembly.stop_rule.note(is_find)
        if assembly.stopped is None and engine is not None:
            assembly.stopped = assembly.stop_rule.verdict(assembly.tally.queued)
            if assembly.stopped is not None:
                self._ending = asyncio.ensure_future(engine.close_spider_async(reason=assembly.stopped.reason))

    def _log(self, visit: Visit) -> None:
        if self._scheduler() is not None:  # it says when the visit has ended
            fetch, page = visit.fetch, visit.page
            self._assembly.log.visited(visit.url, fetch.status, fetch.seconds, page, visit.scores, page.title)

    def requests_for(self, visit: Visit) -> Iterator[Request]:
        """A Request for each of the page's links that survives, best first."""
        depth = visit.fetch.depth + 1
        for one in self._judged(visit, None).kept:
            yield Request(one.link.url, meta={SCORE: one.score.value, REFERRER: visit.url, DEPTH: depth})

    def _entries_for(self, visit: Visit | ListingVisit, scheduler: Any) -> list[Entry]:
        """A frontier entry for each of the page's links that survives and is not queued as well already."""
        depth = visit.depth + 1
        return [
            Entry(
                one.link.url,
                one.fingerprint,
                host_key(one.link.url),
                one.score.value,
                depth,
                visit.url,
                model=self._assembly.models.number,
            )
            for one in self._judged(visit, None).kept
            if not scheduler.is_seen(one.fingerprint, one.score.value)
        ]

    def _chosen(self, response: Response, visit: Visit, requests: Sequence[Request]) -> Iterator[Request]:
        """Other spiders' Requests, each judged by the link of the page that it follows.

        One that is not judged is worth what the page it comes from was worth.
        """
        links, unjudged = _links_of(visit, requests)
        worth = response.meta.get(SCORE, response.request.priority if response.request else 0)
        for request in unjudged:
            yield _marked(request, visit, worth)
        verdicts = self._judged(visit, [link for link, _request in links])
        by_url: dict[str, list[Request]] = {}
        for link, request in links:
            by_url.setdefault(link.url, []).append(request)
        for one in verdicts.kept:
            for request in by_url.pop(one.link.url, ()):
                yield _marked(request, visit, one.score.value)

    def _judged(self, visit: Visit | ListingVisit, links: Sequence[Link] | None) -> LinkVerdicts:
        verdicts = visit.judge_links(links)
        self._count(verdicts)
        if (scheduler := self._scheduler()) is not None:
            scheduler.promote(verdicts.promotions)
            scheduler.revise(verdicts.revisions)
        self._sample(visit, verdicts)
        return verdicts

    def _scheduler(self) -> Any:
        """The frontier's door; None with another scheduler (``scrapy shell``, ``scrapy parse``)."""
        scheduler = getattr(self._crawler.engine, "scheduler", None)
        return scheduler if hasattr(scheduler, "promote") else None

    def _count(self, verdicts: LinkVerdicts) -> None:
        stats = self._crawler.stats
        self._assembly.tally.judged(len(verdicts.kept), verdicts.reasons)
        stats.inc_value("topicspider/links/kept", len(verdicts.kept))
        for reason, count in verdicts.reasons.items():
            stats.inc_value(f"topicspider/pruned/{reason}", count)

    def _sample(self, visit: Visit | ListingVisit, verdicts: LinkVerdicts) -> None:
        """Store some judged links for ``explain``, bounded a run."""
        room = self._link_sample.room(visit.url)
        if not room:
            return
        shown = [*verdicts.kept[:SAMPLED_OF_A_PAGE], *verdicts.pruned[:SAMPLED_OF_A_PAGE]][:room]
        rows = [_row(visit, one, self._assembly.plan.name, self._assembly.options.link_policy) for one in shown]
        self._link_sample.stored(len(rows))
        self._assembly.writer.submit(links=rows)


def _is_good(status: int) -> bool:
    return 200 <= status < 300


def _row(visit: Visit | ListingVisit, one: JudgedLink, topic: str, policy: str) -> LinkRow:
    score, link = one.score, one.link
    return LinkRow(topic, visit.url, link.url, link.anchor, score.value, score.pruned, dict(score.parts), policy)


def _marked(request: Request, visit: Visit, worth: float) -> Request:
    """``request`` with its place in the queue; meta that a spider copied from its response is overwritten."""
    request.meta.update({SCORE: worth, REFERRER: visit.url, DEPTH: visit.fetch.depth + 1})
    return request


def _links_of(visit: Visit, requests: Sequence[Request]) -> tuple[list[tuple[Link, Request]], list[Request]]:
    """Each plain GET with the page's link to that URL (its anchor, its context); the rest is not judged."""
    on_page: dict[str, Link] = {}
    for link in visit.page.links:
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
