"""SqliteFrontier: the frontier of one process, in a file that outlives the process, or in memory."""

from __future__ import annotations

import heapq
import json
import math
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Unpack

from topicspider.frontier.host_ranking import (
    LONGEST_WAIT,
    FrontierOptions,
    Rules,
    Standing,
    clean_text,
    from_micros,
    grant_of,
    to_micros,
)
from topicspider.frontier.inspection import OWN_FACTS, LeaseState, Record
from topicspider.frontier.leases import Leases
from topicspider.frontier.protocol import Counts, Entry, Grant, Lease, Work
from topicspider.frontier.sqlite.file import FrontierFile
from topicspider.frontier.sqlite.flush import Flush, Steering, Totals, known_ids
from topicspider.frontier.sqlite.hosts import RESTED, TouchedHosts

_ENTRY_COLUMNS = "url, fingerprint, micros, depth, referrer, payload, attempts, model"
_RULES_KEY = f"{OWN_FACTS}rules"
_RULES_THAT_PLACE = ("server_policy", "seed", "pages_per_host", "least_score")
_LEASED_HOST = "SELECT id, pages, rest_seconds, is_blocked FROM hosts WHERE name = ?"
_BEST_URLS = "SELECT micros, fingerprint FROM urls WHERE host = ? ORDER BY micros DESC, tie LIMIT ?"


class _ReadyHost(NamedTuple):
    """A host that may be leased now. ``best``: the score of its best URL, in millionths."""

    id: int
    name: str
    pages: int
    best: int
    requests_per_connection: int | None


class _LeasedHost(NamedTuple):
    """``best``: the score, in millionths, of its best URL that is not leased; -inf for none."""

    pages: int
    rest_seconds: float
    is_blocked: int
    leased: int
    best: float


class SqliteFrontier:
    """See Frontier for the promises; without a path all is in memory, and lasts as long as the object.

    The constructor raises CrawlRunning when another process has ``path`` open. It and every call raise FrontierUnavailable when the file
    cannot be used. Leases are kept in memory: URLs that a dead process had leased are still queued in the file (promise 9).
    """

    def __init__(
        self, path: Path | None = None, *, clock: Callable[[], float] = time.time, **options: Unpack[FrontierOptions]
    ) -> None:
        self._rules = Rules(**options)
        self._clock = clock
        self._last_now = clock()
        self._file = FrontierFile(path)
        self._leases = Leases()
        try:
            self._open()
        except BaseException:
            self._file.close()
            raise

    def acquire(self, node: str, hosts: int, urls_per_host: int, lease_seconds: float) -> Grant:
        now = self._now()
        self._leases.expire(now)
        self._wake(now)
        leases: list[Lease] = []
        is_patient = False
        try:
            with self._file.reading() as database:
                totals = Totals.read(database)
                ready = self._ready_hosts(database, hosts)
                resting = self._best_resting(database, now)
                while len(leases) < hosts:
                    count = self._rules.room(totals.pages, self._leases.url_count, urls_per_host)
                    host = self._next_host(ready) if count > 0 else None
                    if host is None:
                        break
                    if is_patient := self._rules.is_outbid(host.best, max(resting, self._best_of_leased(database))):
                        break
                    most = self._rules.host_room(host.pages, min(count, host.requests_per_connection or count))
                    entries = self._best_entries(database, host.id, host.name, most)
                    entries = [one for one in entries if to_micros(one.score) >= self._rules.least]
                    leases.append(self._leases.grant(host.name, node, entries, now + lease_seconds, lease_seconds))
                left = [] if is_patient else ready
                return grant_of(leases, self._standing(database, totals, left, now, is_patient=is_patient))
        except BaseException:
            self._leases.revoke(leases)
            raise

    def renew(self, node: str, lease_seconds: float) -> None:
        self._leases.renew(node, self._now(), lease_seconds)

    def apply(self, work: Work) -> int:
        accepted = self._leases.accepted(work.completions)
        now = self._now()
        with self._file.transaction() as database:
            new = Flush(database, self._rules, now).run(work, accepted)
        for completion, _ in accepted:
            self._leases.finish(completion)
        return new

    def known(self, fingerprints: Sequence[int]) -> set[int]:
        with self._file.reading() as database:
            return set(known_ids(database, fingerprints))

    def counts(self) -> Counts:
        leased = self._leases.url_count
        with self._file.reading() as database:
            totals = Totals.read(database)
        return Counts(totals.waiting - leased, leased, totals.done, totals.dead, totals.pages, totals.hosts)

    def peek(self, limit: int = 20) -> list[Entry]:
        # Each of the ``limit`` best URLs is on one of the ``limit`` hosts with the best first URLs; leased hosts come on top of that.
        query = "SELECT id, name FROM hosts WHERE ahead > 0 ORDER BY best DESC LIMIT ?"
        with self._file.reading() as database:
            found: list[Entry] = []
            for host_id, name in database.execute(query, (limit + len(self._leases),)).fetchall():
                held = self._leases.hosts.get(name)
                entries = self._best_entries(database, host_id, name, limit + (len(held.entries) if held else 0))
                found += [entry for entry in entries if not self._leases.is_leased(name, entry.fingerprint)]
        return heapq.nlargest(limit, found, key=lambda entry: entry.score)

    def meta(self, key: str) -> str:
        with self._file.reading() as database:
            row = database.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return "" if row is None else str(row[0])

    def set_meta(self, key: str, value: str) -> None:
        with self._file.transaction() as database:
            database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, clean_text(value)))

    def take_in(self, records: Sequence[Record]) -> int:
        """Add ``records``, as one transaction; returns how many URLs were new (see Inspection)."""
        now = self._now()
        with self._file.transaction() as database:
            return Steering(database, self._rules, now).take_in(records)

    def leases(self) -> list[LeaseState]:
        """The leases (see Inspection)."""
        now = self._now()
        return [
            LeaseState(host, held.node, max(0.0, held.until - now), tuple(one.url for one in held.entries.values()))
            for host, held in self._leases.hosts.items()
        ]

    def change_limits(self, max_pages: int | None, patience: int) -> None:
        """Change these rules from the next ``acquire`` on. The places of hosts and URLs do not depend on them."""
        self._rules = replace(self._rules, max_pages=max_pages, patience=patience)

    def clear(self) -> None:
        with self._file.transaction() as database:
            self._file.clear(database)
            self._save_rules(database)
        self._leases.clear()

    def close(self) -> None:
        self._file.close()

    def _open(self) -> None:
        with self._file.transaction() as database:
            database.execute("UPDATE totals SET openings = openings + 1")
            (openings,) = database.execute("SELECT openings FROM totals").fetchone()
            self._leases = Leases(next_token=(openings << 32) + 1)
            self._shorten_rests(database, self._last_now)
            self._follow_changed_rules(database)

    def _follow_changed_rules(self, database: sqlite3.Connection) -> None:
        """Rank and place all hosts and URLs again if the rules have changed since the last run."""
        if _rules_text(rules_in(database)) == _rules_text(self._rules):
            return
        self._save_rules(database)
        database.create_function("tie_of", 1, self._rules.url_tie, deterministic=True)
        database.execute("UPDATE urls SET tie = tie_of(fingerprint) WHERE tie <> tie_of(fingerprint)")
        last, is_more = 0, True
        while is_more:
            hosts = TouchedHosts(database, self._rules, 0)
            last = hosts.load_after(last, 500)
            hosts.save(self._last_now)
            is_more = last > 0

    def _save_rules(self, database: sqlite3.Connection) -> None:
        database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_RULES_KEY, _rules_text(self._rules)))

    def _now(self) -> float:
        now = self._clock()
        if now < self._last_now:
            self._leases.clock_went_back(now)
            with self._file.transaction() as database:
                self._shorten_rests(database, now)
        self._last_now = now
        return now

    def _shorten_rests(self, database: sqlite3.Connection, now: float) -> None:
        """Let no rest last longer than it was given for: the clock may have been set back since it began."""
        database.execute("UPDATE hosts SET ready_at = ? + rest_seconds WHERE ready_at > ? + rest_seconds", (now, now))
        self._end_rests(database, now)

    def _wake(self, now: float) -> None:
        with self._file.reading() as database:
            row = database.execute("SELECT ready_at FROM hosts WHERE state = 2 ORDER BY ready_at LIMIT 1").fetchone()
        if row is not None and row[0] <= now:
            with self._file.transaction() as database:
                self._end_rests(database, now)

    def _end_rests(self, database: sqlite3.Connection, now: float) -> None:
        database.execute("UPDATE hosts SET state = 1, ready_at = ? WHERE state = 2 AND ready_at <= ?", (RESTED, now))

    def _ready_hosts(self, database: sqlite3.Connection, hosts: int) -> list[_ReadyHost]:
        """The best ready hosts, enough that ``hosts`` of them and one more are not leased, if there are so many."""
        query = "SELECT id, name, pages, best, requests_per_connection FROM hosts WHERE state = 1 ORDER BY rank DESC, tie LIMIT ?"
        return list(map(_ReadyHost._make, database.execute(query, (len(self._leases) + hosts + 1,))))

    def _next_host(self, ready: Sequence[_ReadyHost]) -> _ReadyHost | None:
        return next((host for host in ready if host.name not in self._leases), None)

    def _best_resting(self, database: sqlite3.Connection, now: float) -> float:
        """The best score, in millionths, on a resting host that is waited for; -inf for none (promise 15)."""
        if not self._rules.is_patient:
            return -math.inf
        query = "SELECT name, best FROM hosts WHERE state = 2 AND ready_at <= ? ORDER BY best DESC LIMIT ?"
        rows = database.execute(query, (now + LONGEST_WAIT, len(self._leases) + 1))
        return next((best for name, best in rows if name not in self._leases), -math.inf)

    def _best_of_leased(self, database: sqlite3.Connection) -> float:
        """The best unleased score, in millionths, on a leased host that is waited for; -inf for none (promise 15)."""
        if not self._rules.is_patient:
            return -math.inf
        waited_for = (
            one.best
            for one in self._leased_hosts(database)
            if not one.is_blocked
            and one.rest_seconds <= LONGEST_WAIT
            and self._rules.host_room(one.pages + one.leased, 1)
        )
        return max(waited_for, default=-math.inf)

    def _leased_hosts(self, database: sqlite3.Connection) -> Iterator[_LeasedHost]:
        for name, held in self._leases.hosts.items():
            if host := database.execute(_LEASED_HOST, (name,)).fetchone():
                host_id, pages, rest_seconds, is_blocked = host
                rows = database.execute(_BEST_URLS, (host_id, len(held.entries) + 1))
                best = next((micros for micros, fingerprint in rows if fingerprint not in held.entries), -math.inf)
                yield _LeasedHost(pages, rest_seconds, is_blocked, len(held.entries), best)

    def _best_entries(self, database: sqlite3.Connection, host_id: int, host: str, count: int) -> list[Entry]:
        query = f"SELECT {_ENTRY_COLUMNS} FROM urls WHERE host = ? ORDER BY micros DESC, tie LIMIT ?"  # noqa: S608
        return [
            Entry(url, fingerprint, host, from_micros(micros), *rest)
            for url, fingerprint, micros, *rest in database.execute(query, (host_id, count))
        ]

    def _standing(
        self, database: sqlite3.Connection, totals: Totals, ready: Sequence[_ReadyHost], now: float, *, is_patient: bool
    ) -> Standing:
        leased, least = self._leases.url_count, self._rules.least
        is_ready_left = self._next_host(ready) is not None
        rest_ends_in = None if is_ready_left else self._rest_ends_in(database, now)
        is_stuck = not is_ready_left and rest_ends_in is None
        is_lease_in_the_way = is_stuck and any(
            one.best >= least and not one.is_blocked for one in self._leased_hosts(database)
        )
        is_stuck &= not is_lease_in_the_way
        return Standing(
            queued=totals.waiting - leased,
            leased=leased,
            room=self._rules.room(totals.pages, leased, 1),
            is_ready_left=is_ready_left,
            rest_ends_in=rest_ends_in,
            lease_ends_in=self._leases.first_end - now if is_lease_in_the_way else None,
            is_blocked_left=is_stuck and self._is_blocked_left(database),
            is_low_left=is_stuck and self._is_low_left(database),
            is_patient=is_patient,
        )

    def _rest_ends_in(self, database: sqlite3.Connection, now: float) -> float | None:
        query = "SELECT name, ready_at FROM hosts WHERE state = 2 ORDER BY ready_at LIMIT ?"
        rows = database.execute(query, (len(self._leases) + 1,))
        return next((ready_at - now for name, ready_at in rows if name not in self._leases), None)

    def _is_blocked_left(self, database: sqlite3.Connection) -> bool:
        """Whether a blocked host has URLs that are not leased."""
        least = self._rules.least
        query = "SELECT name FROM hosts WHERE state = 3 AND best >= ? LIMIT ?"
        names = database.execute(query, (least, len(self._leases) + 1))
        return any(name not in self._leases for (name,) in names) or any(
            one.best >= least and one.is_blocked and self._rules.host_room(one.pages, 1)
            for one in self._leased_hosts(database)
        )

    def _is_low_left(self, database: sqlite3.Connection) -> bool:
        """Whether a host that may be leased has no URL worth ``least_score``."""
        if self._rules.least_score == -math.inf:
            return False
        rows = database.execute("SELECT name FROM hosts WHERE state = 4 LIMIT ?", (len(self._leases) + 1,))
        return any(name not in self._leases for (name,) in rows)


def rules_in(database: sqlite3.Connection) -> Rules:
    """The rules of the last run, under which the hosts and URLs in the file were placed."""
    row = database.execute("SELECT value FROM meta WHERE key = ?", (_RULES_KEY,)).fetchone()
    told = json.loads(row[0]) if row else ()
    return Rules(**dict(zip(_RULES_THAT_PLACE, told, strict=False)))


def _rules_text(rules: Rules) -> str:
    return json.dumps([getattr(rules, name) for name in _RULES_THAT_PLACE])
