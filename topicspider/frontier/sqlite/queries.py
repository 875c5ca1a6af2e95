"""What is in a SqliteFrontier's file, by statements that change nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from topicspider.frontier.dead_letters import DeadUrl
from topicspider.frontier.host_ranking import from_micros
from topicspider.frontier.inspection import OWN_FACTS, DoneUrls, Fact, HostState, Record
from topicspider.frontier.protocol import Counts, Entry
from topicspider.frontier.sqlite.flush import DEAD_COLUMNS, dead_of

_ENTRY_COLUMNS = "url, fingerprint, (SELECT name FROM hosts WHERE hosts.id = host), micros, depth, referrer, payload, attempts, model"
_HOSTS = """
SELECT name, coalesce(held, 0), coalesce(dying, 0), pages, micros, ready_at, delay_seconds, is_blocked
FROM hosts LEFT JOIN (SELECT host, count(*) AS held, max(micros) AS micros FROM urls GROUP BY host) ON host = id
LEFT JOIN (SELECT host AS given, count(*) AS dying FROM dead GROUP BY host) ON given = name
"""

Leased = Mapping[str, int]
"""Of each leased host, how many of its URLs are leased."""


def counts(database: sqlite3.Connection, leased: Leased) -> Counts:
    """Where the URLs are."""
    row = database.execute("SELECT waiting, done, dead, pages, hosts FROM totals").fetchone()
    waiting, done, dead, pages, hosts = row
    held = sum(leased.values())
    return Counts(waiting - held, held, done, dead, pages, hosts)


def all_hosts(database: sqlite3.Connection, leased: Leased, now: float) -> Iterator[HostState]:
    """All known hosts."""
    for row in database.execute(_HOSTS):
        yield _state(row, leased, now)


def best(database: sqlite3.Connection, limit: int, leased: int) -> list[Entry]:
    """The best queued and leased URLs: enough for ``limit`` queued ones."""
    return _entries(database, "micros DESC, tie", limit + leased)


def worst(database: sqlite3.Connection, limit: int, leased: int) -> list[Entry]:
    """The worst."""
    return _entries(database, "micros, tie DESC", limit + leased)


def dead(database: sqlite3.Connection, limit: int | None) -> list[DeadUrl]:
    """What was given up, newest first."""
    query = f"SELECT {DEAD_COLUMNS} FROM dead ORDER BY id DESC LIMIT ?"  # noqa: S608
    return [dead_of(row) for row in database.execute(query, (-1 if limit is None else limit,))]


def records(database: sqlite3.Connection, now: float) -> Iterator[Record]:
    """Everything; the caller sees to it that nothing changes meanwhile."""
    yield from all_hosts(database, {}, now)
    for key, value in database.execute("SELECT key, value FROM meta ORDER BY key"):
        if not key.startswith(OWN_FACTS):
            yield Fact(key, value)
    for row in database.execute(f"SELECT {_ENTRY_COLUMNS} FROM urls ORDER BY id"):  # noqa: S608
        yield _entry(row)
    given_up = dead(database, None)[::-1]
    yield from given_up
    done = _done(database, {one.entry.fingerprint for one in given_up})
    while some := tuple(islice(done, 1_000)):
        yield DoneUrls(some)


def _entries(database: sqlite3.Connection, order: str, limit: int) -> list[Entry]:
    # The inner query needs nothing but the index urls_best, which is a tenth of the table.
    inner = f"SELECT id FROM urls ORDER BY {order} LIMIT ?"  # noqa: S608
    query = f"SELECT {_ENTRY_COLUMNS} FROM urls WHERE id IN ({inner}) ORDER BY {order}"  # noqa: S608
    return [_entry(row) for row in database.execute(query, (limit,))]


def _entry(row: tuple[Any, ...]) -> Entry:
    url, fingerprint, host, micros, *rest = row
    return Entry(url, fingerprint, host, from_micros(micros), *rest)


def _state(row: tuple[Any, ...], leased: Leased, now: float) -> HostState:
    name, held, dying, pages, micros, ready_at, delay, is_blocked = row
    return HostState(
        host=name,
        queued=held - leased.get(name, 0),
        leased=leased.get(name, 0),
        dead=dying,
        pages=pages,
        best=None if micros is None else from_micros(micros),
        rest_seconds=max(0.0, ready_at - now),
        delay_seconds=delay,
        is_blocked=bool(is_blocked),
    )


def _done(database: sqlite3.Connection, given_up: set[int]) -> Iterator[int]:
    """Fingerprints of the seen-set that are neither queued nor dead."""
    query = "SELECT fingerprint FROM seen WHERE NOT EXISTS (SELECT 1 FROM urls WHERE id = url_id) ORDER BY fingerprint"
    return (mark for (mark,) in database.execute(query) if mark not in given_up)
