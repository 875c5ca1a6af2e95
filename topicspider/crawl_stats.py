"""The counts of a run, for the live view, the closing table, the web page and the metrics."""

from __future__ import annotations

import time
from bisect import bisect
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import islice
from typing import NamedTuple

SHOWN, CURVE_PAGES = 5, 10


class Hit(NamedTuple):
    """A hit as a reader is shown it."""

    score: float
    title: str
    url: str


@dataclass(slots=True)
class CrawlStats:
    """Counts of one run. A page is a hit if at least one topic keeps it.

    ``copies`` (near-duplicates of hits) and ``hubs`` (pages of links) are kept, too, but are no hits.
    ``latest`` and ``best``: the SHOWN newest hits, and those with the highest scores.
    ``curve``: the harvest rate of each CURVE_PAGES pages, the newest last. ``earlier_pages``: the number of pages of earlier runs.
    ``queued``: as last reported by the frontier. ``resting``: the number of hosts that may not be asked yet.
    ``stall``: why the crawl stands still, as a sentence, or "".
    ``pages_before_loss``: pages that may be fetched once more, because the frontier was emptied.
    ``frontier_outages``, known at the end: how often a shared frontier was away, for how many seconds, how often its server restarted.
    ``best_left``: the chance of the best link that was not worth a page, if the crawl ended for that reason.
    ``given_up``: URLs tried as often as allowed, some with the last reason, as ``URL (reason)``.
    ``loop_lags``: by how many seconds the event loop was late, at each second of the last minute.
    """

    clock: Callable[[], float] = time.monotonic
    earlier_pages: int = 0
    max_pages: int | None = None
    pages: int = 0
    pages_before_loss: int = 0
    hits: int = 0
    copies: int = 0
    hubs: int = 0
    links: int = 0
    kept_links: int = 0
    queued: int = 0
    pruned: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    given_up: Counter[str] = field(default_factory=Counter)
    hosts: set[str] = field(default_factory=set)
    hosts_with_hits: set[str] = field(default_factory=set)
    hosts_with_feeds: set[str] = field(default_factory=set)  # of hosts_with_hits
    started: float = 0.0
    stall: str = ""
    frontier_outages: tuple[int, float, int] = (0, 0.0, 0)
    best_left: float | None = None
    loop_lags: deque[float] = field(default_factory=lambda: deque(maxlen=60))
    resting: int = 0
    latest: deque[Hit] = field(default_factory=lambda: deque(maxlen=SHOWN))
    best: list[Hit] = field(default_factory=list)
    nearest: tuple[float, float, float, str] | None = None
    curve: deque[float] = field(default_factory=lambda: deque(maxlen=40))
    _recent: deque[bool] = field(default_factory=lambda: deque(maxlen=100))
    _pace: deque[float] = field(default_factory=lambda: deque(maxlen=200))

    def __post_init__(self) -> None:
        self.started = self.clock()

    def page(self, host: str, is_hit: bool, is_copy: bool = False, is_hub: bool = False) -> None:
        """Count a page. ``is_hit``: it is on topic, no hub, and no near-duplicate of an earlier hit."""
        self.pages += 1
        self.hits += is_hit
        self.hubs += is_hub
        self.copies += is_copy and not is_hub
        self._recent.append(is_hit)
        self._pace.append(self.clock())
        if self.pages % CURVE_PAGES == 0:
            self.curve.append(sum(islice(reversed(self._recent), CURVE_PAGES)) / CURVE_PAGES)
        # more hosts are not counted, so that the set does not grow without bound
        if len(self.hosts) < 200_000:
            self.hosts.add(host)
            if is_hit:
                self.hosts_with_hits.add(host)

    def give_up(self, url: str, reason: str) -> None:
        """Count a URL that failed as often as it may be tried."""
        named = f"{url} ({reason})"
        self.given_up[named if len(self.given_up) < SHOWN else ""] += 1

    def show(self, hit: Hit) -> None:
        """Keep a hit for the live view."""
        self.latest.append(hit)
        self.best = nlargest(SHOWN, [*self.best, hit])

    def near(self, score: float, threshold: float, url: str) -> None:
        """Keep the miss that was nearest to its threshold: it explains a crawl without hits."""
        if score < threshold:
            this = (score - threshold, score, threshold, url)
            self.nearest = max(self.nearest or this, this)

    def judged(self, kept: int, pruned: Counter[str]) -> None:
        self.links += kept + pruned.total()
        self.kept_links += kept
        self.pruned.update(pruned)

    def leave_queued(self, best: float, reason: str) -> None:
        """The crawl ends because no queued link is worth a page: count all queued links as pruned for ``reason``."""
        self.best_left = best
        self.pruned[reason] += self.queued
        self.links += max(0, self.queued - self.kept_links)  # links of earlier runs
        self.kept_links = max(0, self.kept_links - self.queued)

    @property
    def near_miss(self) -> tuple[float, float, float, str] | None:
        """``nearest`` when no page was on topic: its distance from the threshold, its score, the threshold, its URL."""
        return None if self.hits + self.copies + self.hubs else self.nearest

    @property
    def harvest_rate(self) -> float:
        """Hits per page in this run, in [0, 1]."""
        return self.hits / self.pages if self.pages else 0.0

    @property
    def recent_harvest_rate(self) -> float:
        """Hits per page among the last 100, in [0, 1]."""
        return sum(self._recent) / len(self._recent) if self._recent else 0.0

    @property
    def pruned_share(self) -> float:
        """Share of judged links that were pruned, in [0, 1]."""
        return self.pruned.total() / self.links if self.links else 0.0

    @property
    def seconds(self) -> float:
        return self.clock() - self.started

    @property
    def pages_per_second(self) -> float:
        """Pages per second in the last minute, or for the last 20 pages if these took longer; at most 200 pages, so a change shows soon."""
        times, now = list(self._pace), self.clock()
        times = times[min(bisect(times, now - 60.0), max(0, len(times) - 20)) :]
        span = now - times[0] if len(times) > 1 else 0.0
        return len(times) / span if span > 0 else 0.0

    @property
    def pages_left(self) -> int | None:
        """Pages until ``max_pages``; None without a limit, since nobody knows how many links will be found."""
        return None if self.max_pages is None else max(0, self.max_pages - self.earlier_pages - self.pages)

    @property
    def seconds_left(self) -> float | None:
        """Seconds until ``max_pages`` at the present pace; None before 20 pages, and without a limit."""
        left, pace = self.pages_left, self.pages_per_second
        return left / pace if left is not None and len(self._pace) >= 20 else None
