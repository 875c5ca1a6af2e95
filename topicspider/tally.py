"""What a running crawl has done so far, counted for the live line and the closing table."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field

HOSTS_COUNTED = 200_000  # hosts beyond are counted no more: nothing grows without bound


@dataclass(slots=True)
class Tally:
    """Counts of one run. A page is a hit when at least one topic keeps it; ``copies`` are kept too, but as near-duplicates of hits
    they count as no hits.

    ``stall`` is the sentence that says why the crawl is slow or stands still; "" when it is not. ``earlier_pages`` and ``earlier_hits`` come from runs before this one; ``queued`` is the
    frontier's last word. ``frontier_outages``, known at the end: how often a shared one was away, for how many seconds in all, and how often
    its server came back anew.
    """

    clock: Callable[[], float] = time.monotonic
    earlier_pages: int = 0
    earlier_hits: int = 0
    max_pages: int | None = None
    pages: int = 0
    hits: int = 0
    copies: int = 0
    links: int = 0
    kept_links: int = 0
    queued: int = 0
    pruned: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    hosts: set[str] = field(default_factory=set)
    hosts_with_hits: set[str] = field(default_factory=set)
    started: float = 0.0
    stall: str = ""
    frontier_outages: tuple[int, float, int] = (0, 0.0, 0)
    _recent: deque[bool] = field(default_factory=lambda: deque(maxlen=100))
    _pace: deque[float] = field(default_factory=lambda: deque(maxlen=200))
    _recent_links: deque[tuple[int, Counter[str]]] = field(default_factory=lambda: deque(maxlen=100))

    def __post_init__(self) -> None:
        self.started = self.clock()

    def page(self, host: str, is_hit: bool, is_copy: bool = False) -> None:
        """One page was fetched and judged; ``is_hit``: it is kept and no copy of an earlier one."""
        self.pages += 1
        self.hits += is_hit
        self.copies += is_copy
        self._recent.append(is_hit)
        self._pace.append(self.clock())
        if len(self.hosts) < HOSTS_COUNTED:
            self.hosts.add(host)
            if is_hit:
                self.hosts_with_hits.add(host)

    def judged(self, kept: int, pruned: Counter[str]) -> None:
        """One page's links were judged."""
        self.links += kept + pruned.total()
        self.kept_links += kept
        self.pruned.update(pruned)
        self._recent_links.append((kept, pruned))

    def recent_links(self) -> tuple[int, Counter[str]]:
        """How many links of the last 100 pages were judged, and how many of them were pruned, by reason."""
        reasons: Counter[str] = Counter()
        for _, pruned in self._recent_links:
            reasons.update(pruned)
        return sum(kept for kept, _ in self._recent_links) + reasons.total(), reasons

    @property
    def harvest_rate(self) -> float:
        """Hits a page in this run, in [0, 1]."""
        return self.hits / self.pages if self.pages else 0.0

    @property
    def recent_harvest_rate(self) -> float:
        """Hits a page among the last 100, in [0, 1]."""
        return sum(self._recent) / len(self._recent) if self._recent else 0.0

    @property
    def pruned_share(self) -> float:
        """Share of judged links that were pruned, in [0, 1]."""
        return self.pruned.total() / self.links if self.links else 0.0

    @property
    def seconds(self) -> float:
        """How long this run has lasted."""
        return self.clock() - self.started

    @property
    def pages_per_second(self) -> float:
        """Pace over the last 200 pages."""
        if len(self._pace) < 2:
            return 0.0
        span = self.clock() - self._pace[0]
        return len(self._pace) / span if span > 0 else 0.0

    @property
    def pages_left(self) -> int | None:
        """Pages until ``max_pages``; without one, what is queued; None while nothing is known."""
        if self.max_pages is not None:
            return max(0, self.max_pages - self.earlier_pages - self.pages)
        return self.queued or None

    @property
    def seconds_left(self) -> float | None:
        """Time left at the present pace, or None."""
        left, pace = self.pages_left, self.pages_per_second
        return left / pace if left is not None and pace else None
