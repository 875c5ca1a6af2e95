"""The inspection of a crawl in Redis: looks at it, steers and exports it, beside as many nodes as crawl on it.

An export page by page is of no single moment: a page fetched meanwhile would be told as done, and its links, which came into
a part that was told already, not at all. So from the beginning on the server notes what leaves the queue, and all of that is
told as queued: what is told as done was so before the beginning, hence its links are told, too.
"""

from __future__ import annotations

import heapq
import struct
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice

from topicspider.errors import CrawlRunning, FrontierUnavailable
from topicspider.frontier.dead_letters import DeadUrl
from topicspider.frontier.heartbeat import ClusterStatus, cluster_status_of
from topicspider.frontier.host_ranking import SIGN64, Rules, clean_text, from_micros
from topicspider.frontier.inspection import OWN_FACTS, DoneUrls, Fact, HostState, LeaseState, Record, check_delay
from topicspider.frontier.protocol import Counts, Entry
from topicspider.frontier.redis.connection import Connection, Reply, inspection_program
from topicspider.frontier.redis.packing import RecordPacker, WorkPacker, dead_of, unpack
from topicspider.frontier.redis.server import RedisServer

_GONE = struct.Struct(">8sdII")


class LostWatch(Exception):
    """The server notes no more what leaves the queue."""


class Export:
    """One way through a crawl. Memory: 8 bytes a dead URL, and what is fetched meanwhile."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._gone: set[bytes] = set()
        self._dead: set[bytes] = set()
        self._read = 0  # of the list of what left

    def begin(self) -> None:
        """From now on what leaves is noted."""
        (self._read,) = self._connection.call("watch")

    def rest(self) -> Iterator[Record]:
        """All but the hosts; raises LostWatch when it took too long, or the crawl was emptied meanwhile."""
        yield from self._facts()
        for left, queued, _ in self._pages(is_seen=False):
            yield from left
            yield from readable(self._connection, queued)
        yield from self._dead_urls()
        for left, queued, seen in self._pages(is_seen=True):
            yield from left
            done = self._done(set(queued), seen)
            for start in range(0, len(done), 1_000):
                yield DoneUrls(tuple(done[start : start + 1_000]))

    def _facts(self) -> Iterator[Record]:
        told = self._connection.run("HGETALL", "meta")
        if isinstance(told, list):
            told = dict(zip(told[::2], told[1::2], strict=True))
        for key, value in sorted((key.decode(), value.decode()) for key, value in told.items()):
            if not key.startswith(OWN_FACTS):
                yield Fact(key, value)

    def _pages(self, *, is_seen: bool) -> Iterator[tuple[list[Entry], Reply, Reply]]:
        first, count = 0, 16
        while first >= 0:
            asked = (str(first), str(count), str(self._read), "1" if is_seen else "0")
            holds, first, gone, queued, seen = self._connection.call("buckets", *asked)
            if not holds:
                raise LostWatch
            self._read += len(gone)
            yield list(filter(None, map(self._left, gone))), queued, seen
            size = max(len(queued), len(seen), 1)
            count = max(1, min(4_096, 4 * count, count * AT_ONCE // size))

    def _left(self, note: bytes) -> Entry | None:
        mark, minus, attempts, size = _GONE.unpack_from(note)
        self._gone.add(mark)
        host, packed = note[_GONE.size : _GONE.size + size].decode(), note[_GONE.size + size :]
        return entry_of(self._connection, host, mark, minus, attempts, packed)

    def _dead_urls(self) -> Iterator[DeadUrl]:
        last = "0"
        while last:
            told, dead = self._connection.call("dead_after", last, str(AT_ONCE))
            last = told.decode()
            for mark, note in dead:
                if len(mark) == 8 and mark not in self._gone:
                    self._dead.add(mark)
                    yield dead_of(note, self._connection.marks.fingerprint(mark))

    def _done(self, queued: set[bytes], seen: list[bytes]) -> list[int]:
        marks = ((int(member) + SIGN64).to_bytes(8, "big") for member in seen)
        told = (mark for mark in marks if not (mark in queued or mark in self._gone or mark in self._dead))
        return sorted(map(self._connection.marks.fingerprint, told))


def each_page(connection: Connection, operation: str, count: int) -> Iterator[Reply]:
    """What an operation tells of hosts, some at a time."""
    first = 1
    while first:
        first, told = connection.call(operation, str(first), str(count))
        yield from told


def readable(connection: Connection, told: Reply) -> list[Entry]:
    """The entries that the server told of and that can be read."""
    found = (entry_of(connection, host.decode(), *rest) for host, *rest in told)
    return [entry for entry in found if entry is not None]


def entry_of(
    connection: Connection, host: str, mark: bytes, minus: bytes | float, attempts: int, packed: bytes
) -> Entry | None:
    """The entry; None when its record cannot be read."""
    try:
        score = from_micros(-int(float(minus)))
        return unpack(packed, host, connection.marks.fingerprint(mark), score, attempts)
    except (ValueError, IndexError):
        return None


AT_ONCE = 250
"""What one call may be about, hosts or URLs: it holds the server up for a few milliseconds, however large the crawl is."""

_NO_TURN = ("", b"", "-1.0", "-1", "0", "0")


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
        return Counts(*self._connection.call("counts")[0])

    def hosts(self) -> Iterator[HostState]:
        return map(_state, each_page(self._connection, "hosts", AT_ONCE))

    def host(self, name: str) -> HostState | None:
        (told,) = self._connection.call("host", clean_text(name))
        return _state(told) if told else None

    def top(self, limit: int) -> list[Entry]:
        return self._end("top", limit)

    def bottom(self, limit: int) -> list[Entry]:
        return self._end("bottom", limit)

    def leases(self) -> list[LeaseState]:
        (told,) = self._connection.call("leases")
        return [
            LeaseState(host.decode(), node.decode(), float(left), tuple(one.url for one in self._entries(urls)))
            for host, node, left, urls in told
        ]

    def dead(self, limit: int | None = None) -> list[DeadUrl]:
        found: list[DeadUrl] = []
        while limit is None or len(found) < limit:
            count = AT_ONCE if limit is None else min(AT_ONCE, limit - len(found))
            (told,) = self._connection.call("dead", str(len(found)), str(count))
            found += (dead_of(note, self._fingerprint(mark)) for mark, note in told)
            if len(told) < count:
                break
        return found

    def block(self, hosts: Collection[str]) -> int:
        return self._mark(hosts, is_blocked=True)

    def unblock(self, hosts: Collection[str]) -> int:
        return self._mark(hosts, is_blocked=False)

    def set_delay(self, host: str, seconds: float) -> None:
        self._connection.call("delay", self._work.hosts([host]), repr(float(check_delay(seconds))))

    def rescore(self, scores: Sequence[tuple[int, float]]) -> None:
        for start in range(0, len(scores), AT_ONCE):
            self._connection.call("sync", *self._work.scores(scores[start : start + AT_ONCE]), *_NO_TURN)

    def revive(self, fingerprints: Collection[int] | None = None) -> int:
        if fingerprints is None:
            return self._revive_all()
        marks = [self._connection.marks.bytes_of(one) for one in fingerprints]
        parts = (marks[start : start + AT_ONCE] for start in range(0, len(marks), AT_ONCE))
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
        while some := list(islice(left, AT_ONCE)):
            new += self._connection.call("take_in", *self._records.pack(some))[0]
        return new

    def clear(self) -> None:
        if not self._connection.call("clear_at_rest")[0]:
            nodes = ", ".join(sorted({lease.node for lease in self.leases() if lease.seconds_left > 0}))
            raise CrawlRunning(f"{self.label}: {nodes} crawls on it; stop that first, or wait for its leases")

    def nodes(self) -> ClusterStatus:
        """Who crawls on it."""
        duplicates, reissued, best_rate, heartbeats, leases = self._connection.call("nodes")
        beats = {
            name.decode(): (float(seconds), text.decode(), requested.decode())
            for name, seconds, text, requested in heartbeats
        }
        held = [(host.decode(), node.decode()) for host, node in leases]
        return cluster_status_of(beats, held, duplicates, reissued, float(best_rate), self.counts().pages)

    def ask(self, key: str, wish: str) -> bool:
        """Have that node do something (``beats.DRAIN`` or ``STOP``), as soon as it says its next word; False when there is no such node."""
        if all(node.key != key for node in self.nodes().nodes):
            return False
        self._connection.call("ask", key, wish)
        return True

    def close(self) -> None:
        self._connection.close()

    def _mark(self, hosts: Collection[str], *, is_blocked: bool) -> int:
        names = list(dict.fromkeys(map(clean_text, hosts)))
        parts = (names[start : start + AT_ONCE] for start in range(0, len(names), AT_ONCE))
        given = "1" if is_blocked else "0"
        return sum(self._connection.call("block", self._work.hosts(part), given)[0] for part in parts)

    def _revive_all(self) -> int:
        """Those that are dead by now; what dies again meanwhile stays so."""
        last, up_to, revived = "0", "0", 0
        while last:
            some, told, bound = self._connection.call("revive_from", last, str(AT_ONCE), up_to)
            last, up_to, revived = told.decode(), str(bound), revived + some
        return revived

    def _end(self, which: str, limit: int) -> list[Entry]:
        """The best or worst: of each part of the hosts only what may still be among them."""
        is_top = which == "top"
        choose = heapq.nsmallest if is_top else heapq.nlargest
        found: dict[bytes, float] = {}
        hosts = max(5, min(AT_ONCE, 4 * AT_ONCE // max(1, limit)))
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
        for start in range(0, len(marks), AT_ONCE):
            part = b"".join(marks[start : start + AT_ONCE])
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
