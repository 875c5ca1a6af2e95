"""Which host and which URL come next: order, the server policies of (c) Cao as pure functions of what is known of a host, and the rules of a lease.

Symbols of the paper: P(s,i) pages taken over one connection, T(s,i) the seconds they take, R = P/T the
speed, C = (sum of the next P URLs' quality)/T. Every policy gives a number; the host with the highest
goes first. Policies rank only: whether a host may be asked at all is politeness, decided before.
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
    """``score`` in whole millionths: what scores are compared by. NaN is 0; infinities are cut to ±1e10.

    Integers, because sums of them do not depend on the order of adding (paper (c)'s capacity), and
    because 1e-6 is where two platforms' floating point still agrees.
    """
    if score != score:
        return 0
    # of ±1e10 the sum of 50, in millionths, still fits a signed 64-bit integer
    return round(max(-1e10, min(1e10, score)) * 1_000_000)


def from_micros(micros: int) -> float:
    """The score that ``to_micros`` was given, rounded to 1e-6."""
    return micros / 1_000_000


def splitmix64(number: int, seed: int) -> int:
    """A keyed permutation of the signed 64-bit integers (the finaliser of splitmix64).

    Being one-to-one it leaves no ties: two fingerprints never share a place.
    """
    z = (number + seed * 0x9E3779B97F4A7C15 + 0x9E3779B97F4A7C15) & MASK64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
    return (z ^ (z >> 31)) - SIGN64


def host_tie(host: str, seed: int) -> int:
    """The place of a host among hosts of equal rank: a keyed hash of its name, signed 64 bit."""
    digest = blake2b(host.encode("utf-8", "replace"), digest_size=8, key=seed.to_bytes(16, "big", signed=True))
    return int.from_bytes(digest.digest(), "big", signed=True)


def clean_text(text: str) -> str:
    """``text`` without lone surrogates, which no database stores: one such link must not fail a flush."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


REQUESTS_PER_CONNECTION = 50
"""(c): the first value, used for a host as long as nothing tells how many it allows."""

MOST_REQUESTS = 100
"""What a host allows beyond is not looked at; (c): 66 % of the servers allow 100."""

RESERVE = 1.2
"""(c)'s reserve parameter p for servers that keep a connection open (HTTP/1.1).

The paper's formula is a picture in our copy. We put p on the transfer of the pages, which is only expected:
T = 2·ConnectionTime + p·P·ResponseTime. On all of T it would change no order. A host that gives one page a
connection keeps none open: no reserve.
"""

OLD_SHARE = 0.8
"""(c): moving averages are 0.8 old + 0.2 new."""

PRIOR_CONNECT_SECONDS = 0.1
PRIOR_RESPONSE_SECONDS = 0.5
"""What a host never asked counts as: an ordinary host, neither favoured for being unknown nor held back."""

SHORTEST_TASK_SECONDS = 1e-3
"""T is never less: a loopback server that answers in no time would have infinite speed."""


@dataclass(frozen=True, slots=True)
class HostView:
    """What a policy may look at.

    ``queued`` URLs wait; ``best`` is the highest of their scores, ``next_sum`` the sum of the next ``pages``; ``entered``: the flush
    of the crawl in which the host came (back) into the queue of servers; times are moving averages in seconds.
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
    """T(s,i) = 2·ConnectionTime + p·P·ResponseTime, (c); unknown times are the prior's."""
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
"""By server policy, (c): first come, first served (a host that was served goes to the end); R(s,i) = P(s,i)/T(s,i), pages a second;
the best URL's score; C(s,i) = sum of the next P URLs' scores / T(s,i), quality a second."""


def requests_told(old: int | None, new: int | None) -> int | None:
    """RequestsPerConnection(s,i): as the host's last answer told; one that tells nothing changes nothing."""
    return old if new is None or new < 1 else min(new, MOST_REQUESTS)


def moving_average(old: float | None, new: float | None) -> float | None:
    """0.8 old + 0.2 new, (c); the first measurement stands for itself, a senseless one changes nothing."""
    if new is None or not math.isfinite(new) or new < 0:
        return old
    return new if old is None else OLD_SHARE * old + (1 - OLD_SHARE) * new


PACES = {"fast": 0, "balanced": 5, "thrifty": 2}
"""By pace: a link stays queued while one worth more than so many times as much waits for a busy host; 0: never (promise 15)."""

LONGEST_WAIT = 30.0
"""Seconds; a host that rests longer is not waited for."""


def patience_of(pace: str, link_policy: str, max_pages: int | None) -> int:
    """The number of a pace; ``auto`` is thrifty where pages are limited, else balanced.

    0 for link policies whose scores are no more than an order: of two of them none is twice as good.
    """
    if link_policy not in RELEVANCE_POLICIES:
        return 0
    return PACES["thrifty" if max_pages else "balanced"] if pace == "auto" else PACES[pace]


class FrontierOptions(TypedDict, total=False):
    """What every frontier takes; see Rules."""

    max_pages: int | None
    pages_per_host: int | None
    attempts: int
    server_policy: str
    seed: int
    patience: int
    least_score: float


@dataclass(frozen=True, slots=True)
class Rules:
    """``max_pages`` and ``pages_per_host``: None is no limit. ``attempts``: how often a URL is tried.

    ``server_policy`` ranks hosts (see SERVER_RANKS). ``seed`` orders what is equal. ``patience``: see PACES.
    ``least_score``: what is worth less is not granted (promise 16).
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
        """Whether hosts are waited for (promise 15). The other server policies are about speed: they give what can be had."""
        return self.patience > 0 and self.server_policy == "quality"

    def is_outbid(self, micros: int, waiting: float) -> bool:
        """Whether a link of a score is left for the best that is waited for; both in millionths."""
        return waiting > 0 and self.patience * micros < waiting

    def url_tie(self, fingerprint: int) -> int:
        """The place of a URL among its host's URLs of equal score: lower is sooner."""
        return splitmix64(fingerprint, self.seed)

    def host_tie(self, host: str) -> int:
        """The place of a host among hosts of equal rank: lower is sooner."""
        return host_tie(host, self.seed)

    def room(self, pages: int, leased: int, wanted: int) -> int:
        """How many more URLs may be granted, at most ``wanted`` (promise 5)."""
        return wanted if self.max_pages is None else max(0, min(wanted, self.max_pages - pages - leased))

    def host_room(self, host_pages: int, wanted: int) -> int:
        """How many URLs a host that is not leased may give, at most ``wanted`` (promise 12)."""
        return wanted if self.pages_per_host is None else max(0, min(wanted, self.pages_per_host - host_pages))


def rest_of(asked_seconds: float, delay_seconds: float) -> float:
    """How long a host rests after a fetch that asked for ``asked_seconds``; 0: not at all. ``delay_seconds``: the least."""
    asked = asked_seconds if math.isfinite(asked_seconds) and asked_seconds > 0 else 0.0
    return max(asked, delay_seconds)


LOW_SCORE = "low_score"
_FINAL = frozenset({"empty", "max_pages", "pages_per_host", "blocked", LOW_SCORE})


@dataclass(frozen=True, slots=True)
class Standing:
    """How things stand after an acquire.

    ``room``: URLs that may still be granted. ``is_ready_left``: one more host could be leased now.
    ``rest_ends_in``: seconds till the first unleased host with URLs has rested; None: there is none.
    ``lease_ends_in``: seconds till the first lease ends, when leased hosts have more queued; else None.
    ``is_blocked_left``: a blocked host has more queued than is leased; it may be False while anything else is left.
    ``is_patient``: what could be leased now is not, for something better is waited for (promise 15); nothing is ready then.
    ``is_low_left``: a host that could be leased has nothing that is worth ``least_score``. What is worth less does not count
    for the others; it may be False while one of them tells.
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
    """The Grant for these leases."""
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
