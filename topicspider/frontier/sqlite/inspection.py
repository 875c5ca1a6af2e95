"""The inspection of a SqliteFrontier: looks into its file, and steers by a transaction of its own, beside the process that crawls."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Self, TypeVar

from topicspider.errors import FrontierUnavailable
from topicspider.frontier.dead_letters import DeadUrl
from topicspider.frontier.inspection import HostState, LeaseState, Record, check_delay
from topicspider.frontier.protocol import Counts, Entry
from topicspider.frontier.sqlite import queries
from topicspider.frontier.sqlite.file import FrontierFile, holder_of, in_plain_words, open_reader, written_beside
from topicspider.frontier.sqlite.flush import Steering
from topicspider.frontier.sqlite.frontier import SqliteFrontier, rules_in

_T = TypeVar("_T")


class SqliteInspection:
    """See Inspection for the promises; ``take_in`` and ``clear`` raise CrawlRunning while another process crawls on the file.

    ``owner``: the frontier of this process, when it has the file open. Leases are in its memory: for all others they count as queued.
    """

    def __init__(
        self, path: Path, owner: SqliteFrontier | None = None, *, clock: Callable[[], float] = time.time
    ) -> None:
        self._path = path
        self._owner = owner
        self._clock = clock
        self._file: FrontierFile | None = None  # while it is nobody else's
        self._database = open_reader(path)

    @classmethod
    def owning(cls, path: Path) -> Self:
        """Of a file that nobody else has open (else CrawlRunning), made when it is not there."""
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
            return queries.counts(self._database, self._leased())

    def hosts(self) -> Iterator[HostState]:
        with in_plain_words(self._path):
            yield from queries.all_hosts(self._database, self._leased(), self._clock())

    def top(self, limit: int) -> list[Entry]:
        return self._free(queries.best, limit)

    def bottom(self, limit: int) -> list[Entry]:
        return self._free(queries.worst, limit)

    def leases(self) -> list[LeaseState]:
        """Who holds which host; FrontierUnavailable when another process holds the file, for it alone knows."""
        if self._owner is not None:
            return self._owner.leases()
        if self._file is None and (holder := holder_of(self._path)):
            raise FrontierUnavailable(
                f"frontier {self._path}", f"process {holder} crawls on it; what it fetches now counts as queued"
            )
        return []

    def dead(self, limit: int | None = None) -> list[DeadUrl]:
        with in_plain_words(self._path):
            return queries.dead(self._database, limit)

    def block(self, hosts: Collection[str]) -> int:
        return self._steer(lambda steering: steering.mark(hosts, is_blocked=True))

    def unblock(self, hosts: Collection[str]) -> int:
        return self._steer(lambda steering: steering.mark(hosts, is_blocked=False))

    def set_delay(self, host: str, seconds: float) -> None:
        self._steer(lambda steering: steering.delay((host,), check_delay(seconds)))

    def revive(self, fingerprints: Collection[int]) -> int:
        return self._steer(lambda steering: steering.revive(fingerprints))

    def records(self) -> Iterator[Record]:
        """Everything, as it is at the first of them; the crawl may go on meanwhile."""
        with in_plain_words(self._path), closing(open_reader(self._path)) as database:
            database.execute("BEGIN")
            yield from queries.records(database, self._clock())

    def take_in(self, records: Iterable[Record]) -> int:
        """Add ``records``, as one transaction; returns how many URLs were new."""
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
        if self._file is not None:  # last: then it has everything, and is on the disk
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

    def _free(self, look: Callable[[sqlite3.Connection, int, int], list[Entry]], limit: int) -> list[Entry]:
        leases = [] if self._owner is None else self._owner.leases()
        leased = {url for lease in leases for url in lease.urls}
        with in_plain_words(self._path):
            found = look(self._database, limit, len(leased))
        return [entry for entry in found if entry.url not in leased][:limit]
