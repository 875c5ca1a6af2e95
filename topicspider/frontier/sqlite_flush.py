"""One flush into a SqliteFrontier: everything in a Work, inside the caller's transaction."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from topicspider.frontier.ordering import clean_text, from_micros, to_micros
from topicspider.frontier.policies import HostView, moving_average, pages_ahead
from topicspider.frontier.protocol import Completion, End, Entry, HostTiming, Work
from topicspider.frontier.rules import Rules
from topicspider.frontier.seen_set import SeenSet

IDLE, READY, RESTING = 0, 1, 2  # nothing to give; may be leased (or is); waits for ready_at
RESTED = -math.inf  # as ready_at: its rest is over, and no clock set back makes it rest again

_HOST_COLUMNS = "id, name, tie, urls, pages, connect_seconds, response_seconds, ready_at, rest_seconds, entered, best, next_sum, rank, state"


@dataclass(frozen=True, slots=True)
class Totals:
    """Counters of a whole crawl. ``waiting``: queued + leased; ``flushes``: calls of apply."""

    waiting: int = 0
    done: int = 0
    dead: int = 0
    pages: int = 0
    hosts: int = 0
    flushes: int = 0


@dataclass(slots=True)
class HostRow:
    """A row of the table hosts; ``best`` and ``next_sum`` are in millionths of a score."""

    id: int
    name: str
    tie: int
    urls: int = 0
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

    def view(self) -> HostView:
        """What server policies see of it."""
        best, next_sum = from_micros(self.best), from_micros(self.next_sum)
        return HostView(self.urls, best, next_sum, self.entered, self.connect_seconds, self.response_seconds)


class Flush:
    """Changes the database within one transaction; ``totals`` is what the counters will be after it."""

    def __init__(self, database: sqlite3.Connection, rules: Rules, totals: Totals, now: float) -> None:
        self.totals = totals
        self._database = database
        self._rules = rules
        self._now = now
        self._hosts: dict[str, HostRow] = {}
        self._new_hosts: list[HostRow] = []
        self._stale: set[str] = set()  # hosts whose best and next_sum must be read again
        self._needs_sum = rules.server_policy == "capacity"

    def run(self, work: Work, accepted: Sequence[tuple[Completion, Entry]], seen: SeenSet) -> int:
        """Do all of it; returns how many entries were new."""
        self._count(flushes=1)
        scored = _best_scores(work.entries)
        known = seen.among(self._database, list(scored))
        new = [entry for fingerprint, entry in scored.items() if fingerprint not in known]
        timings = {clean_text(name): timing for name, timing in (work.timings or {}).items()}
        self._load_by_name({entry.host for entry in new} | timings.keys() | {entry.host for _, entry in accepted})
        self._learn_timings(timings)
        self._insert(new)
        seen.add(self._database, [entry.fingerprint for entry in new])
        raised = [(fingerprint, to_micros(scored[fingerprint].score)) for fingerprint in known]
        self._promote([*raised, *((fingerprint, to_micros(score)) for fingerprint, score in work.promotions)])
        self._complete(accepted)
        self._save_hosts()
        self._save_totals()
        return len(new)

    def place_again(self, hosts: Iterable[HostRow]) -> None:
        """Rank these hosts anew: the rules have changed since they were saved."""
        self._hosts = {host.name: host for host in hosts}
        self._stale = set(self._hosts)
        self._save_hosts()

    def _count(self, **changes: int) -> None:
        self.totals = replace(
            self.totals, **{name: getattr(self.totals, name) + change for name, change in changes.items()}
        )

    def _load_by_name(self, names: Iterable[str]) -> None:
        wanted = set(names)
        self._load("name", wanted)
        for name in wanted - self._hosts.keys():
            self._count(hosts=1)
            host = HostRow(self.totals.hosts, name, self._rules.host_tie(name))
            self._hosts[name] = host
            self._new_hosts.append(host)

    def _load(self, column: str, keys: Iterable[str | int]) -> None:
        wanted = json.dumps(list(keys))
        if wanted == "[]":
            return
        query = f"SELECT {_HOST_COLUMNS} FROM hosts WHERE {column} IN (SELECT value FROM json_each(?))"  # noqa: S608
        for row in self._database.execute(query, (wanted,)):
            self._hosts.setdefault(row[1], HostRow(*row))

    def _learn_timings(self, timings: Mapping[str, HostTiming]) -> None:
        for name, timing in timings.items():
            host = self._hosts[name]
            host.connect_seconds = moving_average(host.connect_seconds, timing.connect_seconds)
            host.response_seconds = moving_average(host.response_seconds, timing.response_seconds)
            rest = timing.rest_seconds
            if math.isfinite(rest) and rest > 0 and self._now + rest > host.ready_at:
                host.ready_at, host.rest_seconds = self._now + rest, rest

    def _insert(self, entries: Sequence[Entry]) -> None:
        rows = []
        for entry in entries:
            host, micros = self._hosts[entry.host], to_micros(entry.score)
            self._note_new_url(host, micros)
            place = (
                entry.fingerprint,
                host.id,
                micros,
                self._rules.url_tie(entry.fingerprint),
                entry.depth,
                entry.attempts,
            )
            rows.append((*place, clean_text(entry.url), clean_text(entry.referrer), clean_text(entry.payload)))
        self._database.executemany("INSERT INTO urls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        self._count(waiting=len(rows))

    def _note_new_url(self, host: HostRow, micros: int) -> None:
        if not host.urls:
            host.entered, host.best, host.next_sum = self.totals.flushes, micros, 0
        host.urls += 1
        host.best = max(host.best, micros)
        if self._needs_sum:
            host.next_sum += micros
            if pages_ahead(host.urls) < host.urls:
                self._stale.add(host.name)

    def _promote(self, raised: Sequence[tuple[int, int]]) -> None:
        best: dict[int, int] = {}
        for fingerprint, micros in raised:
            best[fingerprint] = max(micros, best.get(fingerprint, micros))
        query = "SELECT fingerprint, host, micros FROM urls WHERE fingerprint IN (SELECT value FROM json_each(?))"
        rows = self._database.execute(query, (json.dumps(list(best)),)).fetchall() if best else []
        rising = {fingerprint: host for fingerprint, host, micros in rows if best[fingerprint] > micros}
        if not rising:
            return
        loaded = {host.id: host for host in self._hosts.values()}
        self._load("id", set(rising.values()) - loaded.keys())
        by_id = {host.id: host for host in self._hosts.values()}
        for fingerprint, host_id in rising.items():
            host = by_id[host_id]
            host.best = max(host.best, best[fingerprint])
            if self._needs_sum:
                self._stale.add(host.name)
        self._database.executemany("UPDATE urls SET micros = ? WHERE fingerprint = ?", [(best[f], f) for f in rising])

    def _complete(self, accepted: Sequence[tuple[Completion, Entry]]) -> None:
        for completion, entry in accepted:
            if completion.end is End.RELEASED:
                continue
            host = self._hosts[entry.host]
            host.entered = self.totals.flushes
            attempts = entry.attempts + 1
            if completion.end is End.FAILED and attempts < self._rules.attempts:
                self._database.execute(
                    "UPDATE urls SET attempts = ? WHERE fingerprint = ?", (attempts, entry.fingerprint)
                )
            else:
                self._remove(completion, entry, host, attempts)

    def _remove(self, completion: Completion, entry: Entry, host: HostRow, attempts: int) -> None:
        self._database.execute("DELETE FROM urls WHERE fingerprint = ?", (entry.fingerprint,))
        host.urls -= 1
        self._stale.add(host.name)
        if completion.end is End.FAILED:
            row = (entry.fingerprint, entry.url, clean_text(completion.reason), attempts)
            self._database.execute("INSERT INTO dead (fingerprint, url, reason, attempts) VALUES (?, ?, ?, ?)", row)
            self._count(waiting=-1, dead=1)
            return
        is_page = completion.end is End.PAGE
        host.pages += is_page
        self._count(waiting=-1, done=1, pages=int(is_page))

    def _save_hosts(self) -> None:
        for name in self._stale:
            self._read_best(self._hosts[name])
        for host in self._hosts.values():
            self._place(host)
        new = [_values(host) for host in self._new_hosts]
        self._database.executemany(f"INSERT INTO hosts ({_HOST_COLUMNS}) VALUES ({', '.join('?' * 14)})", new)  # noqa: S608
        created = {host.id for host in self._new_hosts}
        changed = [(*_values(host)[2:], host.id) for host in self._hosts.values() if host.id not in created]
        self._database.executemany(
            "UPDATE hosts SET tie = ?, urls = ?, pages = ?, connect_seconds = ?, response_seconds = ?, ready_at = ?,"
            " rest_seconds = ?, entered = ?, best = ?, next_sum = ?, rank = ?, state = ? WHERE id = ?",
            changed,
        )

    def _read_best(self, host: HostRow) -> None:
        ahead = pages_ahead(host.urls) if self._needs_sum else 1
        query = "SELECT micros FROM urls WHERE host = ? ORDER BY micros DESC LIMIT ?"
        best = [micros for (micros,) in self._database.execute(query, (host.id, ahead))]
        if best:
            host.best, host.next_sum = best[0], sum(best)

    def _place(self, host: HostRow) -> None:
        if not host.urls or not self._rules.host_room(host.pages, 1):
            host.state = IDLE
            return
        host.rank = self._rules.rank(host.view())
        host.state = RESTING if host.ready_at > self._now else READY
        if host.state == READY:
            host.ready_at = RESTED

    def _save_totals(self) -> None:
        totals = self.totals
        self._database.execute(
            "UPDATE totals SET waiting = ?, done = ?, dead = ?, pages = ?, hosts = ?, flushes = ?",
            (totals.waiting, totals.done, totals.dead, totals.pages, totals.hosts, totals.flushes),
        )


def all_hosts(database: sqlite3.Connection, after: int, limit: int) -> list[HostRow]:
    """The next ``limit`` hosts with an id above ``after``."""
    query = f"SELECT {_HOST_COLUMNS} FROM hosts WHERE id > ? ORDER BY id LIMIT ?"  # noqa: S608
    return [HostRow(*row) for row in database.execute(query, (after, limit))]


def _best_scores(entries: Sequence[Entry]) -> dict[int, Entry]:
    """Each fingerprint once: what came first, with the best score of all."""
    best: dict[int, Entry] = {}
    for entry in entries:
        first = best.get(entry.fingerprint)
        if first is None:
            best[entry.fingerprint] = entry if entry.host.isascii() else replace(entry, host=clean_text(entry.host))
        elif to_micros(entry.score) > to_micros(first.score):
            best[entry.fingerprint] = replace(first, score=entry.score)
    return best


def _values(host: HostRow) -> tuple[str | int | float | None, ...]:
    return (
        host.id, host.name, host.tie, host.urls, host.pages, host.connect_seconds, host.response_seconds,
        host.ready_at, host.rest_seconds, host.entered, host.best, host.next_sum, host.rank, host.state,
    )  # fmt: skip
