"""The inspection of a crawl in Redis: looks at it and steers it, while nodes may crawl on it."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import TypeVar

from topicspider.errors import CrawlRunning, FrontierUnavailable, patiently
from topicspider.frontier.heartbeat import ClusterStatus, cluster_status_of
from topicspider.frontier.host_ranking import SIGN64, Rules, clean_text, from_micros
from topicspider.frontier.inspection import DeadUrl, DoneUrls, HostState, LeaseState, Record, check_delay, facts_of
from topicspider.frontier.protocol import Counts, Entry
from topicspider.frontier.redis.connection import Connection, Reply
from topicspider.frontier.redis.packing import WorkPacker, dead_of, text_of, unpack
from topicspider.frontier.redis.server import RedisServer
from topicspider.i18n import N_
from topicspider.i18n import gettext as _

_T = TypeVar("_T")
AT_ONCE = 250
"""The most hosts or URLs that one call handles: it blocks the server for a few milliseconds only, however large the crawl is."""


class CrawlInRedis:
    """Common base of the frontier and its inspection: an open connection, and looks at a part of the crawl."""

    def __init__(self, connection: Connection, wait_seconds: float = 0.0, *, with_rules: bool = True) -> None:
        self._connection = connection
        try:
            patiently(lambda: connection.open(with_rules=with_rules, is_first=True), wait_seconds)
        except BaseException:
            connection.close()
            raise
        self._packer = WorkPacker(connection.url_keys, connection.seed)

    def counts(self) -> Counts:
        return Counts(*self._connection.call("counts")[0])

    def top(self, limit: int) -> list[Entry]:
        return self._end("top", limit)

    def close(self) -> None:
        """Release the connection; leased URLs stay leased until their time is over."""
        self._connection.close()

    def _end(self, which: str, limit: int) -> list[Entry]:
        """The best or worst queued URLs. It goes through the hosts part by part, and asks of each part only for URLs that may still be
        among them."""
        is_top = which == "top"
        choose = heapq.nsmallest if is_top else heapq.nlargest
        found: dict[bytes, float] = {}
        hosts = max(5, min(AT_ONCE, 4 * AT_ONCE // max(1, limit)))
        first, bound = (0, "+inf") if is_top else (1, "-inf")
        while first >= 0 and limit > 0:
            first, told = self._connection.call("ends", which, str(first), str(hosts), str(limit), bound)
            found |= {url_key: float(minus) for url_key, minus in zip(told[::2], told[1::2], strict=True)}
            chosen = choose(limit, ((minus, url_key) for url_key, minus in found.items()))
            found = {url_key: minus for minus, url_key in chosen}
            if len(found) == limit:
                bound = repr(chosen[-1][0])
        told = (self._connection.call("entries", b"".join(part))[0] for part in batched(found, AT_ONCE))
        return self._entries(chain.from_iterable(told))

    def _entries(self, told: Iterable[Reply]) -> list[Entry]:
        """The entries in the server's answer, without those that cannot be read."""
        found = []
        for host, url_key, minus, attempts, packed in told:
            score = from_micros(-int(float(minus)))
            with suppress(ValueError, IndexError):
                found.append(unpack(packed, text_of(host), self._fingerprint(url_key), score, attempts))
        return found

    def _fingerprint(self, url_key: bytes) -> int:
        return self._connection.url_keys.fingerprint(url_key) if len(url_key) == 8 else 0


class RedisInspection(CrawlInRedis):
    """See Inspection for the promises. Every call to the server is atomic, and handles a bounded part of the crawl.

    Therefore whatever needs several calls (all hosts, the worst URLs, more than some hundred records) is read or done part by part while
    the nodes go on. ``makes``: create a crawl that does not exist, with this ``seed``; otherwise FrontierUnavailable. ``clock``: for tests.
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
        connection = Connection(server, crawl, Rules(seed=seed), clock)
        if not makes and connection.run("HGET", "totals", "epoch") is None:
            connection.close()
            raise FrontierUnavailable(self.label, "there is none", "Has it been started, with the same database?")
        super().__init__(connection, with_rules=False)

    def hosts(self) -> Iterator[HostState]:
        first = 1
        while first:
            first, told = self._connection.call("hosts", str(first), str(AT_ONCE))
            yield from map(_state, told)

    def bottom(self, limit: int) -> list[Entry]:
        return self._end("bottom", limit)

    def leases(self) -> list[LeaseState]:
        (told,) = self._connection.call("leases")
        return [
            LeaseState(text_of(host), text_of(node), float(left), tuple(one.url for one in self._entries(urls)))
            for host, node, left, urls in told
        ]

    def dead(self) -> list[DeadUrl]:
        found: list[DeadUrl] = []
        while True:
            (told,) = self._connection.call("dead", str(len(found)), str(AT_ONCE))
            found += (dead_of(note, self._fingerprint(url_key)) for url_key, note in told)
            if len(told) < AT_ONCE:
                return found

    def block(self, hosts: Collection[str]) -> int:
        return self._mark(hosts, is_blocked=True)

    def unblock(self, hosts: Collection[str]) -> int:
        return self._mark(hosts, is_blocked=False)

    def set_delay(self, host: str, seconds: float) -> None:
        self._connection.call("delay", self._packer.hosts([host]), repr(float(check_delay(seconds))))

    def revive(self, fingerprints: Collection[int]) -> int:
        url_keys = map(self._connection.url_keys.bytes_of, fingerprints)
        return sum(self._connection.call("revive", b"".join(part))[0] for part in batched(url_keys, AT_ONCE))

    def records(self) -> Iterator[Record]:
        """Everything. CrawlRunning while a node holds leases, or when one began meanwhile: its URLs would be missing."""
        before = self._connection.call("buckets", "0", "0")[0]
        self._check_nobody_crawls()
        yield from self.hosts()
        facts = self._connection.run("HGETALL", "meta").items()
        yield from facts_of(sorted((text_of(key), text_of(value)) for key, value in facts))
        dead = [one for one in self.dead()[::-1] if "://" in one.entry.url]
        yield from dead
        yield from self._urls(before, {one.entry.fingerprint for one in dead})

    def _urls(self, before: int, dead: set[int]) -> Iterator[Record]:
        """The queued URLs and the done ones, bucket by bucket."""
        first, count = 0, 16
        while first >= 0:
            changes, first, queued, seen = self._connection.call("buckets", str(first), str(count))
            if changes != before:
                words = N_("{label}: it was changed meanwhile; begin again when nobody crawls on it")
                raise CrawlRunning(_(words, label=self.label))
            yield from self._entries(queued)
            left = dead.union(self._fingerprint(url_key) for _, url_key, *_ in queued)
            fingerprints = (self._fingerprint((int(member) + SIGN64).to_bytes(8, "big")) for member in seen)
            done = sorted(one for one in fingerprints if one not in left)
            yield from map(DoneUrls, batched(done, 1_000))
            count = max(1, min(4_096, 4 * count, count * AT_ONCE // max(len(seen), 1)))

    def take_in(self, records: Iterable[Record]) -> int:
        parts = map(self._packer.pack_records, batched(records, AT_ONCE))
        return sum(self._connection.call("take_in", *part)[0] for part in parts)

    def clear(self) -> None:
        self._check_nobody_crawls()
        self._connection.call("clear")

    def nodes(self) -> ClusterStatus:
        reissued, nodes = self._connection.call("nodes")
        heartbeats = {
            text_of(name): (float(seconds), text_of(heartbeat), text_of(requested))
            for name, seconds, heartbeat, requested in nodes
        }
        held = [(lease.host, lease.node) for lease in self.leases()]
        return cluster_status_of(heartbeats, held, reissued, self.counts().pages)

    def ask(self, key: str, wish: str) -> bool:
        """Ask a node for something (heartbeat.DRAIN or STOP); it learns that with its next heartbeat. False when there is no such node."""
        if all(node.key != key for node in self.nodes().nodes):
            return False
        self._connection.call("ask", key, wish)
        return True

    def _mark(self, hosts: Collection[str], *, is_blocked: bool) -> int:
        names = dict.fromkeys(map(clean_text, hosts))
        parts = map(self._packer.hosts, batched(names, AT_ONCE))
        return sum(self._connection.call("block", part, "1" if is_blocked else "0")[0] for part in parts)

    def _check_nobody_crawls(self) -> None:
        nodes = ", ".join(sorted({lease.node for lease in self.leases() if lease.seconds_left > 0}))
        if nodes:
            words = N_("{label}: {nodes} crawls on it; stop that first, or wait for its leases")
            raise CrawlRunning(_(words, label=self.label, nodes=nodes))


def _state(told: Reply) -> HostState:
    name, held, leased, dead, pages, minus, rest, delay, is_blocked = told
    return HostState(
        host=text_of(name),
        queued=held - leased,
        leased=leased,
        dead=dead,
        pages=pages,
        best=from_micros(-int(float(minus))) if minus else None,
        rest_seconds=float(rest),
        delay_seconds=float(delay),
        is_blocked=bool(is_blocked),
    )


def batched(some: Iterable[_T], size: int) -> Iterator[tuple[_T, ...]]:
    """Like itertools.batched of Python 3.12."""
    left = iter(some)
    return iter(lambda: tuple(islice(left, size)), ())
