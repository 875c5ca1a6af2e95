"""The inspection of a SqliteFrontier: reads its file, and steers it by transactions of its own, while another process may crawl."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, Self, TypeVar

from topicspider.errors import FrontierUnavailable
from topicspider.frontier.host_ranking import from_micros
from topicspider.frontier.inspection import DeadUrl, DoneUrls, HostState, LeaseState, Record, check_delay, facts_of
from topicspider.frontier.protocol import Counts, Entry
from topicspider.frontier.sqlite.file import FrontierFile, holder_of, in_plain_words, open_reader, written_beside
from topicspider.frontier.sqlite.flush import DEAD_COLUMNS, Steering, dead_of
from topicspider.frontier.sqlite.frontier import SqliteFrontier, rules_in
from topicspider.i18n import gettext as _

_T = TypeVar("_T")


class SqliteInspection:
    """See Inspection for the promises; ``take_in`` and ``clear`` raise CrawlRunning while another process crawls on the file.

    ``owner``: this process's frontier, if it has the file open. Its leases are in memory: without it leased URLs count as queued.
    """

    def __init__(
        self, path: Path, owner: SqliteFrontier | None = None, *, clock: Callable[[], float] = time.time
    ) -> None:
        self._path = path
        self._owner = owner
        self._clock = clock
        self._file: FrontierFile | None = None  # while this inspection holds the file's lock
        self._database = open_reader(path)

    @classmethod
    def owning(cls, path: Path) -> Self:
        """Lock the file (CrawlRunning when another process has it open), create it if it does not exist, and inspect it."""
        file = FrontierFile(path)
        try:
            inspection = cls(path)
        except BaseException:
            file.close()
            raise
        inspection._file = file
        return inspection

    def counts(self) -> Counts:
        with in_plain_words(self._path):
            waiting, *others = self._database.execute("SELECT waiting, done, dead, pages, hosts FROM totals").fetchone()
        held = sum(self._leased().values())
        return Counts(waiting - held, held, *others)

    def hosts(self) -> Iterator[HostState]:
        with in_plain_words(self._path):
            yield from _hosts(self._database, self._leased(), self._clock())

    def top(self, limit: int) -> list[Entry]:
        return self._free("micros DESC, tie", limit)

    def bottom(self, limit: int) -> list[Entry]:
        return self._free("micros, tie DESC", limit)

    def leases(self) -> list[LeaseState]:
        """The leases. FrontierUnavailable when another process holds the file, because only that process knows them."""
        if self._owner is not None:
            return self._owner.leases()
        if self._file is None and (holder := holder_of(self._path)):
            why = _("process {process} crawls on it; what it fetches now counts as queued", process=holder)
            raise FrontierUnavailable(_("frontier {path}", path=self._path), why)
        return []

    def dead(self) -> list[DeadUrl]:
        with in_plain_words(self._path):
            return _dead(self._database)[::-1]

    def block(self, hosts: Collection[str]) -> int:
        return self._steer(lambda steering: steering.set_blocked(hosts, is_blocked=True))

    def unblock(self, hosts: Collection[str]) -> int:
        return self._steer(lambda steering: steering.set_blocked(hosts, is_blocked=False))

    def set_delay(self, host: str, seconds: float) -> None:
        self._steer(lambda steering: steering.delay((host,), check_delay(seconds)))

    def revive(self, fingerprints: Collection[int]) -> int:
        return self._steer(lambda steering: steering.revive(fingerprints))

    def records(self) -> Iterator[Record]:
        """Everything, as it was when the first record was read; the crawl may go on meanwhile."""
        with in_plain_words(self._path), closing(open_reader(self._path)) as database:
            database.execute("BEGIN")
            yield from _hosts(database, {}, self._clock())
            yield from facts_of(database.execute("SELECT key, value FROM meta ORDER BY key"))
            yield from map(_entry, database.execute(f"SELECT {_ENTRY_COLUMNS} FROM urls ORDER BY id"))  # noqa: S608
            dead = _dead(database)
            yield from dead
            fingerprints, given_up = database.execute(_NOT_QUEUED), {one.entry.fingerprint for one in dead}
            done = (fingerprint for (fingerprint,) in fingerprints if fingerprint not in given_up)
            while some := tuple(islice(done, 1_000)):
                yield DoneUrls(some)

    def take_in(self, records: Iterable[Record]) -> int:
        self._be_alone()
        taken = list(records)
        return self._steer(lambda steering: steering.take_in(taken))

    def clear(self) -> None:
        self._be_alone()
        if self._owner is not None:
            self._owner.clear()
        elif self._file is not None:
            with self._file.transaction() as database:
                self._file.clear(database)

    def close(self) -> None:
        self._database.close()
        if self._file is not None:  # closed last: then everything is in the file, and on disk
            self._file.close()

    def _be_alone(self) -> None:
        if self._owner is None and self._file is None:
            self._file = FrontierFile(self._path)

    def _steer(self, do: Callable[[Steering], _T]) -> _T:
        with written_beside(self._path) as database:
            return do(Steering(database, rules_in(database), self._clock()))

    def _leased(self) -> dict[str, int]:
        leases = [] if self._owner is None else self._owner.leases()
        return {lease.host: len(lease.urls) for lease in leases}

    def _free(self, order: str, limit: int) -> list[Entry]:
        """The first queued URLs in this order, without the leased ones."""
        leases = [] if self._owner is None else self._owner.leases()
        leased = {url for lease in leases for url in lease.urls}
        # the inner query needs only the index urls_best, a tenth of the table's size
        inner = f"SELECT id FROM urls ORDER BY {order} LIMIT ?"  # noqa: S608
        query = f"SELECT {_ENTRY_COLUMNS} FROM urls WHERE id IN ({inner}) ORDER BY {order}"  # noqa: S608
        with in_plain_words(self._path):
            found = [_entry(row) for row in self._database.execute(query, (limit + len(leased),))]
        return [entry for entry in found if entry.url not in leased][:limit]


_ENTRY_COLUMNS = "url, fingerprint, (SELECT name FROM hosts WHERE hosts.id = host), micros, depth, referrer, payload, attempts, model"
_HOSTS = """
SELECT name, coalesce(held, 0), coalesce(dying, 0), pages, micros, ready_at, delay_seconds, is_blocked
FROM hosts LEFT JOIN (SELECT host, count(*) AS held, max(micros) AS micros FROM urls GROUP BY host) ON host = id
LEFT JOIN (SELECT host AS given, count(*) AS dying FROM dead GROUP BY host) ON given = name
"""
_NOT_QUEUED = (
    "SELECT fingerprint FROM seen WHERE NOT EXISTS (SELECT 1 FROM urls WHERE id = url_id) ORDER BY fingerprint"
)


def _hosts(database: sqlite3.Connection, leased: Mapping[str, int], now: float) -> Iterator[HostState]:
    """All known hosts. ``leased``: the number of leased URLs by host."""
    for name, held, dead, pages, micros, ready_at, delay, is_blocked in database.execute(_HOSTS):
        busy, best = leased.get(name, 0), None if micros is None else from_micros(micros)
        rest = max(0.0, ready_at - now)
        yield HostState(name, held - busy, busy, dead, pages, best, rest, delay, bool(is_blocked))


def _dead(database: sqlite3.Connection) -> list[DeadUrl]:
    """The dead letters, oldest first."""
    return [dead_of(row) for row in database.execute(f"SELECT {DEAD_COLUMNS} FROM dead ORDER BY id")]  # noqa: S608


def _entry(row: tuple[Any, ...]) -> Entry:
    url, fingerprint, host, micros, *rest = row
    return Entry(url, fingerprint, host, from_micros(micros), *rest)
