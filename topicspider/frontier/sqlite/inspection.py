"""The inspection of a SqliteFrontier: looks into its file, and steers through the process that owns it."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Self, cast

from topicspider.errors import FrontierUnavailable
from topicspider.frontier.dead_letters import DeadUrl
from topicspider.frontier.inspection import HostState, LeaseState, Record, check_delay
from topicspider.frontier.protocol import Counts, Entry
from topicspider.frontier.sqlite import queries
from topicspider.frontier.sqlite.control import (
    BLOCK,
    DELAY,
    LEASES,
    REFUSED,
    RESCORE,
    REVIVE,
    UNBLOCK,
    Answer,
    Order,
    answer_to,
    post,
    read_answer,
    withdraw,
)
from topicspider.frontier.sqlite.file import holder_of, in_plain_words, open_reader, open_writer
from topicspider.frontier.sqlite.frontier import SqliteFrontier

ANSWER_SECONDS = 6.0  # a crawl looks for orders once a second
_LEASES_HOLD_SECONDS = 1.0


class SqliteInspection:
    """See Inspection for the promises; ``take_in`` and ``clear`` raise CrawlRunning while another process crawls on the file.

    ``owner``: the frontier of this process, when it has the file open already. Else, when no other process has, it is opened for
    the first thing that steers, and stays so; and beside a crawl orders are left in the file, which it answers within a second.
    A crawl that does not answer counts as one without leases. ``pause`` waits, ``clock`` is the wall's.
    """

    def __init__(
        self,
        path: Path,
        owner: SqliteFrontier | None = None,
        *,
        pause: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.time,
        leases_hold: float = _LEASES_HOLD_SECONDS,
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        self._path = path
        self._owner = owner
        self._is_own = owner is None
        self._pause = pause
        self._clock = clock
        self._leases_hold = leases_hold
        self._answer_seconds = answer_seconds
        self._held: tuple[float, list[LeaseState]] = (float("-inf"), [])
        self._silence: FrontierUnavailable | None = None
        self._database = open_reader(path)

    @classmethod
    def owning(cls, path: Path) -> Self:
        """Of a file that nobody else has open (else CrawlRunning), made when it is not there."""
        owner = SqliteFrontier.as_it_is(path)
        try:
            inspection = cls(path, owner)
        except BaseException:
            owner.close()
            raise
        inspection._is_own = True
        return inspection

    def counts(self) -> Counts:
        leased = self._leased()
        with in_plain_words(self._path):
            return queries.counts(self._database, leased)

    def hosts(self) -> Iterator[HostState]:
        leased = self._leased()
        with in_plain_words(self._path):
            yield from queries.all_hosts(self._database, leased, self._clock())

    def host(self, name: str) -> HostState | None:
        leased = self._leased()
        with in_plain_words(self._path):
            return queries.one_host(self._database, name, leased, self._clock())

    def top(self, limit: int) -> list[Entry]:
        return self._free(queries.best, limit)

    def bottom(self, limit: int) -> list[Entry]:
        return self._free(queries.worst, limit)

    def leases(self) -> list[LeaseState]:
        """Who holds which host; FrontierUnavailable when the process that holds the file does not answer."""
        if self._owner is None and not holder_of(self._path):
            return []
        if self._silence is not None:
            raise self._silence
        asked_at, leases = self._held
        if time.monotonic() - asked_at >= self._leases_hold:
            leases = self._ask_for_leases()
            self._held = (time.monotonic(), leases)
        return leases

    def dead(self, limit: int | None = None) -> list[DeadUrl]:
        with in_plain_words(self._path):
            return queries.dead(self._database, limit)

    def block(self, hosts: Collection[str]) -> int:
        return self._number(Order(BLOCK, tuple(hosts)))

    def unblock(self, hosts: Collection[str]) -> int:
        return self._number(Order(UNBLOCK, tuple(hosts)))

    def set_delay(self, host: str, seconds: float) -> None:
        self._number(Order(DELAY, (host,), check_delay(seconds)))

    def rescore(self, scores: Sequence[tuple[int, float]]) -> None:
        for start in range(0, len(scores), 2_000):
            self._number(Order(RESCORE, scores=tuple(scores[start : start + 2_000])))

    def revive(self, fingerprints: Collection[int] | None = None) -> int:
        return self._number(Order(REVIVE, fingerprints=None if fingerprints is None else tuple(fingerprints)))

    def records(self) -> Iterator[Record]:
        """Everything, as it is at the first of them; the crawl may go on meanwhile."""
        with in_plain_words(self._path), closing(open_reader(self._path)) as database:
            database.execute("BEGIN")
            yield from queries.records(database, self._clock())

    def take_in(self, records: Iterable[Record]) -> int:
        """Add ``records``, as one transaction; returns how many URLs were new."""
        self._owner = self._owner or SqliteFrontier.as_it_is(self._path)
        return self._owner.take_in(list(records))

    def clear(self) -> None:
        self._owner = self._owner or SqliteFrontier.as_it_is(self._path)
        self._owner.clear()

    def close(self) -> None:
        self._database.close()
        # The owner is last: then its file has everything, and is on the disk.
        if self._owner is not None and self._is_own:
            self._owner.close()

    def _leased(self) -> dict[str, int]:
        try:
            return {lease.host: len(lease.urls) for lease in self.leases()}
        except FrontierUnavailable:
            return {}

    def _free(self, look: Callable[[sqlite3.Connection, int, int], list[Entry]], limit: int) -> list[Entry]:
        try:
            leased = {url for lease in self.leases() for url in lease.urls}
        except FrontierUnavailable:
            leased = set()
        with in_plain_words(self._path):
            found = look(self._database, limit, len(leased))
        return [entry for entry in found if entry.url not in leased][:limit]

    def _ask_for_leases(self) -> list[LeaseState]:
        try:
            return list(cast("Sequence[LeaseState]", self._tell(Order(LEASES))))
        except FrontierUnavailable as error:
            self._silence = error
            raise

    def _number(self, order: Order) -> int:
        return int(cast("int", self._tell(order)))

    def _tell(self, order: Order) -> Answer:
        """Have the owner do it, whoever that is."""
        if self._owner is None:
            if holder_of(self._path):
                return self._send(order)
            self._owner = SqliteFrontier.as_it_is(self._path)
        return self._owner.obey(order)

    def _send(self, order: Order) -> Answer:
        deadline = time.monotonic() + self._answer_seconds
        with in_plain_words(self._path), closing(open_writer(self._path)) as database:
            number = post(database, order)
            while (answer := answer_to(database, number)) is None:
                if time.monotonic() > deadline:
                    raise self._no_answer(database, number, order)
                self._pause(0.05)
        if answer == REFUSED:
            why = f"process {holder_of(self._path)}, which holds it, does not know how to {order.do}"
            raise FrontierUnavailable(f"frontier {self._path}", why)
        return read_answer(answer)

    def _no_answer(self, database: sqlite3.Connection, number: int, order: Order) -> FrontierUnavailable:
        why = f"process {holder_of(self._path)}, which holds it, does not answer"
        if order.do == LEASES:
            withdraw(database, number)
            return FrontierUnavailable(f"frontier {self._path}", why, "What it has leased is not known")
        return FrontierUnavailable(f"frontier {self._path}", why, f"It will {order.do} as soon as it goes on")
