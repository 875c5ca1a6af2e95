"""The rules by which every frontier decides: options, limits, and what acquire says beside its leases."""

from __future__ import annotations

import math
from dataclasses import dataclass

from topicspider.defaults import setting_name
from topicspider.errors import ConfigError
from topicspider.frontier import ordering
from topicspider.frontier.policies import SERVER_RANKS, HostView
from topicspider.frontier.protocol import Grant, Lease


@dataclass(frozen=True, slots=True)
class Rules:
    """``max_pages`` and ``pages_per_host``: None is no limit. ``attempts``: how often a URL is tried.

    ``server_policy`` ranks hosts (see policies.py). ``exploration``: the share of leases that go to a
    host drawn at random among the ready ones. ``seed`` orders what is equal and draws what is drawn.
    """

    max_pages: int | None = None
    pages_per_host: int | None = None
    attempts: int = 3
    server_policy: str = "quality"
    seed: int = 0
    exploration: float = 0.0

    def __post_init__(self) -> None:
        if self.server_policy not in SERVER_RANKS:
            raise ConfigError(setting_name("server_policy"), self.server_policy, ", ".join(SERVER_RANKS))
        if self.attempts < 1:
            raise ConfigError(setting_name("attempts"), self.attempts, "1 or more")
        if not 0 <= self.exploration <= 1:
            raise ConfigError("exploration", self.exploration, "0 to 1")

    def rank(self, host: HostView) -> float:
        """The host's place among hosts by the server policy; higher is sooner."""
        return SERVER_RANKS[self.server_policy](host)

    def url_tie(self, fingerprint: int) -> int:
        """The place of a URL among its host's URLs of equal score: lower is sooner."""
        return ordering.splitmix64(fingerprint, self.seed)

    def host_tie(self, host: str) -> int:
        """The place of a host among hosts of equal rank: lower is sooner."""
        return ordering.host_tie(host, self.seed)

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


_FINAL = frozenset({"empty", "max_pages", "pages_per_host", "blocked"})


@dataclass(frozen=True, slots=True)
class Standing:
    """How things stand after an acquire.

    ``room``: URLs that may still be granted. ``is_ready_left``: one more host could be leased now.
    ``rest_ends_in``: seconds till the first unleased host with URLs has rested; None: there is none.
    ``lease_ends_in``: seconds till the first lease ends, when leased hosts have more queued; else None.
    ``is_blocked_left``: a blocked host has more queued than is leased; it may be False while anything else is left.
    """

    queued: int
    leased: int
    room: int
    is_ready_left: bool
    rest_ends_in: float | None
    lease_ends_in: float | None
    is_blocked_left: bool = False


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
    if standing.rest_ends_in is not None:
        return "resting"
    if standing.lease_ends_in is not None:
        return "leased"
    return "blocked" if standing.is_blocked_left else "pages_per_host"
