"""What is known of a crawl that is slow or stands still, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from topicspider.politeness.hosts import DelayedHosts
from topicspider.stalls.pulse import Ended


@dataclass(frozen=True, slots=True)
class Situation:
    """One look at a crawl; all times in seconds.

    ``clock`` is the time of day. ``reason`` and ``wait_seconds`` are what the frontier said last (see
    ``Grant``), ``failures`` the attempts that ended without a page since the last page, ``downloads`` those
    under way as (host, how long), longest first; ``in_work`` counts the requests that the engine holds,
    from the moment they were handed out until their page is stored. ``asked_hosts`` were asked in the last
    minutes, ``known_hosts`` counts all that the frontier has heard of. ``links`` and ``pruned`` are those of
    the last pages, ``pruned_for`` the commonest reason.
    """

    clock: float = 0.0
    quiet_seconds: float = 0.0
    concurrency: int = 16
    is_closing: bool = False
    # the queue
    queued: int = 0
    known_hosts: int = 0
    reason: str = ""
    wait_seconds: float | None = None
    frontier: str = "SQLite"
    frontier_trouble: str = ""
    call_seconds: float = 0.0
    # the store
    store_trouble: str = ""
    is_store_full: bool = False
    rows_waiting: int = 0
    is_log_full: bool = False
    # the network
    downloads: Sequence[tuple[str, float]] = ()
    in_work: int = 0
    failures: Sequence[Ended] = ()
    asked_hosts: frozenset[str] = frozenset()
    resting: DelayedHosts = field(default_factory=DelayedHosts)
    proxy: str = ""
    # links
    links: int = 0
    pruned: int = 0
    pruned_for: str = ""
    # this process
    lag_seconds: float = 0.0
    lag_place: str = ""
