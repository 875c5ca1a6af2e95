"""The protocol of a frontier (the URLs still to be fetched), with the promises of each call.

The promises are numbered; tests/frontier/ tests each on every frontier and cites the number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Entry:
    """One URL to fetch. ``host`` is host:port, the unit of politeness. ``score``: a URL with a higher score is fetched sooner.

    ``payload`` is empty for a plain GET of the topic spider; else JSON from which the scheduler builds the Request (callbacks by name,
    allow-listed meta), never pickle. ``model``: the number of the published model that gave the score when the URL was queued, 0 for none.
    """

    url: str
    fingerprint: int
    host: str
    score: float = 0.0
    depth: int = 0
    referrer: str = ""
    payload: str = ""
    attempts: int = 0
    model: int = 0


@dataclass(frozen=True, slots=True)
class Lease:
    """A host given to one node, with its best URLs, best first. No other node gets the host while the lease lasts."""

    host: str
    token: int
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Grant:
    """The result of ``acquire``.

    ``wait_seconds``: 0 when one more host could be leased now; else the time until the next host has rested (or, when everything queued
    belongs to leased hosts, until the first lease ends); None when waiting alone changes nothing, because nothing is queued or nothing more
    may be granted.

    ``reason`` says why ``leases`` is empty ("" when it is not). ``empty``: nothing is queued. ``max_pages``: pages + leased have reached
    the limit. ``resting``: every host with URLs rests. ``leased``: every host with URLs is leased. ``blocked``: the queued URLs are on
    hosts that an operator blocked (see inspection.py). ``pages_per_host``: they are on hosts that have reached this limit. ``patience``:
    the hosts that could be leased are worth little beside what is waited for (promise 15). ``low_score``: the queued URLs are worth less
    than ``least_score`` (promise 16), or are on hosts that may not be asked. ``restarted``: the frontier's server was restarted, and leases
    that it has forgotten may not be over yet.

    ``exhausted``: nothing was granted, no node has a lease, and waiting changes nothing: the crawl is over unless someone adds entries.
    """

    leases: tuple[Lease, ...]
    wait_seconds: float | None
    reason: str = ""
    exhausted: bool = False


class End(Enum):
    """How an attempt at a URL ended."""

    PAGE = "page"  # a page was fetched and handled; counts for max_pages
    NO_PAGE = "no_page"  # done, but no page: redirect, 404, filtered, forbidden by robots.txt
    FAILED = "failed"  # may be tried again: time-out, reset, 5xx, error in a callback
    RELEASED = "released"  # not tried: put back as it was (shutdown, host not ready)


def is_lost(entry: Entry, end: End, attempts: int) -> bool:
    """Whether ``entry`` ended without a page: it is not tried again, or it has failed for the last of ``attempts`` times."""
    return end is End.NO_PAGE or (end is End.FAILED and entry.attempts + 1 >= attempts)


@dataclass(frozen=True, slots=True)
class Completion:
    """The end of the attempt at one leased URL. ``reason``: for FAILED and NO_PAGE, the name of an Outcome or another short name."""

    fingerprint: int
    host: str
    token: int
    end: End
    reason: str = ""


@dataclass(frozen=True, slots=True)
class HostTiming:
    """What a fetch showed about its host; all times in seconds. ``rest_seconds``: the host must not be asked again before that.

    ``requests_per_connection``: how many requests the host serves before it closes a connection; None when its answer did not show it.
    """

    rest_seconds: float = 0.0
    connect_seconds: float | None = None
    response_seconds: float | None = None
    requests_per_connection: int | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """Everything that one flush reports to the frontier, applied as one transaction.

    ``promotions``: (fingerprint, score) of links whose score has risen. ``revisions``: (fingerprint, score) of links that a learner scores
    anew. Within one Work, the revision of a link is applied first; entries and promotions of that link come after it.
    """

    completions: Sequence[Completion] = ()
    entries: Sequence[Entry] = ()
    promotions: Sequence[tuple[int, float]] = ()
    revisions: Sequence[tuple[int, float]] = ()
    timings: Mapping[str, HostTiming] | None = None

    def __bool__(self) -> bool:
        return bool(self.completions or self.entries or self.promotions or self.revisions or self.timings)


@dataclass(frozen=True, slots=True)
class Counts:
    """How many URLs are in each state. ``pages``: completions that ended as PAGE, over all runs of this crawl.

    ``evicted``: URLs given up unfetched because the frontier's memory was full, lowest scores first.
    """

    queued: int = 0
    leased: int = 0
    done: int = 0
    dead: int = 0
    pages: int = 0
    hosts: int = 0
    evicted: int = 0


class Frontier(Protocol):
    """The URLs of one crawl. Every method may block (disk, network): call them from a worker thread, one at a time.

    1. An entry whose fingerprint was ever added is not added again (only its score may rise).
    2. A higher score for a queued entry promotes it; a lower one changes nothing (promise F5: finding a link once more can only raise it; a
        learner's new score may lower it, see 14).
    3. Within a host, entries leave by score, best first; equal scores by a keyed hash of the fingerprint, not by insertion (promises F5,
        F9). Scores are floats, compared after rounding to 1e-6.
    4. A host is leased to one node at a time, and not before its rest is over (promise F2).
    5. ``acquire`` never grants so many URLs that pages + leased would exceed ``max_pages`` (promise F8).
    6. A completion whose token is not the host's present one acknowledges nothing; the entries that come with it are added all the same
        (promise F4). A completion that had been confirmed and is reported again, to a server that lost it, counts as long as no other node
        has the URL.
    7. FAILED puts the entry back with attempts + 1, and makes it dead once ``attempts`` is reached.
    8. RELEASED puts the entry back unchanged.
    9. The URLs that a killed process had leased are queued again once the lease is over, or at once when the process that opens the
        frontier knows that no other can hold it (embedded) (promises F1, F3).
    10. When a call returns, its effect is durable; when it raises, nothing of it happened (promise F1).
    11. A host rests for its ``rest_seconds``, counted from the call of ``apply``. A shorter rest never cuts a longer one. Rests survive
        reopening, and a clock set back makes none longer than it was given.
    12. A host that gave ``pages_per_host`` pages gives no more; pages + leased of a host never exceed it.
    13. A lease ends when all its URLs are completed, or at the first ``acquire`` after its time is over; ``renew`` extends the leases of a
        node that is still at work.
    14. A revision sets the score of an entry that is queued or leased, higher or lower, before the entries and promotions of the same Work
        may raise it again. It adds no URL, and URLs that are done or dead stay so. Of two revisions of one entry the last counts.
    15. With ``patience`` n, ``acquire`` grants no host whose best URL is worth less than an n-th of the best URL that is waited for. Waited
        for are the URLs of a host that rests no longer than LONGEST_WAIT from now, and of a leased host whose last rest was no longer than
        that; leased URLs, blocked hosts and those at ``pages_per_host`` do not count.
    16. ``acquire`` grants no URL of a score below ``least_score``, and waits for none. It stays queued, may rise (2, 14), and is granted
        when the crawl is opened with a lower ``least_score``.
    """

    def acquire(self, node: str, hosts: int, urls_per_host: int, lease_seconds: float) -> Grant:
        """Lease up to ``hosts`` hosts, best first, with up to ``urls_per_host`` URLs each, but no more than a host serves over one
        connection."""

    def renew(self, node: str, lease_seconds: float) -> None:
        """Let the leases of ``node`` end ``lease_seconds`` from now; they keep their tokens."""

    def apply(self, work: Work) -> int:
        """Apply everything in ``work``; returns how many entries were new."""

    def known(self, fingerprints: Sequence[int]) -> set[int]:
        """Those of ``fingerprints`` that were ever added."""

    def counts(self) -> Counts:
        """How many URLs are in each state now."""

    def peek(self, limit: int = 20) -> list[Entry]:
        """The best queued URLs over all hosts, best first, whether their host rests or not; for views."""

    def meta(self, key: str) -> str:
        """A fact stored with the crawl (topic digest, runs, finish reason); "" when never set."""

    def set_meta(self, key: str, value: str) -> None:
        """Store a fact with the crawl; ``clear`` forgets it."""

    def clear(self) -> None:
        """Forget everything (``-a fresh=1``)."""

    def close(self) -> None:
        """Release files and locks; a closed frontier takes no calls."""
