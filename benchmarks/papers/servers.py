"""A crawl of many servers by the two-level scheduler of (c) Cao, in virtual time.

A URL queue a server, a queue of servers, a constant number of connections. When a connection closes, the
best-ranked server without one is connected and gives its next URLs over that connection: a task, planned
when it begins and never pre-empted, of P = min(requests per connection, URLs queued) pages. A page's links
are known when the page is there. The servers are ranked by ``SERVER_RANKS`` of the crawl itself.
"""

from __future__ import annotations

import heapq
from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass, field

from topicspider.frontier.host_ranking import (
    REQUESTS_PER_CONNECTION,
    SERVER_RANKS,
    HostView,
    moving_average,
    splitmix64,
)

BEST_FIRST = frozenset({"quality", "capacity"})
"""Policies that order a server's URLs by quality; under the others they are first in, first out, (c)."""


@dataclass(frozen=True, slots=True)
class Server:
    """``connect_seconds``: to open a connection, and again to close it; it closes after so many requests."""

    connect_seconds: float
    requests_per_connection: int


@dataclass(frozen=True, slots=True)
class ServedWeb:
    """Pages 0 … n-1: where each lies, what it costs, what it is worth, what it links to; known at first: ``start``.

    ``warm_seconds`` is a page's response time over a connection in use, ``cold_seconds`` over a new one.
    """

    servers: Sequence[Server]
    server_of: Sequence[int]
    warm_seconds: Sequence[float]
    cold_seconds: Sequence[float]
    quality: Sequence[float]
    links: Sequence[Sequence[int]]
    start: int


Downloads = list[tuple[int, float]]
"""Each page with the virtual second, from the crawl's start, at which it was there; in this order."""


def crawl(web: ServedWeb, policy: str, *, connections: int = 64, keep_alive: bool = True, seed: int = 0) -> Downloads:
    """Fetch all that can be reached; ``keep_alive`` False is HTTP/1.0: a connection for every page.

    The crawler learns as it goes: connection and response times by moving averages, and after the first
    answer the requests a connection allows (servers say so in a header); until then the rules' first values.
    Servers of equal rank go in an order drawn by ``seed``.
    """
    return _Crawl(web, policy, connections, keep_alive, seed).run()


@dataclass(slots=True)
class _State:
    """What the crawler knows of a server; ``queue`` holds (key, page), smallest key first."""

    requests_per_connection: int
    queue: list[tuple[tuple[float, int], int]] = field(default_factory=list)
    entered: int = 0
    version: int = 0
    connect_seconds: float | None = None
    response_seconds: float | None = None
    task: _Task | None = None


@dataclass(slots=True)
class _Task:
    """An open connection: ``done`` pages of the planned ones are there, ``begun`` is when the next was asked for."""

    number: int
    planned: list[tuple[tuple[float, int], int]]
    begun: float
    done: int = 0


class _Crawl:
    """The event loop: an event is a page that arrives, or a connection that is closed at last."""

    def __init__(self, web: ServedWeb, policy: str, connections: int, keep_alive: bool, seed: int) -> None:
        self._web, self._free, self._keep_alive = web, connections, keep_alive
        self._rank, self._best_first = SERVER_RANKS[policy], policy in BEST_FIRST
        first = REQUESTS_PER_CONNECTION if keep_alive else 1
        self._servers = [_State(first) for _ in web.servers]
        self._ties = [splitmix64(server, seed) for server in range(len(web.servers))]
        self._ranked: list[tuple[float, int, int, int]] = []  # (-rank, tie, server, version): old versions are skipped
        self._changed: set[int] = set()
        self._events: list[tuple[float, int, int]] = []  # (seconds, connection, server)
        self._found = bytearray(len(web.server_of))
        self._discovered = self._opened = self._entries = 0
        self._downloads: Downloads = []

    def run(self) -> Downloads:
        self._discover((self._web.start,))
        self._connect(0.0)
        while self._events:
            now, _, server = heapq.heappop(self._events)
            state = self._servers[server]
            assert state.task is not None
            if state.task.done < self._pages(server, state.task):
                self._page_arrived(server, state.task, now)
            else:
                self._closed(server, state.task)
            self._connect(now)
        return self._downloads

    def _discover(self, pages: Sequence[int]) -> None:
        found, server_of, quality = self._found, self._web.server_of, self._web.quality
        for page in pages:
            if not found[page]:
                found[page] = 1
                self._discovered += 1
                key = (-quality[page] if self._best_first else 0.0, self._discovered)
                self._queue(server_of[page], (key, page))

    def _queue(self, server: int, entry: tuple[tuple[float, int], int]) -> None:
        state = self._servers[server]
        if not state.queue and state.task is None:
            self._enter(state)
        insort(state.queue, entry)
        self._changed.add(server)

    def _enter(self, state: _State) -> None:
        self._entries += 1
        state.entered = self._entries

    def _connect(self, now: float) -> None:
        """Give every free connection to the best-ranked server that has none."""
        if not self._free:
            return
        for server in self._changed:
            self._place(server)
        self._changed.clear()
        while self._free and self._ranked:
            _, _, server, version = heapq.heappop(self._ranked)
            if version == self._servers[server].version:
                self._open(server, now)

    def _place(self, server: int) -> None:
        state = self._servers[server]
        if state.task is None and state.queue:
            state.version += 1
            rank = self._rank(self._view(state))
            heapq.heappush(self._ranked, (-rank, self._ties[server], server, state.version))

    def _view(self, state: _State) -> HostView:
        quality = self._web.quality
        ahead = [quality[page] for _, page in state.queue[: state.requests_per_connection]]
        return HostView(
            queued=len(state.queue),
            best=max(ahead),
            next_sum=sum(ahead),
            entered=state.entered,
            connect_seconds=state.connect_seconds,
            response_seconds=state.response_seconds,
            requests_per_connection=state.requests_per_connection,
        )

    def _open(self, server: int, now: float) -> None:
        state, connect_seconds = self._servers[server], self._web.servers[server].connect_seconds
        pages = min(state.requests_per_connection, len(state.queue))
        planned, state.queue = state.queue[:pages], state.queue[pages:]
        state.version += 1
        state.connect_seconds = moving_average(state.connect_seconds, connect_seconds)
        state.task = _Task(self._opened, planned, now + connect_seconds)
        self._opened += 1
        self._free -= 1
        self._ask(server, state.task)

    def _ask(self, server: int, task: _Task) -> None:
        seconds = self._web.warm_seconds if task.done else self._web.cold_seconds
        page = task.planned[task.done][1]
        heapq.heappush(self._events, (task.begun + seconds[page], task.number, server))

    def _pages(self, server: int, task: _Task) -> int:
        """How many of the planned pages the server gives over this connection."""
        return min(len(task.planned), self._allowed(server))

    def _allowed(self, server: int) -> int:
        return self._web.servers[server].requests_per_connection if self._keep_alive else 1

    def _page_arrived(self, server: int, task: _Task, now: float) -> None:
        state, page = self._servers[server], task.planned[task.done][1]
        self._downloads.append((page, now))
        state.response_seconds = moving_average(state.response_seconds, now - task.begun)
        state.requests_per_connection = self._allowed(server)
        task.done += 1
        task.begun = now
        self._discover(self._web.links[page])
        if task.done < self._pages(server, task):
            self._ask(server, task)
        else:
            closed = now + self._web.servers[server].connect_seconds
            heapq.heappush(self._events, (closed, task.number, server))

    def _closed(self, server: int, task: _Task) -> None:
        state = self._servers[server]
        for entry in task.planned[task.done :]:
            insort(state.queue, entry)
        state.task = None
        self._free += 1
        if state.queue:
            self._enter(state)
            self._changed.add(server)
