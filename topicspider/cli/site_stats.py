"""Sums up what each site of a crawl has given, from its pages in the store and its place in the queue, and what to do with it."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from dataclasses import dataclass, field
from statistics import fmean, median
from typing import TYPE_CHECKING

from topicspider.frontier.host_ranking import REQUESTS_PER_CONNECTION, HostView, task_seconds
from topicspider.url.host import host_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from topicspider.frontier.inspection import HostState
    from topicspider.store.rows import PageMeta

KEEP, DROP, RAISE = "keep", "drop", "raise"
LEAST_FETCHES = 10
"""Nothing is said of fewer: where one page in twenty is a hit, one hit of one page is above that by the interval alone."""
DROP_SHARE = 0.25
"""Half of all sites are surely below the crawl's hit rate once there are enough pages, and most of them still worth it."""


@dataclass(frozen=True, slots=True)
class Advice:
    """``word`` is keep, drop or raise; ``reason`` one of few_fetches, no_hits_yet, above, below, leads, lower, usual."""

    word: str
    reason: str


def interval(hits: int, fetches: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a site's hit rate, by ``hits`` in ``fetches``; (0, 1) when nothing was fetched."""
    if not fetches:
        return 0.0, 1.0
    z = 1.96
    share, squared = hits / fetches, z**2 / fetches
    middle = (share + squared / 2) / (1 + squared)
    reach = z * math.sqrt((share * (1 - share) + squared / 4) / fetches) / (1 + squared)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def advise(hits: int, leads: int, fetches: int, crawl_rate: float) -> Advice:
    """What to do with a site that gave ``hits`` in ``fetches``, and whose links led to ``leads`` hits of other sites.

    Raise: the whole interval of its hit rate is above ``crawl_rate``. Drop: the whole interval is below, the rate is less than a
    quarter of it, and both stay so when each hit it led to counts as its own: a hub or a tunnel ((a) Li 2002) pays elsewhere.
    """
    if fetches < LEAST_FETCHES:
        return Advice(KEEP, "few_fetches")
    if not crawl_rate:
        return Advice(KEEP, "no_hits_yet")
    lowest, highest = interval(hits, fetches)
    if lowest > crawl_rate:
        return Advice(RAISE, "above")
    if highest >= crawl_rate:
        return Advice(KEEP, "usual")
    if not _is_poor(hits, fetches, crawl_rate):
        return Advice(KEEP, "lower")
    return Advice(DROP, "below") if _is_poor(min(fetches, hits + leads), fetches, crawl_rate) else Advice(KEEP, "leads")


def _is_poor(hits: int, fetches: int, crawl_rate: float) -> bool:
    return interval(hits, fetches)[1] < crawl_rate and hits / fetches < DROP_SHARE * crawl_rate


@dataclass(frozen=True, slots=True)
class SiteQueue:
    """What the frontier knows of a site, its ports together; the symbols are those of (c) Cao.

    ``pages_ahead`` is P, how many pages the next connection would take; ``task_seconds`` T, how long that would last (ports are
    asked side by side, so the longest counts), None when nobody has measured the host yet.
    """

    queued: int
    dead: int
    is_blocked: bool
    pages_ahead: int
    task_seconds: float | None


@dataclass(frozen=True, slots=True)
class SiteStats:
    """One site: a host, with its port where that is not 80 or 443.

    ``hits`` are without ``copies``, near-duplicates of earlier hits; ``leads`` hits of other sites that its links led to.
    ``mean_score`` is the mean relevance of its pages, ``response_seconds`` the median time of their downloads; None where there
    are none. ``queue`` is None when the frontier does not know the site, or could not be asked.
    """

    site: str
    pages: int
    hits: int
    copies: int
    leads: int
    mean_score: float | None
    response_seconds: float | None
    queue: SiteQueue | None
    advice: Advice

    @property
    def fetches(self) -> int:
        """Pages, and URLs that were given up: those cost as much."""
        return self.pages + (self.queue.dead if self.queue else 0)

    @property
    def is_blocked(self) -> bool:
        """Somebody has said that it is asked no more."""
        return self.queue is not None and self.queue.is_blocked

    @property
    def hit_rate(self) -> float | None:
        """Hits a fetch; None when nothing was fetched."""
        return self.hits / self.fetches if self.fetches else None

    @property
    def capacity(self) -> float | None:
        """C = P · q / T of (c), score a second, with the mean score of its pages as the quality q of each."""
        if self.queue is None or self.queue.task_seconds is None or self.mean_score is None:
            return None
        return self.queue.pages_ahead * self.mean_score / self.queue.task_seconds


@dataclass(frozen=True, slots=True)
class CrawlSites:
    """All sites of a topic that were asked for a page; ``hit_rate`` is hits a fetch over all.

    ``waiting``: how many sites only wait in the queue, None when that could not be asked.
    """

    sites: tuple[SiteStats, ...]
    hit_rate: float
    waiting: int | None

    @property
    def pages(self) -> int:
        """Of all sites."""
        return sum(site.pages for site in self.sites)

    @property
    def hits(self) -> int:
        """Of all sites, without copies."""
        return sum(site.hits for site in self.sites)


_ADVICE_ORDER = {RAISE: 2, KEEP: 1, DROP: 0}
# the largest first, what is not known last; "seconds" the slowest first: those are looked for
_SORT_KEYS: dict[str, Callable[[SiteStats], float | None]] = {
    "hits": lambda site: site.hits,
    "pages": lambda site: site.pages,
    "rate": lambda site: site.hit_rate,
    "score": lambda site: site.mean_score,
    "seconds": lambda site: site.response_seconds,
    "capacity": lambda site: site.capacity,
    "advice": lambda site: _ADVICE_ORDER[site.advice.word],
    "name": lambda _site: None,
}


def in_order(sites: Iterable[SiteStats], way: str) -> list[SiteStats]:
    """``sites`` by one of the sort keys; equal ones by hits, then pages, then name."""

    def key(site: SiteStats) -> tuple[bool, float, int, int, str]:
        value = _SORT_KEYS[way](site)
        hits, pages = (0, 0) if way == "name" else (-site.hits, -site.pages)
        return value is None, -(value or 0.0), hits, pages, site.site

    return sorted(sites, key=key)


@dataclass(slots=True)
class _Given:
    """What a site's pages add up to."""

    hits: int = 0
    copies: int = 0
    scores: array[float] = field(default_factory=lambda: array("d"))
    seconds: array[float] = field(default_factory=lambda: array("d"))


def crawl_sites(pages: Iterable[PageMeta], hosts: Iterable[HostState] | None) -> CrawlSites:
    """All sites that gave a page or had a URL given up, in no order; ``hosts`` are the queue's, None when it could not be asked."""
    given, leads = _given(pages)
    queues = {} if hosts is None else _queues(hosts)
    names = sorted(set(given) | {site for site, queue in queues.items() if queue.dead})
    fetches = sum(len(site.scores) for site in given.values()) + sum(queue.dead for queue in queues.values())
    rate = sum(site.hits for site in given.values()) / max(1, fetches)
    sites = tuple(_site_stats(name, given.get(name, _Given()), leads[name], queues.get(name), rate) for name in names)
    waiting = sum(queue.queued > 0 for site, queue in queues.items() if site not in given and not queue.dead)
    return CrawlSites(sites, rate, None if hosts is None else waiting)


def _given(pages: Iterable[PageMeta]) -> tuple[dict[str, _Given], Counter[str]]:
    """What each site gave, and how many hits of other sites it led to."""
    given: dict[str, _Given] = {}
    leads: Counter[str] = Counter()
    for page in pages:
        name = _site_name(page.host, page.port)
        site = given.setdefault(name, _Given())
        site.scores.append(page.relevance)
        if page.download_time > 0:  # 0: nobody has measured it, as of a page from a cache
            site.seconds.append(page.download_time)
        site.copies += page.on_topic and page.is_copy
        if page.on_topic and not page.is_copy:
            site.hits += 1
            if (led_by := _site_of(host_key(page.referrer))) not in (name, ""):
                leads[led_by] += 1
    return given, leads


def _queues(hosts: Iterable[HostState]) -> dict[str, SiteQueue]:
    """By site; several ports of a host are one site."""
    by_site: dict[str, list[HostState]] = {}
    for state in hosts:
        by_site.setdefault(_site_of(state.host), []).append(state)
    return {site: _queue(states) for site, states in by_site.items()}


def _queue(states: list[HostState]) -> SiteQueue:
    views = [
        HostView(
            state.queued,
            connect_seconds=state.connect_seconds,
            response_seconds=state.response_seconds,
            requests_per_connection=state.requests_per_connection or REQUESTS_PER_CONNECTION,
        )
        for state in states
    ]
    return SiteQueue(
        queued=sum(state.queued for state in states),
        dead=sum(state.dead for state in states),
        is_blocked=all(state.is_blocked for state in states),
        pages_ahead=sum(view.pages for view in views),
        task_seconds=max((task_seconds(view) for view in views if view.response_seconds is not None), default=None),
    )


def _site_stats(name: str, given: _Given, leads: int, queue: SiteQueue | None, crawl_rate: float) -> SiteStats:
    pages = len(given.scores)
    return SiteStats(
        site=name,
        pages=pages,
        hits=given.hits,
        copies=given.copies,
        leads=leads,
        mean_score=fmean(given.scores) if pages else None,
        response_seconds=median(given.seconds) if given.seconds else None,
        queue=queue,
        advice=advise(given.hits, leads, pages + (queue.dead if queue else 0), crawl_rate),
    )


def _site_name(host: str, port: int) -> str:
    return host if port in (80, 443) else f"{host}:{port}"


def _site_of(key: str) -> str:
    """Of ``host:port``, as the frontier names hosts; "" for none."""
    host, _colon, port = key.rpartition(":")
    return _site_name(host, int(port)) if host and port.isdigit() else key
