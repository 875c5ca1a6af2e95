"""The inspection of a MemoryFrontier: the model that every other frontier is tested against."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from topicspider.frontier.dead_letters import DeadUrl, clean_dead
from topicspider.frontier.host_ranking import clean_text, requests_told, to_micros
from topicspider.frontier.inspection import OWN_FACTS, DoneUrls, Fact, HostState, LeaseState, Record, check_delay
from topicspider.frontier.memory import MemoryFrontier
from topicspider.frontier.protocol import Entry, Work


class InspectedMemoryFrontier(MemoryFrontier):
    """See Inspection for the promises; it is its own inspection."""

    def hosts(self) -> Iterator[HostState]:
        """All known hosts."""
        return (self._state(name) for name in list(self._hosts))

    def top(self, limit: int) -> list[Entry]:
        """The best queued URLs."""
        return [entry for _, _, entry in heapq.nsmallest(limit, self._ordered())]

    def bottom(self, limit: int) -> list[Entry]:
        """The worst queued URLs."""
        return [entry for _, _, entry in heapq.nlargest(limit, self._ordered())]

    def leases(self) -> list[LeaseState]:
        """Who holds which host."""
        now = self._now()
        return [
            LeaseState(host, held.node, max(0.0, held.until - now), tuple(one.url for one in held.entries.values()))
            for host, held in self._leases.hosts.items()
        ]

    def dead(self, limit: int | None = None) -> list[DeadUrl]:
        """What was given up."""
        return self._dead[::-1][:limit]

    def block(self, hosts: Collection[str]) -> int:
        """Lease them no more; returns how many were not blocked before."""
        return self._mark(hosts, is_blocked=True)

    def unblock(self, hosts: Collection[str]) -> int:
        """Lease them again; returns how many were blocked."""
        return self._mark(hosts, is_blocked=False)

    def set_delay(self, host: str, seconds: float) -> None:
        """Have it rest at least so long after each fetch."""
        self._host(clean_text(host)).delay_seconds = check_delay(seconds)

    def revive(self, fingerprints: Collection[int]) -> int:
        """Queue dead URLs again; returns how many."""
        chosen = [dead for dead in self._dead if dead.entry.fingerprint in fingerprints]
        self._dead = [dead for dead in self._dead if dead not in chosen]
        self._gone.difference_update(dead.entry.fingerprint for dead in chosen)
        return self.apply(Work(entries=[replace(dead.entry, attempts=0) for dead in chosen]))

    def records(self) -> Iterator[Record]:
        """Everything."""
        yield from self.hosts()
        yield from (Fact(key, value) for key, value in self._meta.items() if not key.startswith(OWN_FACTS))
        yield from list(self._entries.values())
        yield from list(self._dead)
        done = self._gone - {dead.entry.fingerprint for dead in self._dead}
        if done:
            yield DoneUrls(tuple(sorted(done)))

    def take_in(self, records: Iterable[Record]) -> int:
        """Add ``records``, as one transaction; returns how many URLs were new."""
        taken = list(records)
        known = len(self._gone)
        self._take_in_hosts([one for one in taken if isinstance(one, HostState)])
        self._meta = {one.key: one.value for one in taken if isinstance(one, Fact)} | self._meta
        new = self.apply(Work(entries=[one for one in taken if isinstance(one, Entry)]))
        for one in taken:
            if isinstance(one, DeadUrl) and not self.known([one.entry.fingerprint]):
                self._dead.append(clean_dead(one))
                self._gone.add(one.entry.fingerprint)
                self._host(clean_text(one.entry.host))
        done = {mark for one in taken if isinstance(one, DoneUrls) for mark in one.fingerprints}
        unknown = done - self.known(list(done))
        self._gone |= unknown
        self._done += len(unknown)
        return new + len(self._gone) - known

    def _take_in_hosts(self, states: Sequence[HostState]) -> None:
        now = self._now()
        for state in states:
            host = self._host(clean_text(state.host))
            self._pages += max(0, state.pages - host.pages)
            host.pages = max(host.pages, state.pages)
            host.delay_seconds = max(host.delay_seconds, state.delay_seconds)
            host.connect_seconds = state.connect_seconds if host.connect_seconds is None else host.connect_seconds
            host.response_seconds = state.response_seconds if host.response_seconds is None else host.response_seconds
            told = requests_told(None, state.requests_per_connection)
            host.requests_per_connection = host.requests_per_connection or told
            if state.rest_seconds > 0 and now + state.rest_seconds > host.ready_at:
                host.ready_at, host.rest_seconds = now + state.rest_seconds, state.rest_seconds
            self._place(host, now)
        self._mark([state.host for state in states if state.is_blocked], is_blocked=True)

    def _mark(self, hosts: Collection[str], *, is_blocked: bool) -> int:
        now, changed = self._now(), 0
        for name in dict.fromkeys(map(clean_text, hosts)):
            host = self._host(name)
            changed += host.is_blocked != is_blocked
            host.is_blocked = is_blocked
            (self._blocked.add if is_blocked else self._blocked.discard)(name)
            self._place(host, now)
        return changed

    def _state(self, name: str) -> HostState:
        host, held = self._hosts[name], self._leases.hosts.get(name)
        leased = len(held.entries) if held else 0
        now = self._now()
        return HostState(
            host=name,
            queued=len(host.queue) - leased,
            leased=leased,
            dead=sum(dead.entry.host == name for dead in self._dead),
            pages=host.pages,
            best=max(self._entries[key & ((1 << 64) - 1)].score for key in host.queue) if host.queue else None,
            rest_seconds=max(0.0, host.ready_at - now) if math.isfinite(host.ready_at) else 0.0,
            delay_seconds=host.delay_seconds,
            is_blocked=host.is_blocked,
            connect_seconds=host.connect_seconds,
            response_seconds=host.response_seconds,
            requests_per_connection=host.requests_per_connection,
        )

    def _ordered(self) -> Iterator[tuple[int, int, Entry]]:
        """The queued entries with what they are ordered by; no two share it."""
        free = itertools.filterfalse(
            lambda entry: self._leases.is_leased(entry.host, entry.fingerprint), self._entries.values()
        )
        return ((-to_micros(entry.score), self._tie_of(entry.fingerprint), entry) for entry in free)
