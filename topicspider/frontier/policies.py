"""The server policies of (c) Cao: which host is asked next, as pure functions of what is known of a host.

Symbols of the paper: P(s,i) pages taken over one connection, T(s,i) the seconds they take, R = P/T the
speed, C = (sum of the next P URLs' quality)/T. Every policy gives a number; the host with the highest
goes first. Policies rank only: whether a host may be asked at all is politeness, decided before.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

REQUESTS_PER_CONNECTION = 50
"""(c): the first value, used for a host as long as nothing tells how many it allows."""

MOST_REQUESTS = 100
"""What a host allows beyond is not looked at; (c): 66 % of the servers allow 100."""

RESERVE = 1.2
"""(c)'s reserve parameter p for servers that keep a connection open (HTTP/1.1).

The paper's formula is a picture in our copy. We put p on the transfer of the pages:
T = 2·ConnectionTime + p·P·ResponseTime. On all of T it would be the same factor for every host and
change no order, so it would mean nothing; the connection is opened once and was measured; what needs a
reserve is the long part that is only expected: P further pages over one connection, which the server
may slow down or close. A host known to give one page a connection keeps none open: no reserve.
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

    ``queued`` URLs wait; ``best`` is the highest score among them; ``next_sum`` is the sum of the scores
    of the next ``pages``; ``entered`` is when the host came (back) into the queue of
    servers, in flushes counted from the start of the crawl; times are moving averages in seconds;
    ``requests_per_connection`` (1 or more) is how many pages the host gives over one connection.
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
        """P(s,i) of this host, (c)."""
        return pages_ahead(self.queued, self.requests_per_connection)


def pages_ahead(queued: int, requests_per_connection: int = REQUESTS_PER_CONNECTION) -> int:
    """P(s,i) = min(RequestsPerConnection(s,i), TaskURLs(s,i)), (c)."""
    return min(requests_per_connection, queued)


def task_seconds(host: HostView) -> float:
    """T(s,i) = 2·ConnectionTime + p·P·ResponseTime, (c); unknown times are the prior's."""
    connect = PRIOR_CONNECT_SECONDS if host.connect_seconds is None else host.connect_seconds
    response = PRIOR_RESPONSE_SECONDS if host.response_seconds is None else host.response_seconds
    reserve = RESERVE if host.requests_per_connection > 1 else 1.0
    return max(SHORTEST_TASK_SECONDS, 2 * connect + reserve * host.pages * response)


def breadth_first(host: HostView) -> float:
    """First come, first served: a host that was served goes to the end, (c)."""
    return -float(host.entered)


def performance(host: HostView) -> float:
    """R(s,i) = P(s,i)/T(s,i): pages a second, (c)."""
    return host.pages / task_seconds(host)


def quality(host: HostView) -> float:
    """The best URL's score, (c)."""
    return host.best


def capacity(host: HostView) -> float:
    """C(s,i) = sum of the next P URLs' scores / T(s,i): quality a second, (c)."""
    return host.next_sum / task_seconds(host)


SERVER_RANKS: dict[str, Callable[[HostView], float]] = {
    "bfs": breadth_first,
    "performance": performance,
    "quality": quality,
    "capacity": capacity,
}


def requests_told(old: int | None, new: int | None) -> int | None:
    """RequestsPerConnection(s,i): as the host's last answer told; one that tells nothing changes nothing."""
    return old if new is None or new < 1 else min(new, MOST_REQUESTS)


def moving_average(old: float | None, new: float | None) -> float | None:
    """0.8 old + 0.2 new, (c); the first measurement stands for itself, a senseless one changes nothing."""
    if new is None or not math.isfinite(new) or new < 0:
        return old
    return new if old is None else OLD_SHARE * old + (1 - OLD_SHARE) * new
