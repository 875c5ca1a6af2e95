"""Scrapy's scheduler over a frontier: leases URLs ahead, acknowledges finished ones, and does no I/O in methods that the engine calls."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from scrapy import Request, Spider, signals
from scrapy.core.scheduler import BaseScheduler
from scrapy.crawler import Crawler
from scrapy.exceptions import CloseSpider
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.defer import Deferred

from topicspider.attempts import OUR_ERRORS, Attempt, WaitingTurns, note_outcomes
from topicspider.crawl_components import CrawlComponents
from topicspider.download.outcome import Outcome, may_retry
from topicspider.errors import FrontierRefused, FrontierUnavailable
from topicspider.frontier.host_ranking import LOW_SCORE
from topicspider.frontier.node import EMPTIED, FrontierNode
from topicspider.frontier.protocol import Completion, End, Entry, Grant, Lease, Work, is_lost
from topicspider.frontier.work_buffer import WorkBuffer
from topicspider.lease_watch import enforce_leases, lost_hosts
from topicspider.meta import DOWNLOAD_SECONDS, OUTCOME, STATUS
from topicspider.redis_seeds import seeds_of
from topicspider.relevance.default_thresholds import LOW_CHANCE
from topicspider.request_codec import NotSerializable, entry_of, request_of, timing_of
from topicspider.scrapy_component import ScrapyComponent
from topicspider.shutdown import GracefulShutdown, checked_slot
from topicspider.stalls.frontier_status import FrontierStatus
from topicspider.steering.stop_rule import LOW_YIELD
from topicspider.store.rows import LinkRow
from topicspider.url import canonicalize, fingerprint, masked

logger = logging.getLogger(__name__)

BUSY_SECONDS = 0.01
"""While reading processes run, events within this time (seconds) are reported to the frontier in one call. Measured: half as many calls,
.6 ms less CPU per page. With .02 s it would be .4 ms less again, but each request waits that long."""
ANEW_SECONDS = 30.0
"""A node that begins a shared crawl anew has queued its seeds within this time (seconds); until then an empty queue does not end the
crawl."""


class TopicScheduler(ScrapyComponent, BaseScheduler):
    """Hands out only URLs whose host may be asked now; does no I/O in any method that the engine calls.

    A background task (``_sync_loop``) calls the frontier in a thread, one call at a time. A call reports finished URLs and new links, and
    leases as many URLs as the engine has room for. A URL is acknowledged when its request has left ``engine._slot.inprogress``, that is,
    after its callback and its items' pipelines (promise S1); its links are sent before that or with it (promise F1).
    """

    hands_out_ready_hosts = True  # tells the politeness middleware that it need not hold requests back

    def __init__(self, crawler: Crawler, components: CrawlComponents) -> None:
        super().__init__(crawler, components)
        self._frontier = components.frontier
        self._concurrency = crawler.settings.getint("CONCURRENT_REQUESTS") or 16
        options, stats = components.options, components.stats
        self._node = FrontierNode(
            self._frontier,
            options.lease_seconds,
            self._concurrency,
            label=options.node,
            urls_per_host=options.urls_per_host,
            rules=components.rules(),
        )
        self._node.progress = lambda: (stats.pages, stats.hits, *components.writer.outages)
        self._work = WorkBuffer()
        self._ready: deque[Attempt] = deque()
        self._waiting_turns = WaitingTurns()
        self._in_flight: dict[Request, Attempt] = {}
        self._lost: frozenset[str] = frozenset()  # hosts of requests in flight that another node may have leased by now
        self._redirected: set[str] = set()  # URLs in flight that redirected to another URL
        self._has_pages = False  # in this run or an earlier one
        self._has_listings = False  # a sitemap or feed was fetched
        self._seeds = seeds_of(crawler.settings, components.config)
        self._seen = components.seen
        self._restarts, self._done, self._anew_until = self._node.restarts, 0, 0.0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="frontier")
        self._wake_event = asyncio.Event()
        self._is_closing = False
        self._closing = asyncio.Event()
        self._is_drained = False  # the frontier had nothing left, and nothing was reported to it since
        self._sleep_seconds: float | None = 0.0
        self._end_reason = ""
        self._is_low = False  # the queued URLs are not worth fetching
        self.frontier_status = FrontierStatus()

    def open(self, spider: Spider) -> None:
        self._spider = spider
        self._slot = checked_slot(self._crawler)
        note_outcomes(self._crawler)
        self._crawler.signals.connect(self._on_idle, signals.spider_idle)
        self._sync_task = asyncio.ensure_future(self._sync_loop())
        self._drain = GracefulShutdown(
            self._crawler, self._components.options.drain_seconds, self._begin_drain, self._wake_event.set
        )
        guard = enforce_leases(self._crawler, self._node, lambda host: host in self._lost)
        self._watches = [asyncio.ensure_future(one) for one in (self._drain.watch(), guard)]

    def has_pending_requests(self) -> bool:
        return bool(self._ready or self._work or self._wake_event.is_set() or not self._is_drained)

    def enqueue_request(self, request: Request) -> bool:
        """Never raises, never blocks: a request that cannot be queued is logged, counted and dropped."""
        try:
            entry = entry_of(request, self._spider)
        except Exception as error:
            is_ours = not isinstance(error, NotSerializable)
            logger.error("%s cannot be queued, for it cannot be written down: %s", request.url, error, exc_info=is_ours)
            entry = None
        if entry is None or self._is_closing:
            self._count("frontier/refused")
            return False
        source = self._note_redirect(request)
        if self._is_redirect_outside_limits(request, entry):
            return False
        if source:
            self._components.judging.redirect_link(fingerprint(source), entry.fingerprint)
        if self._seen.covers(entry.fingerprint, entry.score):
            self._count("frontier/seen")
            return False
        self._work.entries.append(entry)
        self._wake()
        return True

    def next_request(self) -> Request | None:
        """Returns quickly, because the engine waits: the sync task builds requests and collects finished ones."""
        if any(request not in self._slot.inprogress for request in self._in_flight):
            self._wake()
        attempt = None if self._is_closing else self._next_ready()
        if attempt is None:
            return None
        self._in_flight[attempt.request] = attempt
        return attempt.request

    def close(self, reason: str) -> Deferred[None]:
        return deferred_from_coro(self._close(reason))

    def enqueue_entries(self, entries: list[Entry]) -> None:
        """Queue links without building Requests yet. They are reported with the end of their page, in one call."""
        if entries and not self._is_closing:
            self._work.entries.extend(entries)
            self._is_drained = False

    def promote(self, promotions: list[tuple[int, float]]) -> None:
        """Raise the scores of queued links that have become more valuable (promise F5)."""
        self._work.promote(promotions)

    def revise(self, revisions: list[tuple[int, float]]) -> None:
        """Set the scores of queued links to a learner's new scores, higher or lower."""
        self._work.revise(revisions)
        for target, score in revisions:
            self._seen.lower(target, score)

    def _is_redirect_outside_limits(self, request: Request, entry: Entry) -> bool:
        """Whether ``request`` is a redirect's target that the topic's limits forbid, as they would forbid a link."""
        if not request.meta.get("redirect_urls"):
            return False
        reason = self._components.judging.admission.reject_reason(entry.url, entry.depth)
        if reason:
            self._components.stats.pruned[reason] += 1
            self._count(f"pruned/{reason}")
        return bool(reason)

    def _note_redirect(self, request: Request) -> str:
        """Record the redirect that led to ``request``; returns its canonical source, "" when there was none.

        Spiders copy meta, so the source must be a URL in flight."""
        for source in request.meta.get("redirect_urls", ())[-1:]:
            if any(flying.url == source for flying in self._in_flight):
                self._redirected.add(source)
                reason = (request.meta.get("redirect_reasons") or [""])[-1]
                status = reason if isinstance(reason, int) else 200  # a meta refresh is part of a page
                target = canonicalize(request.url) or request.url
                origin = canonicalize(source) or source
                self._components.log.redirected(origin, status, target)
                return origin
        return ""

    def _next_ready(self) -> Attempt | None:
        """The first URL whose lease surely still holds; the others keep their places until the frontier answers."""
        for place, attempt in enumerate(self._ready):
            if self._node.may_start(attempt.entry.host):
                del self._ready[place]
                return attempt
        return None

    def _attempts_of(self, leases: Iterable[Lease]) -> Iterator[Attempt]:
        for lease in leases:
            for entry in (one for one in lease.entries if self._node.holds(one.host, lease.token)):
                if entry.depth and self._components.judging.is_trap(entry.url):
                    self._complete(entry, lease.token, End.NO_PAGE, Outcome.TRAP)
                    continue
                try:
                    request = request_of(entry, self._spider)
                except (ValueError, TypeError, KeyError, AttributeError) as error:
                    logger.warning("Cannot rebuild the request of %s: %s", entry.url, error)
                    self._complete(entry, lease.token, End.NO_PAGE, "lost_request")
                else:
                    yield Attempt(entry, lease.token, request)

    def _collect_ended(self) -> None:
        """Complete all requests that the engine has finished since the last call."""
        gone = [request for request in self._in_flight if request not in self._slot.inprogress]
        for request in gone:
            attempt = self._in_flight.pop(request)
            end, reason = self._end_of(request)
            timing = timing_of(request.meta, self._components.options.delay_min)
            self._work.note_timing(attempt.entry.host, timing)
            for one in self._waiting_turns.ended(attempt, timing.rest_seconds, time.monotonic()):
                self._complete(one.entry, one.token, End.RELEASED, "")
            self._has_listings |= reason == Outcome.LISTING
            if end is not End.RELEASED:
                self.frontier_status.ended(attempt.entry.host, "" if reason == Outcome.LISTING else reason)
                seconds = request.meta.get(DOWNLOAD_SECONDS)
                self._components.log.ended(attempt.entry.url, request.meta.get(STATUS, 0), seconds, is_page=not reason)
            self._complete(attempt.entry, attempt.token, end, reason)

    def _end_of(self, request: Request) -> tuple[End, str]:
        outcome = request.meta.get(OUTCOME, "")
        led_elsewhere = request.url in self._redirected
        self._redirected.discard(request.url)
        if outcome == Outcome.PAGE:
            return End.PAGE, ""
        if led_elsewhere and not outcome:
            return End.NO_PAGE, "redirect"
        if outcome == Outcome.POSTPONED or (not outcome and self._is_closing):
            return End.RELEASED, ""
        again = self._components.config.is_kept if outcome in OUR_ERRORS else may_retry(outcome)
        return (End.FAILED if again else End.NO_PAGE), str(outcome or Outcome.FILTERED)

    def _complete(self, entry: Entry, token: int, end: End, reason: str) -> None:
        """Record the end of an attempt, and wake the sync task to report it."""
        self._work.completions.append(Completion(entry.fingerprint, entry.host, token, end, reason))
        if is_lost(entry, end, self._components.options.attempts):
            self._components.judging.forget_link(entry.fingerprint)
            if end is End.FAILED:
                self._components.stats.give_up(entry.url, reason)
        if reason and reason not in (Outcome.REDIRECT, Outcome.LISTING):
            self._components.stats.errors[reason] += 1
            self._count(f"ended/{reason}")
        self._wake()

    def _on_idle(self) -> None:
        if not self._is_drained:
            return
        if self._end_reason:
            raise CloseSpider(self._end_reason)
        if not self._has_pages and not self._components.stats.pages and not self._node.emptied:
            is_listed = self._has_listings and (self._is_low or not self._components.stats.kept_links)
            raise CloseSpider("nothing_listed" if is_listed else "no_seed_reachable")

    def _wake(self) -> None:
        self._is_drained = False
        self._wake_event.set()

    async def _sync_loop(self) -> None:
        """Until closed: wait for an event, or until a host has rested; then report and lease in one call."""
        while not self._is_closing:
            await self._wait_for_wake()
            try:
                await self._sync_once()
            except FrontierUnavailable as error:
                if self._node.is_shared and not isinstance(error, FrontierRefused):
                    await self._back_off(error)
                    continue
                await self._stop_without_frontier(error)
                return
            except Exception:
                logger.exception("The frontier failed")
                await self._stop_without_frontier(None)
                return
            if self._ready or self._is_drained:  # else the engine has nothing to start or end
                self._slot.nextcall.schedule()

    async def _wait_for_wake(self) -> None:
        # a rest that ends "now" may be over only a moment later
        nap = None if self._sleep_seconds is None else max(self._sleep_seconds, 0.005)
        try:
            async with asyncio.timeout(nap):
                await self._wake_event.wait()
        except TimeoutError:
            return
        batch_seconds = max(self._node.batch_seconds, BUSY_SECONDS if self._components.readers.pids else 0.0)
        await asyncio.sleep(0 if self._is_closing else batch_seconds)

    async def _back_off(self, error: FrontierUnavailable) -> None:
        """Redis does not answer: go on with the leased URLs, and try again after a back-off (nothing is lost)."""
        self.frontier_status.trouble = str(error)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._closing.wait(), self._node.seconds_after_failure(error))
        self._sleep_seconds = 0.0

    async def _sync_once(self) -> None:
        self._collect_ended()
        self._wake_event.clear()
        self._ready.extend(self._waiting_turns.take_due(time.monotonic()))
        work = self._work.take()
        room = max(0, self._concurrency + self._node.ahead - self._hosts_held())
        room = 0 if self._drain.is_on else room
        grant = Grant((), None)
        if self._node.must_sync(work, room):
            try:
                with self.frontier_status.call():
                    loop = asyncio.get_running_loop()
                    grant = await loop.run_in_executor(self._thread, self._sync_in_thread, work, room)
            except BaseException:
                self._work.put_back(work)
                raise
            self._apply_grant(work, grant)
        held = len(self._in_flight) + len(self._ready) + len(self._waiting_turns)
        self._sleep_seconds = self._node.sleep_seconds(grant, room, held)
        if (rest := self._waiting_turns.seconds_to_next(time.monotonic())) is not None:
            self._sleep_seconds = rest if self._sleep_seconds is None else min(rest, self._sleep_seconds)
        if not (self._work or held):
            waits = self._components.options.keep_alive and grant.reason != "max_pages"
            waits |= time.monotonic() < self._anew_until
            self._is_drained = grant.exhausted and not waits and not self._wake_event.is_set()
            self._end_reason = "max_pages" if grant.reason == "max_pages" else ""
            self._is_low = grant.reason == LOW_SCORE

    def _hosts_held(self) -> int:
        """How many hosts are leased to this node. Each takes one connection, even while it rests between two URLs of its lease."""
        if self._components.options.urls_per_host == 1:
            return len(self._in_flight) + len(self._ready)
        return len({one.entry.host for one in (*self._in_flight.values(), *self._ready, *self._waiting_turns)})

    def _apply_grant(self, work: Work, grant: Grant) -> None:
        self.frontier_status.granted(grant)
        self.frontier_status.trouble = ""
        done, is_lost = self.frontier_status.counts.done, self._node.restarts != self._restarts
        if done < self._done and not is_lost:  # another node began the crawl anew (``fresh``)
            self._anew_until = time.monotonic() + ANEW_SECONDS
        elif self.frontier_status.counts.queued:
            self._anew_until = 0.0
        if is_lost or done < self._done:  # what the frontier had confirmed may be lost (promise F7)
            self._seen.forget()
            self._components.stats.pages_before_loss = self._components.stats.pages
        self._restarts, self._done = self._node.restarts, done
        self._seen.confirm(work, self._work.revisions)
        self._ready = deque(one for one in self._ready if self._node.holds(one.entry.host, one.token))
        self._waiting_turns.keep(self._node.holds)
        for lease in grant.leases:
            self._ready.extend(self._waiting_turns.follow(self._attempts_of([lease])))
        attempts = (*self._in_flight.values(), *self._ready)
        self._lost = lost_hosts(((one.entry.host, one.token) for one in attempts), self._node)
        if self._drain.is_on:
            self._release_waiting()
        self._drain.obey(self._node.asked)

    def _sync_in_thread(self, work: Work, room: int) -> Grant:
        if self._seeds is not None:
            self._seeds.top_up(self._frontier)
        is_behind = self._components.writer.is_full or self._components.log.is_busy
        grant, counts = self._node.sync(work, 0 if is_behind else room)
        self.frontier_status.counts = counts
        if counts.evicted:
            self._crawler.stats.set_value("topicspider/frontier/evicted", counts.evicted)
        self._components.stats.queued, self._has_pages = counts.queued, counts.pages > 0
        # checks again soon whether a store that was away, or slow, has caught up
        return Grant((), 0.5) if is_behind else grant

    def _begin_drain(self) -> None:
        self._node.drain()
        self._release_waiting()

    def _release_waiting(self) -> None:
        """Release the leased URLs that were not started; after the next call other nodes may lease them."""
        waiting = [*self._ready, *self._waiting_turns.take_all()]
        self._ready.clear()
        for one in waiting:
            self._complete(one.entry, one.token, End.RELEASED, "")

    async def _stop_without_frontier(self, error: FrontierUnavailable | None) -> None:
        """The frontier cannot be written: stop the crawl. Unacknowledged URLs will be fetched again."""
        if error is not None:
            logger.error("%s", error)
            self._components.trouble = error
        self._is_drained = True
        self._end_crawl("frontier_unavailable")

    async def _close(self, reason: str) -> None:
        self._is_closing = True
        self._closing.set()
        self._wake_event.set()
        for watch in self._watches:
            watch.cancel()
        await self._sync_task
        self._collect_ended()
        self._release_waiting()
        loop = asyncio.get_running_loop()
        if reason == LOW_YIELD or (self._is_low and reason == "finished"):
            why = LOW_YIELD if reason == LOW_YIELD else LOW_CHANCE
            await loop.run_in_executor(self._thread, self._leave_queued, why)
        await loop.run_in_executor(self._thread, self._node.leave, self._work.take(), reason)
        self._components.stats.frontier_outages = (*self._node.outages, self._node.restarts)
        if self._node.loss:
            what = f"frontier {masked(self._components.options.frontier)}"
            why = "it dropped keys while the crawl ran, as it may by its maxmemory-policy: queued pages may be missing"
            if self._node.loss == EMPTIED:
                why = "it was emptied while the crawl ran: pages that were queued then may be missing"
            self._components.shortfall = FrontierUnavailable(what, why, "To fetch them, begin anew: -a fresh=1")
        self._thread.shutdown(wait=False)
        if self._seeds is not None:
            self._seeds.close()

    def _leave_queued(self, why: str) -> None:
        """Count the queued links that are not worth fetching as pruned; store the best of them for ``explain``."""
        components = self._components
        limit = math.inf if why == LOW_YIELD else components.least_score
        with suppress(FrontierUnavailable):
            low = [one for one in self._frontier.peek(200) if one.score < limit]
            if low:
                components.stats.leave_queued(low[0].score, why)
                self._count(f"pruned/{why}", components.stats.queued)
                crawl, policy = components.config.name, components.options.link_policy
                rows = [LinkRow(crawl, one.referrer, one.url, "", one.score, why, {}, policy) for one in low]
                components.writer.submit(links=rows)
