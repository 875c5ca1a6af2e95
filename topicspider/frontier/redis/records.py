"""Everything that is in a crawl in Redis, page by page, while its nodes go on crawling.

Taken page by page, what is told is of no single moment: a page that is fetched meanwhile would be told as done, and its links,
which came into a part that was told already, not at all. So from the beginning on the server notes what leaves the queue, and all
of that is told as queued: what is told as done was so before the beginning, hence its links are told, too.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from topicspider.frontier.inspection import OWN_FACTS, DeadUrl, DoneUrls, Fact, Record
from topicspider.frontier.ordering import from_micros
from topicspider.frontier.protocol import Entry
from topicspider.frontier.redis.connection import Connection, Reply
from topicspider.frontier.redis.graves import dead_of
from topicspider.frontier.redis.packing import unpack

URLS_AT_ONCE = 300
"""What a call takes out: some milliseconds of the server."""

_FIRST_BUCKETS, _MOST_BUCKETS = 16, 4_096
_DONE_AT_ONCE = 1_000
_SIGN = 1 << 63
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
            for start in range(0, len(done), _DONE_AT_ONCE):
                yield DoneUrls(tuple(done[start : start + _DONE_AT_ONCE]))

    def _facts(self) -> Iterator[Record]:
        told = self._connection.run("HGETALL", "meta")
        if isinstance(told, list):
            told = dict(zip(told[::2], told[1::2], strict=True))
        for key, value in sorted((key.decode(), value.decode()) for key, value in told.items()):
            if not key.startswith(OWN_FACTS):
                yield Fact(key, value)

    def _pages(self, *, is_seen: bool) -> Iterator[tuple[list[Entry], Reply, Reply]]:
        first, count = 0, _FIRST_BUCKETS
        while first >= 0:
            asked = (str(first), str(count), str(self._read), "1" if is_seen else "0")
            holds, first, gone, queued, seen = self._connection.call("buckets", *asked)
            if not holds:
                raise LostWatch
            self._read += len(gone)
            yield list(filter(None, map(self._left, gone))), queued, seen
            size = max(len(queued), len(seen), 1)
            count = max(1, min(_MOST_BUCKETS, 4 * count, count * URLS_AT_ONCE // size))

    def _left(self, note: bytes) -> Entry | None:
        mark, minus, attempts, size = _GONE.unpack_from(note)
        self._gone.add(mark)
        host, packed = note[_GONE.size : _GONE.size + size].decode(), note[_GONE.size + size :]
        return entry_of(self._connection, host, mark, minus, attempts, packed)

    def _dead_urls(self) -> Iterator[DeadUrl]:
        last = "0"
        while last:
            told, dead = self._connection.call("dead_after", last, str(URLS_AT_ONCE))
            last = told.decode()
            for mark, note in dead:
                if len(mark) == 8 and mark not in self._gone:
                    self._dead.add(mark)
                    yield dead_of(note, self._connection.marks.fingerprint(mark))

    def _done(self, queued: set[bytes], seen: list[bytes]) -> list[int]:
        marks = ((int(member) + _SIGN).to_bytes(8, "big") for member in seen)
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
