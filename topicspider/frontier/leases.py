"""Who holds which host: all leases of an embedded frontier, and those of this process's nodes of a shared one, in memory.

One process owns an embedded frontier, so its leases need no disk: what was leased is still queued in
the file, and when the process dies its leases die with it (promise 9). They are as many as there are
connections, whatever the size of the crawl.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from topicspider.frontier.protocol import Completion, Entry, Lease


@dataclass(slots=True)
class HeldLease:
    """One host's lease: ``until`` by the wall clock, ``seconds`` long, with the URLs not completed yet."""

    token: int
    node: str
    until: float
    seconds: float
    entries: dict[int, Entry]


class Leases:
    """All leases of one frontier; ``next_token`` rises with each and never repeats (fencing)."""

    def __init__(self, next_token: int = 1) -> None:
        self.next_token = next_token
        self._held: dict[str, HeldLease] = {}

    def __contains__(self, host: object) -> bool:
        return host in self._held

    def __len__(self) -> int:
        """How many hosts are leased."""
        return len(self._held)

    @property
    def hosts(self) -> Mapping[str, HeldLease]:
        return self._held

    @property
    def url_count(self) -> int:
        return sum(len(lease.entries) for lease in self._held.values())

    @property
    def first_end(self) -> float:
        """When the first lease is over, by the wall clock."""
        return min((lease.until for lease in self._held.values()), default=float("inf"))

    def is_leased(self, host: str, fingerprint: int) -> bool:
        lease = self._held.get(host)
        return lease is not None and fingerprint in lease.entries

    def grant(self, host: str, node: str, entries: Iterable[Entry], until: float, seconds: float) -> Lease:
        """Lease a host that is free."""
        held = HeldLease(self.next_token, node, until, seconds, {entry.fingerprint: entry for entry in entries})
        self._held[host] = held
        self.next_token += 1
        return Lease(host, held.token, tuple(held.entries.values()))

    def take(self, node: str, leases: Iterable[Lease]) -> None:
        """Add leases that a shared frontier has granted: they end when it reports so."""
        for lease in leases:
            entries = {entry.fingerprint: entry for entry in lease.entries}
            self._held[lease.host] = HeldLease(lease.token, node, math.inf, math.inf, entries)

    def left_to(self, node: str, completions: Iterable[Completion]) -> list[tuple[str, int]]:
        """(host, token) of the leases that ``node`` keeps after ``completions``, which may end some."""
        ended = {(one.host, one.fingerprint) for one in completions}
        return [
            (host, lease.token)
            for host, lease in self._held.items()
            if lease.node == node and any((host, fingerprint) not in ended for fingerprint in lease.entries)
        ]

    def lose(self, node: str, hosts: Iterable[str]) -> None:
        """Drop the leases of ``node`` on ``hosts``."""
        for host in hosts:
            if host in self._held and self._held[host].node == node:
                del self._held[host]

    def accepted(self, completions: Iterable[Completion]) -> list[tuple[Completion, Entry]]:
        """The completions that count, each with its entry: right token, still leased, once (promise 6)."""
        taken: set[int] = set()
        counted = []
        for completion in completions:
            lease = self._held.get(completion.host)
            if lease is None or lease.token != completion.token or completion.fingerprint in taken:
                continue
            entry = lease.entries.get(completion.fingerprint)
            if entry is not None:
                taken.add(completion.fingerprint)
                counted.append((completion, entry))
        return counted

    def finish(self, completion: Completion) -> None:
        """Take a completed URL out of its lease; the last one ends the lease (promise 13)."""
        lease = self._held[completion.host]
        del lease.entries[completion.fingerprint]
        if not lease.entries:
            del self._held[completion.host]

    def renew(self, node: str, now: float, seconds: float) -> None:
        """Start the time of this node's leases anew."""
        for lease in self._held.values():
            if lease.node == node:
                lease.until, lease.seconds = now + seconds, seconds

    def revoke(self, leases: Iterable[Lease]) -> None:
        """End leases that were granted but never reached their node."""
        for lease in leases:
            self._held.pop(lease.host, None)

    def expire(self, now: float) -> None:
        for host in [host for host, lease in self._held.items() if lease.until <= now]:
            del self._held[host]

    def clock_went_back(self, now: float) -> None:
        """No lease lasts longer than it was given for."""
        for lease in self._held.values():
            lease.until = min(lease.until, now + lease.seconds)

    def clear(self) -> None:
        """End all; their tokens stay stale."""
        self._held.clear()
