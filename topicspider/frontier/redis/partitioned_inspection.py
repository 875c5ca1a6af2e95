"""The inspection of a crawl whose hosts are spread over several Redis: one inspection a part, asked one after the other."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import astuple
from itertools import chain, islice
from typing import TypeVar

from topicspider.frontier.inspection import DeadUrl, DoneUrls, Fact, HostState, LeaseState, Record
from topicspider.frontier.protocol import Counts, Entry
from topicspider.frontier.redis import letters
from topicspider.frontier.redis.inspection import RedisInspection
from topicspider.frontier.redis.nodes import ask_node, nodes_of
from topicspider.frontier.redis.parting import part_of
from topicspider.frontier.redis.records import Export, LostWatch
from topicspider.frontier.register import Register

_T = TypeVar("_T")
TAKEN_AT_ONCE = 1_000
KEPT_SECONDS = 10.0  # the servers note for a minute without a word


class PartitionedInspection:
    """See Inspection for the promises; each part keeps them for its hosts, and every part must answer.

    Of dead URLs each part's newest come first, part by part: which of two parts' is newer is not known. Links that wait in
    another part for one that was away (letters) are carried along, but not shown or counted until they are delivered.
    """

    def __init__(self, parts: Sequence[RedisInspection]) -> None:
        self._parts = parts

    def counts(self) -> Counts:
        """Where the URLs are."""
        return Counts(*map(sum, zip(*(astuple(part.counts()) for part in self._parts), strict=True)))

    def hosts(self) -> Iterator[HostState]:
        """All known hosts."""
        return chain.from_iterable(part.hosts() for part in self._parts)

    def host(self, name: str) -> HostState | None:
        """One host; None when it is not known."""
        return self._of(name).host(name)

    def top(self, limit: int) -> list[Entry]:
        """The best queued URLs."""
        return heapq.nsmallest(limit, self._each(lambda part: part.top(limit)), self._parts[0].order_of)

    def bottom(self, limit: int) -> list[Entry]:
        """The worst queued URLs."""
        return heapq.nlargest(limit, self._each(lambda part: part.bottom(limit)), self._parts[0].order_of)

    def nodes(self) -> Register:
        """Who crawls on it."""
        return nodes_of(self._parts)

    def ask(self, key: str, wish: str) -> bool:
        """Have that node do something, as soon as it speaks to any part; False when none knows it."""
        return ask_node(self._parts, key, wish)

    def leases(self) -> list[LeaseState]:
        """Who holds which host."""
        return self._each(lambda part: part.leases())

    def dead(self, limit: int | None = None) -> list[DeadUrl]:
        """What was given up."""
        return list(islice(self._each(lambda part: part.dead(limit)), limit))

    def block(self, hosts: Collection[str]) -> int:
        """Lease them no more; returns how many were not blocked before."""
        return sum(part.block(some) for part, some in self._divided(hosts))

    def unblock(self, hosts: Collection[str]) -> int:
        """Lease them again; returns how many were blocked."""
        return sum(part.unblock(some) for part, some in self._divided(hosts))

    def set_delay(self, host: str, seconds: float) -> None:
        """Have it rest at least so long after each fetch."""
        self._of(host).set_delay(host, seconds)

    def rescore(self, scores: Sequence[tuple[int, float]]) -> None:
        """Give entries (by fingerprint) their scores of now; a part that does not have one takes no harm."""
        for part in self._parts:
            part.rescore(scores)

    def revive(self, fingerprints: Collection[int] | None = None) -> int:
        """Queue dead URLs again; returns how many."""
        return sum(part.revive(fingerprints) for part in self._parts)

    def records(self) -> Iterator[Record]:
        """Everything there is at the first of them; all servers note from then on what leaves, before the first is read."""
        exports = [part.begin_export() for part in self._parts]
        yield from self.hosts()
        for part in self._parts:  # before the queues: what is delivered meanwhile stands there
            yield from letters.waiting(part)
        facts: set[Fact] = set()
        for number, (part, export) in enumerate(zip(self._parts, exports, strict=True)):
            try:
                for record in _while_kept(export.rest(), exports[number + 1 :]):
                    if not isinstance(record, Fact):
                        yield record
                    elif record not in facts:
                        facts.add(record)
                        yield record
            except LostWatch:
                raise part.lost() from None

    def take_in(self, records: Iterable[Record]) -> int:
        """Add ``records``; returns how many URLs were new. Each host's go to its part.

        What is done has no host any more: every part knows it then, and the first counts it.
        """
        left, new = iter(records), 0
        while some := list(islice(left, TAKEN_AT_ONCE)):
            shares: list[list[Record]] = [[] for _ in self._parts]
            for record in some:
                everywhere = isinstance(record, DoneUrls | Fact)
                for number in range(len(shares)) if everywhere else (self._number(_host_of(record)),):
                    shares[number].append(record)
            for number, (part, share) in enumerate(zip(self._parts, shares, strict=True)):
                new += part.take_in(share, counts_done=number == 0)
        return new

    def clear(self) -> None:
        """Forget everything; CrawlRunning while a node has a lease."""
        for part in self._parts:
            if any(lease.seconds_left > 0 for lease in part.leases()):
                raise part.running()
        for part in self._parts:
            letters.forget(part)
            part.clear()

    def close(self) -> None:
        """Give the connections back."""
        for part in self._parts:
            part.close()

    def _each(self, look: Callable[[RedisInspection], Iterable[_T]]) -> list[_T]:
        return [one for part in self._parts for one in look(part)]

    def _number(self, host: str) -> int:
        return part_of(host, len(self._parts))

    def _of(self, host: str) -> RedisInspection:
        return self._parts[self._number(host)]

    def _divided(self, hosts: Iterable[str]) -> Iterator[tuple[RedisInspection, list[str]]]:
        shares: dict[int, list[str]] = {}
        for host in hosts:
            shares.setdefault(self._number(host), []).append(host)
        return ((self._parts[number], some) for number, some in sorted(shares.items()))


def _while_kept(records: Iterable[Record], others: Sequence[Export]) -> Iterator[Record]:
    """The records of one part, while the servers of the others go on noting."""
    kept_at = time.monotonic()
    for record in records:
        if time.monotonic() - kept_at > KEPT_SECONDS:
            kept_at = time.monotonic()
            for export in others:
                export.keep()
        yield record


def _host_of(record: Record) -> str:
    if isinstance(record, DeadUrl):
        return record.entry.host
    return record.host if isinstance(record, Entry | HostState) else ""
