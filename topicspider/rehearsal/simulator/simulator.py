"""Simulates a crawl of an archived web in virtual time, with the parts of the real crawler; reports the fetched pages in order."""

from __future__ import annotations

import heapq
import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from topicspider.download.outcome import asks_for_rest, may_retry, outcome_of_status
from topicspider.frontier.host_ranking import LOW_SCORE, patience_of
from topicspider.frontier.protocol import Completion, End, Entry, HostTiming, Lease, Work, is_lost
from topicspider.frontier.seen import SeenCache
from topicspider.frontier.sqlite.frontier import SqliteFrontier
from topicspider.judging import Judging, PageEvaluation, TopicView, seed_score
from topicspider.link_pruning import LinkVerdicts
from topicspider.options import Options
from topicspider.politeness.host_clock import SHORT_WAIT, HostClock
from topicspider.politeness.robots import ROBOTS_TTL_SECONDS, RobotsCache
from topicspider.rehearsal.archive.archived_web import ArchivedWeb
from topicspider.rehearsal.archive.feature_file import Answer, PageFeatures
from topicspider.rehearsal.archive.page_reader import ROBOTS_AGENT
from topicspider.rehearsal.replay.conditions import HostLatency
from topicspider.relevance.default_thresholds import LOW_CHANCE
from topicspider.relevance.topic_matrix import TopicMatrix
from topicspider.steering.stop_rule import LOW_YIELD, stop_rule_of
from topicspider.topic.profile import Limits
from topicspider.topic.url_filter import UrlFilter, traps_from_options
from topicspider.url import fingerprint, host_key


@dataclass(frozen=True, slots=True)
class Fetched:
    """One fetched page. ``score``, ``on_topic``: of its best topic, by the crawl's scorer; ``ended``: virtual seconds since the start."""

    url: str
    score: float
    on_topic: bool
    depth: int
    ended: float
    simhash: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How the run of one policy from one seed set (number ``repeat``) went; the same on every machine.

    ``ended``: why: ``max_pages``, ``empty`` (no link waited), ``low_score`` (no waiting link was worth a page), or the reason of the stop
    rule. ``dead``, ``redirects``, ``forbidden`` (by robots.txt): answers that do not count as pages. ``links``: those that were judged;
    ``pruned``: how many, by reason. ``seconds``: virtual, from the start to the end of the last download.
    """

    policy: str
    repeat: int
    seeds: Sequence[str]
    ended: str = "max_pages"
    dead: int = 0
    redirects: int = 0
    forbidden: int = 0
    links: int = 0
    pruned: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(Outcome):
    """A run with its pages, as their downloads ended, and the best score left; ``questions``: links looked up in the cache of seen URLs."""

    fetched: tuple[Fetched, ...]
    best_left: float = 0.0
    cpu_seconds: float = 0.0
    questions: tuple[int, ...] = ()


NODE = "rehearsal"
NO_VERDICTS = LinkVerdicts((), ())


@dataclass(frozen=True, slots=True)
class Simulation:
    """What to simulate: a crawl by one policy from one seed set.

    ``views``: the page scorer and link policy of each topic; ``matrix``: for many topics, see Judging. ``connections``: downloads at a
    time, at most one a host. ``least_score``: links with a lower score are not fetched.
    """

    views: Sequence[TopicView]
    policy: str
    seeds: tuple[str, ...]
    max_pages: int
    options: Options = field(default_factory=Options)
    limits: Limits = field(default_factory=Limits)
    repeat: int = 0
    connections: int = 1
    keeps_questions: bool = False
    latency: HostLatency = field(default_factory=lambda: HostLatency.read("constant:0.2"))
    least_score: float = -math.inf
    matrix: TopicMatrix | None = None


def simulate(web: ArchivedWeb, setup: Simulation) -> Run:
    """Crawl ``web`` until ``max_pages`` pages are fetched or nothing is left; the same setup gives the same run."""
    return _Crawl(web, setup).run()


@dataclass(slots=True)
class _Download:
    """A lease under way: the URL at place ``at`` in it is being downloaded, which takes ``seconds``."""

    lease: Lease
    at: int = 0
    seconds: float = 0.0
    connect_seconds: float | None = None
    is_forbidden: bool = False
    is_postponed: bool = False

    @property
    def entry(self) -> Entry:
        return self.lease.entries[self.at]


class _Crawl:
    """The state of one simulated crawl; ``now`` is virtual seconds."""

    def __init__(self, web: ArchivedWeb, setup: Simulation) -> None:
        options = setup.options
        self._web, self._setup = web, setup
        self._now = 0.0
        self._frontier = SqliteFrontier(
            max_pages=setup.max_pages,
            pages_per_host=setup.limits.pages_per_host,
            attempts=options.attempts,
            server_policy=options.server_policy,
            seed=options.seed,
            patience=patience_of(options.pace, setup.policy, setup.max_pages),
            least_score=setup.least_score,
            clock=lambda: self._now,
        )
        self._clock = HostClock(options.delay_factor, options.delay_min, options.delay_max)
        self._robots = RobotsCache(ROBOTS_AGENT, ROBOTS_TTL_SECONDS)
        self._seen = SeenCache(options.seen_cache_size, options.seen_cache, options.seed)
        self._judging = Judging(setup.views, UrlFilter(setup.limits, traps_from_options(options)), matrix=setup.matrix)
        self._stop_rule = stop_rule_of(options.stop_yield, setup.least_score)
        self._downloads: list[tuple[float, int, _Download]] = []  # a heap of downloads under way
        self._started = 0
        self._free = setup.connections
        self._fetched: list[Fetched] = []
        self._questions: list[int] = []
        self._counts: Counter[str] = Counter()
        self._pruned: Counter[str] = Counter()

    def run(self) -> Run:
        cpu = time.process_time()
        seeds = enumerate(self._setup.seeds)
        entries = [Entry(url, fingerprint(url), host_key(url), seed_score(place)) for place, url in seeds]
        self._frontier.apply(Work(entries=entries))
        reason = self._lease()
        while self._downloads:
            self._now, _, download = heapq.heappop(self._downloads)
            self._finish_download(download)
            stop = self._stop_rule.verdict()
            if stop is not None:
                reason = stop.reason
                break
            reason = self._lease()
        return self._report(reason, time.process_time() - cpu)

    def _lease(self) -> str:
        """Fill the free connections, also with hosts whose rest ends before the next download does. Returns why no more was leased."""
        while self._free:
            # leased for ever, because there is no other node
            grant = self._frontier.acquire(NODE, self._free, self._setup.options.urls_per_host, 1e12)
            self._free -= len(grant.leases)
            for lease in grant.leases:
                self._begin_download(_Download(lease), is_new_connection=True)
            wait = grant.wait_seconds
            if grant.exhausted or wait is None:
                return grant.reason
            # no host has rested before the next download ends
            if self._downloads and self._now + wait >= self._downloads[0][0]:
                return grant.reason
            self._now = max(self._now + wait, math.nextafter(self._now, math.inf))
        return ""

    def _begin_download(self, download: _Download, *, is_new_connection: bool) -> None:
        """Schedule the download of the URL, after the host's rest and, when its rules are not known, its robots.txt."""
        entry = download.entry
        latency, host = self._setup.latency, entry.host
        download.connect_seconds = latency.connect_seconds(host) if is_new_connection else None
        begin = self._now + (download.connect_seconds or 0.0)
        rules = self._robots.rules(host, begin)
        download.is_postponed = False
        if rules is None:
            begin = self._fetch_robots(entry, begin)
            rules = self._robots.rules(host, begin)
            download.is_postponed = self._clock.wait_seconds(host, begin) > SHORT_WAIT
        if not download.is_postponed:
            begin += self._clock.wait_seconds(host, begin)
        download.is_forbidden = rules is not None and not rules.allow(entry.url)
        is_sent = not (download.is_forbidden or download.is_postponed)
        download.seconds = latency.response_seconds(host, self._web.answer(entry.url)) if is_sent else 0.0
        self._started += 1
        heapq.heappush(self._downloads, (begin + download.seconds, self._started, download))

    def _fetch_robots(self, entry: Entry, begin: float) -> float:
        """Download the robots.txt of the entry's host; returns the virtual time at which that ends."""
        host, url = entry.host, self._robots.url_for(entry.url, begin)
        body = self._web.robots(host)
        seconds = self._setup.latency.response_seconds(host, Answer(url))
        end = begin + seconds
        self._clock.finished(host, seconds, end)
        self._robots.answered(host, url, 404 if body is None else 200, body or b"", "", end)
        if rules := self._robots.rules(host, end):
            self._clock.set_crawl_delay(host, rules.crawl_delay)
        return end

    def _finish_download(self, download: _Download) -> None:
        """A download has ended: judge it, tell the frontier, and go on with the lease's next URL."""
        entry, end, reason = download.entry, End.NO_PAGE, "robots"
        entries: Sequence[Entry] = ()
        verdicts = NO_VERDICTS
        if download.is_postponed:  # as in a crawl: other hosts come before one that rests after its robots.txt
            end, reason = End.RELEASED, ""
            rest = self._clock.wait_seconds(entry.host, self._now)
        elif download.is_forbidden:
            self._counts["forbidden"] += 1
            rest = self._clock.wait_seconds(entry.host, self._now)
        else:
            answer = self._web.answer(entry.url)
            condition = answer.features.condition if answer.features else ""
            is_refused = answer.status in (429, 503) or asks_for_rest(condition)
            ended = self._clock.blocked if is_refused else self._clock.finished
            rest = ended(entry.host, download.seconds, self._now)
            if answer.features is not None and answer.is_page:
                end, reason = End.PAGE, ""
                entries, verdicts = self._read(entry, answer.features)
            else:
                end, reason, entries = self._no_page(entry, answer)
        if is_lost(entry, end, self._setup.options.attempts):
            self._judging.forget_link(entry.fingerprint)
        timing = HostTiming(rest, download.connect_seconds, download.seconds or None)
        completion = Completion(entry.fingerprint, entry.host, download.lease.token, end, reason)
        work = Work([completion], entries, verdicts.promotions, verdicts.revisions, {entry.host: timing})
        self._frontier.apply(work)
        self._seen.confirm(work)
        download.at += 1
        if download.at < len(download.lease.entries):
            self._begin_download(download, is_new_connection=False)
        else:
            self._free += 1

    def _read(self, entry: Entry, page: PageFeatures) -> tuple[list[Entry], LinkVerdicts]:
        """A page was fetched: note it, judge its links, and return those to be queued, and all verdicts."""
        setup = self._setup
        judgement = PageEvaluation(entry.url, entry.depth, page, self._judging)
        best = max(judgement.scores.values(), key=lambda score: (score.on_topic, score.value))
        value, on_topic, ended = round(best.value, 9), best.on_topic and not judgement.is_hub, round(self._now, 6)
        self._fetched.append(Fetched(entry.url, value, on_topic, entry.depth, ended, page.simhash))
        self._stop_rule.note(judgement.is_new_hit)
        verdicts = judgement.judge_links()
        self._counts["links"] += len(verdicts.kept) + len(verdicts.pruned)
        self._pruned.update(verdicts.reasons)
        for target, value in verdicts.revisions:  # as in a crawl: it may rise again with the next page that links to it
            self._seen.lower(target, value)
        if setup.keeps_questions:
            self._questions += [one.fingerprint for one in verdicts.kept]
        kept = [one for one in verdicts.kept if not self._seen.covers(one.fingerprint, one.score.value)]
        depth = entry.depth + 1
        queued = [
            Entry(one.link.url, one.fingerprint, host_key(one.link.url), one.score.value, depth, entry.url)
            for one in kept
        ]
        return queued, verdicts

    def _no_page(self, entry: Entry, answer: Answer) -> tuple[End, str, list[Entry]]:
        """Returns how the attempt ended, why, and what to queue: a redirect's target, in place of its source, as in a crawl."""
        if answer.target:
            self._counts["redirects"] += 1
            outside = self._judging.admission.reject_reason(answer.target, entry.depth)
            if outside:
                self._pruned[outside] += 1
                return End.NO_PAGE, "redirect", []
            mark = fingerprint(answer.target)
            self._judging.redirect_link(entry.fingerprint, mark)
            target = Entry(answer.target, mark, host_key(answer.target), entry.score, entry.depth, entry.referrer)
            return End.NO_PAGE, "redirect", [target]
        outcome = answer.features.condition if answer.features else outcome_of_status(answer.status or 404)
        if may_retry(outcome):
            return End.FAILED, str(outcome), []
        self._counts["dead"] += 1
        return End.NO_PAGE, str(outcome), []

    def _report(self, reason: str, cpu_seconds: float) -> Run:
        setup = self._setup
        if reason in (LOW_SCORE, LOW_YIELD):
            self._pruned[LOW_CHANCE if reason == LOW_SCORE else LOW_YIELD] += self._frontier.counts().queued
        return Run(
            policy=setup.policy,
            repeat=setup.repeat,
            seeds=setup.seeds,
            fetched=tuple(self._fetched),
            ended=reason or "empty",
            **{name: self._counts[name] for name in ("dead", "redirects", "forbidden", "links")},
            pruned=dict(sorted(self._pruned.items())),
            best_left=max((one.score for one in self._frontier.peek(1)), default=0.0),
            seconds=round(self._fetched[-1].ended if self._fetched else 0.0, 6),
            cpu_seconds=cpu_seconds,
            questions=tuple(self._questions),
        )
