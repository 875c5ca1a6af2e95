"""Leases in memory: all leases of an embedded frontier, or those of this process's nodes of a shared one.

One process owns an embedded frontier, so its leases need not be on disk: a leased URL is still queued in the file, and when the process
dies its leases die with it (promise 9). There are about as many as connections, whatever the size of the crawl.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from topicspider.frontier.protocol import Completion, Entry, Lease


@dataclass(slots=True)
class HeldLease:
    """The lease of one host. ``until``: its end by the wall clock. ``seconds``: its length. ``entries``: its URLs not completed yet."""

    token: int
    node: str
    until: float
    seconds: float
    entries: dict[int, Entry]


class Leases:
    """All leases of one frontier. ``next_token`` rises with each lease and is never reused (fencing tokens)."""

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
        """The time by the wall clock at which the first lease ends; infinity when there is none."""
        return min((lease.until for lease in self._held.values()), default=float("inf"))

    def is_leased(self, host: str, fingerprint: int) -> bool:
        lease = self._held.get(host)
        return lease is not None and fingerprint in lease.entries

    def grant(self, host: str, node: str, entries: Iterable[Entry], until: float, seconds: float) -> Lease:
        """Lease a host that is not leased."""
        held = HeldLease(self.next_token, node, until, seconds, {entry.fingerprint: entry for entry in entries})
        self._held[host] = held
        self.next_token += 1
        return Lease(host, held.token, tuple(held.entries.values()))

    def take(self, node: str, leases: Iterable[Lease]) -> None:
        """Add leases that a shared frontier has granted. They have no end here: the frontier reports when they end."""
        for lease in leases:
            entries = {entry.fingerprint: entry for entry in lease.entries}
            self._held[lease.host] = HeldLease(lease.token, node, math.inf, math.inf, entries)

    def left_to(self, node: str, completions: Iterable[Completion]) -> list[tuple[str, int]]:
        """(host, token) of the leases that ``node`` still has after ``completions``, which may end some of them."""
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
        """The valid completions, each with its entry: the token is right, the URL is still leased, and it occurs once (promise 6)."""
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
        """Remove a completed URL from its lease; the lease ends with its last URL (promise 13)."""
        lease = self._held[completion.host]
        del lease.entries[completion.fingerprint]
        if not lease.entries:
            del self._held[completion.host]

    def renew(self, node: str, now: float, seconds: float) -> None:
        """Let this node's leases last ``seconds`` from ``now``."""
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
        """After the clock was set back: no lease lasts longer than it was given for."""
        for lease in self._held.values():
            lease.until = min(lease.until, now + lease.seconds)

    def clear(self) -> None:
        """End all leases; their tokens stay invalid."""
        self._held.clear()
