"""What a frontier is: the URLs still to be fetched, with what each call promises.

The promises are numbered; tests/frontier/ runs every one on every frontier and cites the number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Entry:
    """One URL to fetch. ``host`` is host:port as politeness sees it; ``score``: higher is sooner.

    ``payload`` is empty for a plain GET of the topic spider; else JSON from which the scheduler
    builds the Request (callbacks by name, allow-listed meta), never pickle. ``model``: the number of the
    published model by which it was scored when it was queued, 0 for none.
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
    """A host handed to one node, with its best URLs, best first; nobody else gets the host meanwhile."""

    host: str
    token: int
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Grant:
    """What acquire gave.

    ``wait_seconds``: 0 when one more host could be leased now, else the time till the next host's rest
    is over (or, when everything queued belongs to leased hosts, till the first lease ends); None when
    waiting alone brings nothing, because nothing is queued or nothing more may be granted.

    ``reason`` says why ``leases`` is empty ("" when it is not): ``empty`` nothing is queued,
    ``max_pages`` pages + leased have reached the limit, ``resting`` every host with URLs rests,
    ``leased`` every host with URLs is leased, ``blocked`` what is queued is on hosts that somebody blocked
    (see inspection.py), ``pages_per_host`` it is on hosts that gave all they may, ``patience`` what could
    be leased is worth little beside what is waited for (promise 15), ``low_score`` what is queued is worth less than
    ``least_score`` (promise 16), or may not be asked, ``restarted`` the server of the frontier was started again, and leases that it has forgotten may still be out.

    ``exhausted``: nothing was given, nothing is leased to anybody, and time brings nothing: the crawl
    is over unless someone adds entries.
    """

    leases: tuple[Lease, ...]
    wait_seconds: float | None
    reason: str = ""
    exhausted: bool = False


class End(Enum):
    """How an attempt at a URL ended."""

    PAGE = "page"  # a page was fetched and handled: counts for max_pages
    NO_PAGE = "no_page"  # done, but no page: redirect, 404, filtered, forbidden by robots.txt
    FAILED = "failed"  # may be tried again: time-out, reset, 5xx, error in a callback
    RELEASED = "released"  # not tried: put back as it was (shutdown, host not ready)


def is_lost(entry: Entry, end: End, attempts: int) -> bool:
    """Whether ``entry`` was done without a page: no more is tried, or it has failed for the last of ``attempts``."""
    return end is End.NO_PAGE or (end is End.FAILED and entry.attempts + 1 >= attempts)


@dataclass(frozen=True, slots=True)
class Completion:
    """The end of one leased URL; ``reason`` is a short name (an outcome) for FAILED and NO_PAGE."""

    fingerprint: int
    host: str
    token: int
    end: End
    reason: str = ""


@dataclass(frozen=True, slots=True)
class HostTiming:
    """What a fetch told about its host; seconds. ``rest_seconds``: ask it again no sooner than that.

    ``requests_per_connection``: how many the host gives before it closes a connection, when its answer told.
    """

    rest_seconds: float = 0.0
    connect_seconds: float | None = None
    response_seconds: float | None = None
    requests_per_connection: int | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """Everything one flush tells the frontier, applied as one transaction.

    ``promotions``: (fingerprint, score) of links worth more than they were; ``revisions``: what a learner thinks of links now. Of
    what one Work says of a link, its revision is the oldest news: entries and promotions come after it.
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
    """Where the URLs are. ``pages``: completions that ended as PAGE, over all runs of this crawl.

    ``evicted``: given up unfetched because the frontier's memory was full, those with the lowest scores first.
    """

    queued: int = 0
    leased: int = 0
    done: int = 0
    dead: int = 0
    pages: int = 0
    hosts: int = 0
    evicted: int = 0


class Frontier(Protocol):
    """The URLs of one crawl. Every method may block (disk, network): call them from a worker thread,
    one at a time.

    1. An entry whose fingerprint was ever added is not added again (only its score may rise).
    2. A higher score for a queued entry promotes it; a lower one changes nothing (promise F5: finding a link once
       more only raises it; what the learner thinks anew may lower it, see 14).
    3. Within a host, entries leave by score, best first; equal scores by a keyed hash of the
       fingerprint, not by insertion (promises F5, F9). Scores are floats compared after rounding to 1e-6.
    4. A host is leased to one node at a time, and not before its rest is over (promise F2).
    5. ``acquire`` never grants so many that pages + leased would exceed ``max_pages`` (promise F8).
    6. A completion with a token that is not the host's present one acks nothing; the entries that
       come with it are added all the same (promise F4). One that a call had confirmed, told again to a server
       that lost it, counts while nobody else has the URL.
    7. FAILED puts the entry back with attempts + 1, and makes it dead once ``attempts`` is reached.
    8. RELEASED puts the entry back unchanged.
    9. What a killed process had leased is queued again once the lease is over, or at once when the
       process that opens the frontier knows that no other can hold it (embedded) (promises F1, F3).
    10. When a call returns, it is durable; when it raises, nothing of it happened (promise F1).
    11. A host rests from the moment of ``apply`` with its ``rest_seconds``; a shorter rest never cuts a
        longer one; rests survive reopening, and a clock set back makes none longer than it was given.
    12. A host that gave ``pages_per_host`` pages gives no more; pages + leased of a host never exceed it.
    13. A lease ends when all its URLs are completed, or at the first ``acquire`` after its time is over;
        ``renew`` gives those of a node that is still at work more time.
    14. A revision sets the score of an entry that is queued or leased, higher or lower, before the
        entries and promotions of the same Work may raise it again; it adds nothing, and what is done or
        dead stays so. Of two for one entry the last counts.
    15. With ``patience`` n, ``acquire`` grants no host whose best URL is worth less than an n-th of the best that
        waits on a host that rests no longer than LONGEST_WAIT from now, or on a leased one whose last
        rest was no longer than that; leased URLs, blocked hosts and those at ``pages_per_host`` do not count.
    16. ``acquire`` grants no URL of a score below ``least_score``, and waits for none. It stays queued, may rise
        (2, 14), and is granted when the crawl is opened with a lower one.
    """

    def acquire(self, node: str, hosts: int, urls_per_host: int, lease_seconds: float) -> Grant:
        """Lease up to ``hosts`` hosts with up to ``urls_per_host`` URLs each, best host first; no more than a host told that it gives over one connection."""

    def renew(self, node: str, lease_seconds: float) -> None:
        """Have the leases that ``node`` holds end ``lease_seconds`` from now, with the tokens they have."""

    def apply(self, work: Work) -> int:
        """Do everything in ``work``; returns how many entries were new."""

    def known(self, fingerprints: Sequence[int]) -> set[int]:
        """Those of ``fingerprints`` that were ever added."""

    def counts(self) -> Counts:
        """Where the URLs are now."""

    def peek(self, limit: int = 20) -> list[Entry]:
        """The best queued URLs over all hosts, best first, whether their host rests or not; for views."""

    def meta(self, key: str) -> str:
        """A fact about the crawl kept with it (topic digest, runs, finish reason); "" when never set."""

    def set_meta(self, key: str, value: str) -> None:
        """Keep a fact about the crawl; ``clear`` forgets it."""

    def clear(self) -> None:
        """Forget everything (``-a fresh=1``)."""

    def close(self) -> None:
        """Give the files and locks back; a closed frontier takes no calls."""
