"""The inspection of a crawl in Redis: looks at it and steers it, beside as many nodes as crawl on it."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice

from topicspider.errors import CrawlRunning, FrontierUnavailable
from topicspider.frontier.inspection import DeadUrl, HostState, LeaseState, Record, check_delay
from topicspider.frontier.ordering import clean_text, from_micros
from topicspider.frontier.protocol import Counts, Entry
from topicspider.frontier.redis.connection import Connection, Reply
from topicspider.frontier.redis.graves import dead_of
from topicspider.frontier.redis.packed_work import WorkPacker
from topicspider.frontier.redis.program import inspection_program
from topicspider.frontier.redis.record_packing import RecordPacker
from topicspider.frontier.redis.records import Export, LostWatch, each_page, readable
from topicspider.frontier.redis_server import RedisServer
from topicspider.frontier.register import Register, register_of
from topicspider.frontier.rules import Rules

HOSTS_AT_ONCE = 200
URLS_AT_ONCE = 500
SCORES_AT_ONCE = 250
TAKEN_AT_ONCE = 250
"""What one call may be about: each holds the server up for a few milliseconds, however large the crawl is."""

_NO_TURN = ("", b"", "-1.0", "-1", "0", "", "0")


class RedisInspection:
    """See Inspection for the promises. Every call of the server is atomic, and about a bounded part of the crawl.

    So what needs several of them (all hosts, the worst URLs, more than some hundred records) is seen and done part by part while the
    nodes go on. ``makes``: whether a crawl that is not there is made, then with this ``seed``; FrontierUnavailable otherwise.
    ``clock``: for tests; time is the server's.
    """

    def __init__(
        self,
        server: RedisServer,
        crawl: str,
        *,
        makes: bool = False,
        seed: int = 0,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self.label = f"frontier {server.label}, crawl {crawl}"
        self._connection = Connection(server, crawl, Rules(seed=seed), clock, inspection_program)
        try:
            if not makes and self._connection.run("HGET", "totals", "epoch") is None:
                raise FrontierUnavailable(self.label, "there is none", "Has it been started, with the same database?")
            self._connection.open(0.0, with_rules=False)
        except BaseException:
            server.close()
            raise
        self._work = WorkPacker(self._connection.marks, self._connection.seed)
        self._records = RecordPacker(self._connection.marks, self._work)

    def counts(self) -> Counts:
        """Where the URLs are."""
        return Counts(*self._connection.call("counts")[0])

    def hosts(self) -> Iterator[HostState]:
        """All known hosts."""
        return map(_state, each_page(self._connection, "hosts", HOSTS_AT_ONCE))

    def host(self, name: str) -> HostState | None:
        """One host; None when it is not known."""
        (told,) = self._connection.call("host", clean_text(name))
        return _state(told) if told else None

    def top(self, limit: int) -> list[Entry]:
        """The best queued URLs."""
        return self._end("top", limit)

    def bottom(self, limit: int) -> list[Entry]:
        """The worst queued URLs."""
        return self._end("bottom", limit)

    def leases(self) -> list[LeaseState]:
        """Who holds which host."""
        (told,) = self._connection.call("leases")
        return [
            LeaseState(host.decode(), node.decode(), float(left), tuple(one.url for one in self._entries(urls)))
            for host, node, left, urls in told
        ]

    def dead(self, limit: int | None = None) -> list[DeadUrl]:
        """What was given up."""
        found: list[DeadUrl] = []
        while limit is None or len(found) < limit:
            count = URLS_AT_ONCE if limit is None else min(URLS_AT_ONCE, limit - len(found))
            (told,) = self._connection.call("dead", str(len(found)), str(count))
            found += (dead_of(note, self._fingerprint(mark)) for mark, note in told)
            if len(told) < count:
                break
        return found

    def block(self, hosts: Collection[str]) -> int:
        """Lease them no more; returns how many were not blocked before."""
        return self._mark(hosts, is_blocked=True)

    def unblock(self, hosts: Collection[str]) -> int:
        """Lease them again; returns how many were blocked."""
        return self._mark(hosts, is_blocked=False)

    def set_delay(self, host: str, seconds: float) -> None:
        """Have it rest at least so long after each fetch."""
        self._connection.call("delay", self._work.hosts([host]), repr(float(check_delay(seconds))))

    def rescore(self, scores: Sequence[tuple[int, float]]) -> None:
        """Give entries (by fingerprint) their scores of now."""
        for start in range(0, len(scores), SCORES_AT_ONCE):
            self._connection.call("turn", *self._work.scores(scores[start : start + SCORES_AT_ONCE]), *_NO_TURN)

    def revive(self, fingerprints: Collection[int] | None = None) -> int:
        """Queue dead URLs again; returns how many."""
        if fingerprints is None:
            return self._revive_all()
        marks = [self._connection.marks.bytes_of(one) for one in fingerprints]
        parts = (marks[start : start + URLS_AT_ONCE] for start in range(0, len(marks), URLS_AT_ONCE))
        return sum(self._connection.call("revive", b"".join(part))[0] for part in parts)

    def records(self) -> Iterator[Record]:
        """Everything there is at the first of them, and some of what came since; see records.py."""
        export = Export(self._connection)
        export.begin()  # before the hosts are read
        yield from self.hosts()
        try:
            yield from export.rest()
        except LostWatch:
            why = "it was emptied meanwhile, or Redis was, or a minute passed between two records"
            raise FrontierUnavailable(self.label, why, "Nothing was changed; begin again") from None

    def take_in(self, records: Iterable[Record]) -> int:
        """Add ``records``, 250 of them as one transaction; returns how many URLs were new."""
        left, new = iter(records), 0
        while some := list(islice(left, TAKEN_AT_ONCE)):
            new += self._connection.call("take_in", *self._records.pack(some))[0]
        return new

    def clear(self) -> None:
        """Forget everything; CrawlRunning while a node has a lease."""
        if not self._connection.call("clear_at_rest")[0]:
            nodes = ", ".join(sorted({lease.node for lease in self.leases() if lease.seconds_left > 0}))
            raise CrawlRunning(f"{self.label}: {nodes} crawls on it; stop that first, or wait for its leases")

    def nodes(self) -> Register:
        """Who crawls on it."""
        duplicates, reissued, best_rate, heartbeats, leases = self._connection.call("nodes")
        beats = {
            name.decode(): (float(seconds), text.decode(), requested.decode())
            for name, seconds, text, requested in heartbeats
        }
        held = [(host.decode(), node.decode()) for host, node in leases]
        return register_of(beats, held, duplicates, reissued, float(best_rate), self.counts().pages)

    def ask(self, key: str, wish: str) -> bool:
        """Have that node do something (``beats.DRAIN`` or ``STOP``), as soon as it says its next word; False when there is no such node."""
        if all(node.key != key for node in self.nodes().nodes):
            return False
        self._connection.call("ask", key, wish)
        return True

    def close(self) -> None:
        """Give the connection back."""
        self._connection.close()

    def _mark(self, hosts: Collection[str], *, is_blocked: bool) -> int:
        names = list(dict.fromkeys(map(clean_text, hosts)))
        parts = (names[start : start + HOSTS_AT_ONCE] for start in range(0, len(names), HOSTS_AT_ONCE))
        given = "1" if is_blocked else "0"
        return sum(self._connection.call("block", self._work.hosts(part), given)[0] for part in parts)

    def _revive_all(self) -> int:
        """Those that are dead by now; what dies again meanwhile stays so."""
        last, up_to, revived = "0", "0", 0
        while last:
            some, told, bound = self._connection.call("revive_from", last, str(URLS_AT_ONCE), up_to)
            last, up_to, revived = told.decode(), str(bound), revived + some
        return revived

    def _end(self, which: str, limit: int) -> list[Entry]:
        """The best or worst: of each part of the hosts only what may still be among them."""
        is_top = which == "top"
        choose = heapq.nsmallest if is_top else heapq.nlargest
        found: dict[bytes, float] = {}
        hosts = max(5, min(HOSTS_AT_ONCE, 2 * URLS_AT_ONCE // max(1, limit)))
        first, bound = (0, "+inf") if is_top else (1, "-inf")
        while first >= 0 and limit > 0:
            first, told = self._connection.call("ends", which, str(first), str(hosts), str(limit), bound)
            found |= {mark: float(minus) for mark, minus in zip(told[::2], told[1::2], strict=True)}
            chosen = choose(limit, ((minus, mark) for mark, minus in found.items()))
            found = {mark: minus for minus, mark in chosen}
            if len(found) == limit:
                bound = repr(chosen[-1][0])
        return self._told(list(found))

    def _told(self, marks: list[bytes]) -> list[Entry]:
        """The entries of these marks, in their order."""
        found: list[Entry] = []
        for start in range(0, len(marks), URLS_AT_ONCE):
            part = b"".join(marks[start : start + URLS_AT_ONCE])
            found += self._entries(self._connection.call("entries", part)[0])
        return found

    def _entries(self, told: Reply) -> list[Entry]:
        return readable(self._connection, told)

    def _fingerprint(self, mark: bytes) -> int:
        return self._connection.marks.fingerprint(mark) if len(mark) == 8 else 0


def _state(told: Reply) -> HostState:
    name, held, leased, dead, pages, minus, rest, delay, is_blocked, connect, response, requests = told
    return HostState(
        host=name.decode(),
        queued=held - leased,
        leased=leased,
        dead=dead,
        pages=pages,
        best=from_micros(-int(float(minus))) if minus else None,
        rest_seconds=float(rest),
        delay_seconds=float(delay),
        is_blocked=bool(is_blocked),
        connect_seconds=_measured(connect),
        response_seconds=_measured(response),
        requests_per_connection=requests or None,
    )


def _measured(text: bytes) -> float | None:
    seconds = float(text)
    return None if seconds < 0 else seconds
