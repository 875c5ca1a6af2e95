"""The hosts that one flush changes: reads, ranks, places and writes them."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from operator import attrgetter

from topicspider.frontier.host_ranking import (
    REQUESTS_PER_CONNECTION,
    SERVER_RANKS,
    HostView,
    Rules,
    from_micros,
    moving_average,
    requests_told,
    rest_of,
)
from topicspider.frontier.protocol import HostTiming

# States of a host: IDLE has nothing to give, READY may be leased (or is), RESTING waits for ready_at, BLOCKED may not be leased, LOW has no
# URL worth ``least_score``. SQL has these numbers as literals, because the partial indexes of the table need that.
IDLE, READY, RESTING, BLOCKED, LOW = 0, 1, 2, 3, 4
RESTED = -math.inf  # value of ready_at after a rest: a clock set back does not make the host rest again

_Values = tuple[str | int | float | None, ...]


@dataclass(slots=True)
class HostRow:
    """A row of the table hosts; ``best`` and ``next_sum`` are in millionths of a score.

    ``ahead``: the number of its URLs, leased ones included, but counted only as far as the server policy looks. So the row of a host with
    many URLs does not change with every new link, and an unchanged row is not written.
    """

    id: int
    name: str
    tie: int
    ahead: int = 0
    pages: int = 0
    connect_seconds: float | None = None
    response_seconds: float | None = None
    ready_at: float = RESTED
    rest_seconds: float = 0.0
    entered: int = 0
    best: int = 0
    next_sum: int = 0
    rank: float = 0.0
    state: int = IDLE
    delay_seconds: float = 0.0
    is_blocked: int = 0
    requests_per_connection: int | None = None

    @property
    def allowed(self) -> int:
        """RequestsPerConnection(s,i) of (c)."""
        return self.requests_per_connection or REQUESTS_PER_CONNECTION

    def learn(self, timing: HostTiming, now: float) -> None:
        """Record what a fetch showed; a shorter rest never cuts a longer one (promise 11)."""
        self.connect_seconds = moving_average(self.connect_seconds, timing.connect_seconds)
        self.response_seconds = moving_average(self.response_seconds, timing.response_seconds)
        self.requests_per_connection = requests_told(self.requests_per_connection, timing.requests_per_connection)
        self.rest(rest_of(timing.rest_seconds, self.delay_seconds), now)

    def rest(self, seconds: float, now: float) -> None:
        """Start a rest of ``seconds``, unless the present rest ends later."""
        if seconds > 0 and now + seconds > self.ready_at:
            self.ready_at, self.rest_seconds = now + seconds, seconds


_COLUMN_NAMES = tuple(field.name for field in fields(HostRow))
_COLUMNS = ", ".join(_COLUMN_NAMES)
_values: Callable[[HostRow], _Values] = attrgetter(*_COLUMN_NAMES)


class TouchedHosts:
    """The hosts that one flush changes. ``known``: how many hosts the file has."""

    def __init__(self, database: sqlite3.Connection, rules: Rules, known: int) -> None:
        self.known = known
        self._database = database
        self._rules = rules
        self._hosts: dict[str, HostRow] = {}
        self._loaded: dict[str, _Values] = {}  # the rows as they are in the file
        self._looks_ahead = rules.server_policy in ("performance", "capacity")

    def __getitem__(self, name: str) -> HostRow:
        return self._hosts[name]

    def load_names(self, names: Iterable[str]) -> None:
        """Read hosts by name; create those that are not in the file."""
        wanted = set(names)
        self.load("name", wanted)
        for name in sorted(wanted - self._hosts.keys()):
            self.known += 1
            self._hosts[name] = HostRow(self.known, name, self._rules.host_tie(name))

    def load(self, column: str, keys: Iterable[str | int]) -> None:
        """Read hosts that are in the file; ``column``: "name" or "id"."""
        wanted = list(keys)
        if not wanted:
            return
        query = f"SELECT {_COLUMNS} FROM hosts WHERE {column} IN (SELECT value FROM json_each(?))"  # noqa: S608
        for row in self._database.execute(query, (json.dumps(wanted),)):
            self._remember(row)

    def load_after(self, last_id: int, limit: int) -> int:
        """Read the next hosts by ID and compute their tie-breakers anew; returns the last ID, 0 when there are no more."""
        query = f"SELECT {_COLUMNS} FROM hosts WHERE id > ? ORDER BY id LIMIT ?"  # noqa: S608
        for row in self._database.execute(query, (last_id, limit)).fetchall():
            host = self._remember(row)
            host.tie = self._rules.host_tie(host.name)
            last_id = host.id
        return last_id if self._hosts else 0

    def save(self, now: float) -> None:
        """Look at the hosts' URLs, rank and place the hosts, and write the rows that differ from the file."""
        for host in self._hosts.values():
            self._read_urls(host)
            self._place(host, now)
        rows = [(host.name, _values(host)) for host in self._hosts.values()]
        new = [row for name, row in rows if name not in self._loaded]
        changed = [(*row[2:], row[0]) for name, row in rows if name in self._loaded and row != self._loaded[name]]
        self._database.executemany(f"INSERT INTO hosts ({_COLUMNS}) VALUES ({', '.join('?' * 17)})", new)  # noqa: S608
        settings = ", ".join(f"{name} = ?" for name in _COLUMN_NAMES[2:])
        self._database.executemany(f"UPDATE hosts SET {settings} WHERE id = ?", changed)  # noqa: S608

    def _remember(self, row: _Values) -> HostRow:
        name = str(row[1])
        if name not in self._hosts:
            self._hosts[name] = HostRow(*row)  # type: ignore[arg-type]
            self._loaded[name] = row
        return self._hosts[name]

    def _read_urls(self, host: HostRow) -> None:
        looks_at = host.allowed if self._looks_ahead else 1  # as far as the server policy looks
        query = "SELECT micros FROM urls WHERE host = ? ORDER BY micros DESC LIMIT ?"
        best = [micros for (micros,) in self._database.execute(query, (host.id, looks_at))]
        host.ahead, host.next_sum = len(best), sum(best)
        host.best = best[0] if best else 0

    def _place(self, host: HostRow, now: float) -> None:
        if not host.ahead or not self._rules.host_room(host.pages, 1):
            host.state = IDLE
            return
        best, next_sum = from_micros(host.best), from_micros(host.next_sum)
        times = (host.connect_seconds, host.response_seconds)
        view = HostView(host.ahead, best, next_sum, host.entered, *times, host.allowed)
        host.rank = SERVER_RANKS[self._rules.server_policy](view)
        if host.is_blocked:
            host.state = BLOCKED
        elif host.best < self._rules.least:
            host.state = LOW
        elif host.ready_at > now:
            host.state = RESTING
        else:
            host.state, host.ready_at = READY, RESTED
