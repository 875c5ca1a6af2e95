"""Decides which host and which URL come next: the ranking of hosts and URLs, and the rules of a lease.

The server policies are those of (c) Cao, as pure functions of what is known of a host. Symbols of the paper: P(s,i) pages taken over one
connection, T(s,i) the seconds they take, R = P/T the speed, C = (sum of the next P URLs' quality)/T. Every policy returns a number; the
host with the highest goes first. Policies only rank: whether a host may be asked at all is decided before, by politeness.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from typing import TypedDict

from topicspider.errors import ConfigError
from topicspider.frontier.protocol import Grant, Lease
from topicspider.options import RELEVANCE_POLICIES
from topicspider.setting_rules import setting_name

MASK64 = (1 << 64) - 1
SIGN64 = 1 << 63


def to_micros(score: float) -> int:
    """``score`` in whole millionths, the form in which scores are compared. NaN becomes 0; values are limited to ±1e10.

    Integers are used because their sum does not depend on the order of addition (the capacity of paper (c)), and because floating point on
    two platforms agrees to 1e-6.
    """
    if score != score:
        return 0
    # the sum of 50 scores of ±1e10, in millionths, still fits a signed 64-bit integer
    return round(max(-1e10, min(1e10, score)) * 1_000_000)


def from_micros(micros: int) -> float:
    """The inverse of ``to_micros``: the score, rounded to 1e-6."""
    return micros / 1_000_000


def splitmix64(number: int, seed: int) -> int:
    """A keyed permutation of signed 64-bit integers (finaliser of splitmix64): one-to-one, so two fingerprints never share a place."""
    z = (number + seed * 0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15) & MASK64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
    return (z ^ (z >> 31)) - SIGN64


def host_tie(host: str, seed: int) -> int:
    """The tie-breaker among hosts of equal rank: a keyed hash of the host's name, a signed 64-bit integer."""
    digest = blake2b(host.encode("utf-8", "replace"), digest_size=8, key=seed.to_bytes(16, "big", signed=True))
    return int.from_bytes(digest.digest(), "big", signed=True)


def clean_text(text: str) -> str:
    """``text`` with lone surrogates replaced: no database stores them, and one such link must not make a whole flush fail."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


REQUESTS_PER_CONNECTION = 50
"""(c): the initial value, used until a host's answers show how many requests it allows per connection."""

MOST_REQUESTS = 100
"""A larger number that a host allows is cut to this; (c): 66 % of the servers allow 100."""

RESERVE = 1.2
"""The reserve parameter p of (c), for servers that keep a connection open (HTTP/1.1).

The paper's formula is a picture in our copy. We apply p only to the transfer of the pages, which is an estimate: T = 2·ConnectionTime +
p·P·ResponseTime. Applied to all of T it would change no order. A host that serves one page per connection keeps no connection open and gets
no reserve."""

OLD_SHARE = 0.8
"""(c): a moving average is 0.8 × old + 0.2 × new."""

PRIOR_CONNECT_SECONDS = 0.1
PRIOR_RESPONSE_SECONDS = 0.5
"""Assumed times of a host that was never asked: those of an ordinary host, so that being unknown is no advantage or disadvantage."""

SHORTEST_TASK_SECONDS = 1e-3
"""Lower limit of T: without it, a loopback server that answers in no time would have infinite speed."""


@dataclass(frozen=True, slots=True)
class HostView:
    """The facts about a host that a policy may use.

    ``queued``: URLs that wait. ``best``: the highest of their scores. ``next_sum``: the sum of the scores of the next ``pages`` URLs.
    ``entered``: number of the flush in which the host entered the queue of servers, or came back to it. Times are moving averages in
    seconds.
    """

    queued: int
    best: float = 0.0
    next_sum: float = 0.0
    entered: int = 0
    connect_seconds: float | None = None
    response_seconds: float | None = None
    requests_per_connection: int = REQUESTS_PER_CONNECTION

    @property
    def pages(self) -> int:
        """P(s,i) = min(RequestsPerConnection(s,i), TaskURLs(s,i)), (c)."""
        return min(self.requests_per_connection, self.queued)


def task_seconds(host: HostView) -> float:
    """T(s,i) = 2·ConnectionTime + p·P·ResponseTime, (c); the prior's values stand for times that are not known."""
    connect = PRIOR_CONNECT_SECONDS if host.connect_seconds is None else host.connect_seconds
    response = PRIOR_RESPONSE_SECONDS if host.response_seconds is None else host.response_seconds
    reserve = RESERVE if host.requests_per_connection > 1 else 1.0
    return max(SHORTEST_TASK_SECONDS, 2 * connect + reserve * host.pages * response)


SERVER_RANKS: dict[str, Callable[[HostView], float]] = {
    "bfs": lambda host: -float(host.entered),
    "performance": lambda host: host.pages / task_seconds(host),
    "quality": lambda host: host.best,
    "capacity": lambda host: host.next_sum / task_seconds(host),
}
"""Rank functions by the name of the server policy, all from (c).

bfs: first come, first served; a host that was served goes to the end. performance: R(s,i) = P(s,i)/T(s,i), pages per second. quality: the
best URL's score. capacity: C(s,i) = sum of the next P URLs' scores / T(s,i), quality per second."""


def requests_told(old: int | None, new: int | None) -> int | None:
    """RequestsPerConnection(s,i): the value that the host's last answer gave; the old value stays when the answer gave none."""
    return old if new is None or new < 1 else min(new, MOST_REQUESTS)


def moving_average(old: float | None, new: float | None) -> float | None:
    """0.8 × old + 0.2 × new, (c). The first measurement is taken as it is; a negative or non-finite one is ignored."""
    if new is None or not math.isfinite(new) or new < 0:
        return old
    return new if old is None else OLD_SHARE * old + (1 - OLD_SHARE) * new


PACES = {"fast": 0, "balanced": 5, "thrifty": 2}
"""Patience by pace: a link stays queued while a link worth more than this many times as much waits for a busy host. 0: never (promise 15).
"""

LONGEST_WAIT = 30.0
"""Seconds; the crawl does not wait for a host that rests longer."""


def patience_of(pace: str, link_policy: str, max_pages: int | None) -> int:
    """The patience (see PACES) of a pace; ``auto`` is thrifty when the number of pages is limited, else balanced.

    It is 0 for link policies whose scores only order links: a ratio of two such scores means nothing.
    """
    if link_policy not in RELEVANCE_POLICIES:
        return 0
    return PACES["thrifty" if max_pages else "balanced"] if pace == "auto" else PACES[pace]


class FrontierOptions(TypedDict, total=False):
    """The options that every frontier takes; see Rules."""

    max_pages: int | None
    pages_per_host: int | None
    attempts: int
    server_policy: str
    seed: int
    patience: int
    least_score: float


@dataclass(frozen=True, slots=True)
class Rules:
    """``max_pages`` and ``pages_per_host``: None means no limit. ``attempts``: how often a URL is tried.

    ``server_policy`` ranks hosts (see SERVER_RANKS). ``seed``: key of the hash that orders equals. ``patience``: see PACES.
    ``least_score``: a URL with a lower score is not granted (promise 16).
    """

    max_pages: int | None = None
    pages_per_host: int | None = None
    attempts: int = 3
    server_policy: str = "quality"
    seed: int = 0
    patience: int = 0
    least_score: float = -math.inf

    def __post_init__(self) -> None:
        if self.server_policy not in SERVER_RANKS:
            raise ConfigError(setting_name("server_policy"), self.server_policy, ", ".join(SERVER_RANKS))
        if self.attempts < 1:
            raise ConfigError(setting_name("attempts"), self.attempts, "1 or more")

    @property
    def least(self) -> int:
        """``least_score`` in millionths."""
        return to_micros(self.least_score)

    @property
    def is_patient(self) -> bool:
        """Whether ``acquire`` waits for busy hosts (promise 15). Other server policies aim at speed and grant what is available."""
        return self.patience > 0 and self.server_policy == "quality"

    def is_outbid(self, micros: int, waiting: float) -> bool:
        """Whether a link with score ``micros`` is held back for the best link that is waited for, ``waiting``; both in millionths."""
        return waiting > 0 and self.patience * micros < waiting

    def url_tie(self, fingerprint: int) -> int:
        """The tie-breaker among URLs of one host with equal scores; the lower goes first."""
        return splitmix64(fingerprint, self.seed)

    def host_tie(self, host: str) -> int:
        """The tie-breaker among hosts of equal rank; the lower goes first."""
        return host_tie(host, self.seed)

    def room(self, pages: int, leased: int, wanted: int) -> int:
        """How many more URLs may be granted, at most ``wanted`` (promise 5)."""
        return wanted if self.max_pages is None else max(0, min(wanted, self.max_pages - pages - leased))

    def host_room(self, host_pages: int, wanted: int) -> int:
        """How many URLs a host that is not leased may give, at most ``wanted`` (promise 12)."""
        return wanted if self.pages_per_host is None else max(0, min(wanted, self.pages_per_host - host_pages))


def rest_of(asked_seconds: float, delay_seconds: float) -> float:
    """Seconds that a host rests after a fetch that asked for ``asked_seconds``; 0 for none. ``delay_seconds`` is the minimum."""
    asked = asked_seconds if math.isfinite(asked_seconds) and asked_seconds > 0 else 0.0
    return max(asked, delay_seconds)


LOW_SCORE = "low_score"
_FINAL = frozenset({"empty", "max_pages", "pages_per_host", "blocked", LOW_SCORE})


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of the frontier after an acquire.

    ``room``: how many URLs may still be granted. ``is_ready_left``: at least one more host could be leased now. ``rest_ends_in``: seconds
    until the first unleased host with URLs has rested; None if there is none. ``lease_ends_in``: seconds until the first lease ends, if
    leased hosts have more URLs queued; else None. ``is_blocked_left``: a blocked host has URLs that are not leased; may be False while
    anything else is left. ``is_patient``: hosts that could be leased are not, because something better is waited for (promise 15); then
    nothing counts as ready. ``is_low_left``: a host that could be leased has no URL worth ``least_score``. The other fields ignore such
    URLs; this one may be False while another field applies.
    """

    queued: int
    leased: int
    room: int
    is_ready_left: bool
    rest_ends_in: float | None
    lease_ends_in: float | None
    is_blocked_left: bool = False
    is_patient: bool = False
    is_low_left: bool = False


def grant_of(leases: list[Lease], standing: Standing) -> Grant:
    """Build the Grant for these leases."""
    reason = "" if leases else _reason(standing)
    exhausted = reason in _FINAL and standing.leased == 0
    return Grant(tuple(leases), _wait_seconds(standing), reason, exhausted)


def _wait_seconds(standing: Standing) -> float | None:
    if not standing.room:
        return None
    if standing.is_ready_left:
        return 0.0
    wait = standing.lease_ends_in if standing.rest_ends_in is None else standing.rest_ends_in
    return None if wait is None else max(0.0, wait)


def _reason(standing: Standing) -> str:
    if not standing.room:
        return "max_pages"
    if not standing.queued:
        return "empty"
    if standing.is_ready_left:
        return ""
    if standing.is_patient:
        return "patience"
    if standing.rest_ends_in is not None:
        return "resting"
    if standing.lease_ends_in is not None:
        return "leased"
    if standing.is_low_left:
        return LOW_SCORE
    return "blocked" if standing.is_blocked_left else "pages_per_host"
