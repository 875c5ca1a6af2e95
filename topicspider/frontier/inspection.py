"""What looking at a frontier and steering it from outside means, with what each call promises.

The promises are numbered; tests/frontier/test_inspection_contract.py runs every one on every frontier and cites the number.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from topicspider.errors import ConfigError
from topicspider.frontier.host_ranking import clean_text, from_micros, to_micros
from topicspider.frontier.protocol import Counts, Entry
from topicspider.i18n import gettext as _

OWN_FACTS = "frontier."
"""How the keys of those facts begin that a frontier keeps for itself: they say nothing of the crawl."""

LONGEST_DELAY = 86_400.0


def check_delay(seconds: float) -> float:
    """``seconds``, when they can be a host's delay; else ConfigError."""
    if not 0 <= seconds <= LONGEST_DELAY:  # NaN is neither
        raise ConfigError("delay", seconds, _("0 to {longest_delay:g} seconds", longest_delay=LONGEST_DELAY))
    return seconds


@dataclass(frozen=True, slots=True)
class HostState:
    """One host. ``best``: the highest score of its queued and leased URLs, None when there are none.

    ``rest_seconds``: how long it still rests; ``delay_seconds``: the least that it rests after each fetch, because somebody
    said so.
    """

    host: str
    queued: int = 0
    leased: int = 0
    dead: int = 0
    pages: int = 0
    best: float | None = None
    rest_seconds: float = 0.0
    delay_seconds: float = 0.0
    is_blocked: bool = False


@dataclass(frozen=True, slots=True)
class LeaseState:
    """Who holds a host, for how long still, and with which URLs that are not completed yet."""

    host: str
    node: str
    seconds_left: float
    urls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeadUrl:
    """A URL that was given up, and is kept until somebody revives it: the entry with the attempts made, and what the last one came to."""

    entry: Entry
    reason: str


def clean_dead(dead: DeadUrl) -> DeadUrl:
    """As every frontier can keep it: no lone surrogates, the score in whole millionths."""
    entry = dead.entry
    cleaned = replace(
        entry,
        url=clean_text(entry.url),
        host=clean_text(entry.host),
        referrer=clean_text(entry.referrer),
        payload=clean_text(entry.payload),
        score=from_micros(to_micros(entry.score)),
    )
    return DeadUrl(cleaned, clean_text(dead.reason))


@dataclass(frozen=True, slots=True)
class DoneUrls:
    """Of these only the fingerprints are left."""

    fingerprints: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """One of the facts of ``Frontier.meta``."""

    key: str
    value: str


def facts_of(meta: Iterable[tuple[str, str]]) -> Iterator[Fact]:
    """The facts of ``meta`` without those that a frontier keeps for itself (OWN_FACTS)."""
    return (Fact(key, value) for key, value in meta if not key.startswith(OWN_FACTS))


Record = HostState | Entry | DeadUrl | DoneUrls | Fact
"""What a frontier is taken apart into: an Entry stands for a queued URL."""


class Inspection(Protocol):
    """The frontier of one crawl as somebody beside it sees it: another process may be crawling on it meanwhile.

    1. Looking changes nothing; what is seen is some moment between two calls of the crawl (of one that several nodes share: several
        such moments, where there is much to see).
    2. ``hosts`` gives each known host once, in no order; over them all queued, leased, dead and pages sum up to ``counts``.
    3. ``top`` are the queued URLs, leased ones not, over all hosts, resting and blocked ones too: best first, equal scores by
       the keyed hash of the fingerprint, as they leave their host. ``bottom`` is the same order from its end.
    4. ``leases`` are those that no ``acquire`` has ended; one whose time is over has 0 seconds left. Those of a file only the process
       that holds it knows: for others they raise FrontierUnavailable, and what is leased counts as queued.
    5. ``dead``: newest first, each with all that its entry had.
    6. A blocked host is not leased. What is leased of it can be completed; its URLs stay queued, and new ones join them. It is
       blocked until it is unblocked, also after reopening; ``clear`` forgets it. A host that is not known yet becomes so.
    7. When blocked hosts are all that is left, ``acquire`` says "blocked": nothing waits for them, so a crawl without leases
       is over (``exhausted``), and a later one goes on when they are unblocked.
    8. A host with a delay rests at least so long after each fetch that ``apply`` is told of from now on; a rest that has begun
       is not changed. The delay survives reopening, and 0 takes it away. A host that is not known yet becomes so.
    9. ``revive`` queues dead URLs again as if never tried, with their old score; those that are not dead are not touched.
    10. ``records`` is everything: taken in by an empty frontier of whatever kind, it makes one that gives each host's URLs in
        the same order, and knows what this one knew. What is leased counts as queued. Hosts come first; which of them has
        waited longest (server policy bfs) is not kept. All is of one moment; CrawlRunning where several nodes share the frontier and
        one is at work.
    11. ``take_in`` adds what is not known, and changes nothing of a URL that is (only a queued score may rise). Of hosts the
        larger number of pages counts, the longer rest and delay, and blocked if either was. So twice is as good as once, and
        what was cut off in the middle can be taken in again from its beginning. Facts that are there stay.
    12. What steers is durable when the call returns; when it raises, nothing of that call happened.
    """

    def counts(self) -> Counts:
        """Where the URLs are."""

    def hosts(self) -> Iterator[HostState]:
        """All known hosts."""

    def top(self, limit: int) -> list[Entry]:
        """The best queued URLs."""

    def bottom(self, limit: int) -> list[Entry]:
        """The worst queued URLs."""

    def leases(self) -> list[LeaseState]:
        """Who holds which host."""

    def dead(self) -> list[DeadUrl]:
        """What was given up."""

    def block(self, hosts: Collection[str]) -> int:
        """Lease them no more; returns how many were not blocked before."""

    def unblock(self, hosts: Collection[str]) -> int:
        """Lease them again; returns how many were blocked."""

    def set_delay(self, host: str, seconds: float) -> None:
        """Have it rest at least so long after each fetch; ConfigError for more than a day, or less than nothing."""

    def revive(self, fingerprints: Collection[int]) -> int:
        """Queue dead URLs again; returns how many."""

    def records(self) -> Iterator[Record]:
        """Everything."""

    def take_in(self, records: Iterable[Record]) -> int:
        """Add ``records``, as one transaction (some hundred of them at least); returns how many URLs were new."""

    def clear(self) -> None:
        """Forget everything, as ``Frontier.clear``."""

    def close(self) -> None:
        """Give back what was opened to look."""
