"""The protocol for looking at a frontier and steering it from outside, with the promises of each call.

The promises are numbered; tests/frontier/test_inspection_contract.py tests each on every frontier and cites the number.
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
"""Prefix of the keys of facts that a frontier stores for its own use; they are not facts about the crawl."""

LONGEST_DELAY = 86_400.0


def check_delay(seconds: float) -> float:
    """Return ``seconds`` if it is a valid host delay (0 to LONGEST_DELAY seconds); else raise ConfigError."""
    if not 0 <= seconds <= LONGEST_DELAY:  # NaN fails this comparison, too
        raise ConfigError("delay", seconds, _("0 to {longest_delay:g} seconds", longest_delay=LONGEST_DELAY))
    return seconds


@dataclass(frozen=True, slots=True)
class HostState:
    """One host. ``best``: the highest score of its queued and leased URLs, None when it has none.

    ``rest_seconds``: how long it still rests. ``delay_seconds``: the minimum rest after each fetch, as an operator set it.
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
    """A lease: its host and node, how many seconds it still lasts, and its URLs that are not completed yet."""

    host: str
    node: str
    seconds_left: float
    urls: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeadUrl:
    """A dead letter: a URL that was given up, kept until somebody revives it. ``reason``: how the last attempt ended."""

    entry: Entry
    reason: str


def clean_dead(dead: DeadUrl) -> DeadUrl:
    """``dead`` in the form that every frontier can store: no lone surrogates, the score in whole millionths."""
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
    """URLs that are done; only their fingerprints are kept."""

    fingerprints: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """One key and value of ``Frontier.meta``."""

    key: str
    value: str


def facts_of(meta: Iterable[tuple[str, str]]) -> Iterator[Fact]:
    """The facts in ``meta``, without those that a frontier keeps for its own use (OWN_FACTS)."""
    return (Fact(key, value) for key, value in meta if not key.startswith(OWN_FACTS))


Record = HostState | Entry | DeadUrl | DoneUrls | Fact
"""The parts of an exported frontier; an Entry is a queued URL."""


class Inspection(Protocol):
    """The frontier of one crawl, seen from outside: another process may be crawling on it meanwhile.

    1. Looking changes nothing. It shows the state at a moment between two calls of the crawl (of a crawl shared by several nodes: at
        several such moments, when there is much to show).
    2. ``hosts`` yields each known host once, in no order. Summed over all hosts, queued, leased, dead and pages equal ``counts``.
    3. ``top`` gives the queued URLs that are not leased, over all hosts, resting and blocked ones too: best first, equal scores by the
        keyed hash of the fingerprint, in the order in which they leave their host. ``bottom`` is the same order from its end.
    4. ``leases`` are those that no ``acquire`` has ended; an expired one has 0 seconds left. Only the process that holds a file knows the
        leases of that file: for others the call raises FrontierUnavailable, and leased URLs count as queued.
    5. ``dead``: newest first, each with all that its entry had.
    6. A blocked host is not leased. Its leased URLs can still be completed; its other URLs stay queued, and new ones are added. It stays
        blocked until it is unblocked, also after reopening; ``clear`` forgets the block. A host that is not known yet becomes known.
    7. When only blocked hosts are left, ``acquire`` gives the reason "blocked": nothing waits for them, so a crawl without leases is over
        (``exhausted``). A later crawl goes on when they are unblocked.
    8. A host with a delay rests at least that long after each fetch reported to ``apply`` from now on; a rest that has begun is not
        changed. The delay survives reopening; 0 removes it. A host that is not known yet becomes known.
    9. ``revive`` queues dead URLs again as if never tried, with their old score; URLs that are not dead are not touched.
    10. ``records`` is everything: an empty frontier of any kind that imports it gives each host's URLs in the same order and knows what
        this one knew. Leased URLs count as queued. Hosts come first; which of them has waited longest (server policy bfs) is not kept. All
        records are of one moment; CrawlRunning when several nodes share the frontier and one is at work.
    11. ``take_in`` adds what is not known and changes nothing of a known URL (only a queued score may rise). Of a host it keeps the larger
        number of pages, the longer rest and delay, and "blocked" if either was. So importing twice is the same as once, and an interrupted
        import can be repeated from its beginning. Facts that exist stay.
    12. A steering call is durable when it returns; when it raises, nothing of that call happened.
    """

    def counts(self) -> Counts:
        """How many URLs are in each state."""

    def hosts(self) -> Iterator[HostState]:
        """All known hosts."""

    def top(self, limit: int) -> list[Entry]:
        """The best queued URLs."""

    def bottom(self, limit: int) -> list[Entry]:
        """The worst queued URLs."""

    def leases(self) -> list[LeaseState]:
        """The leases that no ``acquire`` has ended."""

    def dead(self) -> list[DeadUrl]:
        """The dead letters."""

    def block(self, hosts: Collection[str]) -> int:
        """Stop leasing these hosts; returns how many were not blocked before."""

    def unblock(self, hosts: Collection[str]) -> int:
        """Allow leasing these hosts again; returns how many were blocked."""

    def set_delay(self, host: str, seconds: float) -> None:
        """Set the host's minimum rest after each fetch; ConfigError unless it is between 0 and one day."""

    def revive(self, fingerprints: Collection[int]) -> int:
        """Queue dead URLs again; returns how many."""

    def records(self) -> Iterator[Record]:
        """Everything, for an export."""

    def take_in(self, records: Iterable[Record]) -> int:
        """Add ``records``, as one transaction (at least for up to some hundred of them); returns how many URLs were new."""

    def clear(self) -> None:
        """Forget everything, as ``Frontier.clear``."""

    def close(self) -> None:
        """Release what was opened."""
