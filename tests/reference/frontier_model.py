"""What a frontier and its inspection promise, as plain Python: the model that every frontier is tested against. Slow on purpose."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

from topicspider.frontier.host_ranking import (
    LONGEST_WAIT,
    REQUESTS_PER_CONNECTION,
    SERVER_RANKS,
    FrontierOptions,
    HostView,
    Rules,
    Standing,
    clean_text,
    from_micros,
    grant_of,
    moving_average,
    requests_told,
    rest_of,
    to_micros,
)
from topicspider.frontier.inspection import (
    OWN_FACTS,
    DeadUrl,
    DoneUrls,
    Fact,
    HostState,
    LeaseState,
    Record,
    check_delay,
    clean_dead,
)
from topicspider.frontier.leases import HeldLease, Leases
from topicspider.frontier.protocol import Completion, Counts, End, Entry, Grant, HostTiming, Lease, Work


@dataclass(slots=True)
class _Host:
    name: str
    tie: int
    pages: int = 0
    connect_seconds: float | None = None
    response_seconds: float | None = None
    requests_per_connection: int | None = None
    ready_at: float = -math.inf
    rest_seconds: float = 0.0
    delay_seconds: float = 0.0
    is_blocked: bool = False
    entered: int = 0

    def rest(self, seconds: float, now: float) -> None:
        if seconds > 0 and now + seconds > self.ready_at:
            self.ready_at, self.rest_seconds = now + seconds, seconds


class FrontierModel:
    """See Frontier and Inspection for the promises: it is both."""

    def __init__(self, *, clock: Callable[[], float] = time.time, **options: Unpack[FrontierOptions]) -> None:
        self._rules = Rules(**options)
        self._clock = clock
        self._last_now = -math.inf
        self._leases = Leases()
        self.clear()

    def acquire(self, node: str, hosts: int, urls_per_host: int, lease_seconds: float) -> Grant:
        now = self._now()
        self._leases.expire(now)
        self._wake(now)
        leases: list[Lease] = []
        is_patient = False
        while len(leases) < hosts and not is_patient:
            count = self._rules.room(self._pages, self._leases.url_count, urls_per_host)
            ready = self._ready(now) if count > 0 else []
            if not ready:
                break
            queue = self._queue(ready[0])
            if is_patient := self._rules.is_outbid(to_micros(queue[0].score), self._best_waiting(now)):
                break
            most = self._rules.host_room(ready[0].pages, min(count, ready[0].requests_per_connection or count))
            entries = [one for one in queue if self._is_worth_it(one)][:most]
            leases.append(self._leases.grant(ready[0].name, node, entries, now + lease_seconds, lease_seconds))
        return grant_of(leases, self._standing(now, is_patient=is_patient))

    def renew(self, node: str, lease_seconds: float) -> None:
        self._leases.renew(node, self._now(), lease_seconds)

    def apply(self, work: Work) -> int:
        now = self._now()
        self._flushes += 1
        for name, timing in (work.timings or {}).items():
            self._learn_timing(self._host(name), timing, now)
        for fingerprint, score in work.revisions:
            self._rescore(fingerprint, score, only_higher=False)
        new = sum(map(self._add, work.entries))
        for fingerprint, score in work.promotions:
            self._rescore(fingerprint, score, only_higher=True)
        for completion, entry in self._leases.accepted(work.completions):
            self._complete(completion, entry)
            self._leases.finish(completion)
        self._wake(now)
        return new

    def known(self, fingerprints: Sequence[int]) -> set[int]:
        return {one for one in fingerprints if one in self._gone or one in self._entries}

    def counts(self) -> Counts:
        leased = self._leases.url_count
        queued = len(self._entries) - leased
        return Counts(queued, leased, self._done, len(self._dead), self._pages, len(self._hosts))

    def peek(self, limit: int = 20) -> list[Entry]:
        return sorted(self._free(), key=self._order)[:limit]

    top = peek

    def bottom(self, limit: int) -> list[Entry]:
        return sorted(self._free(), key=self._order, reverse=True)[:limit]

    def meta(self, key: str) -> str:
        return self._meta.get(key, "")

    def set_meta(self, key: str, value: str) -> None:
        self._meta[key] = clean_text(value)

    def clear(self) -> None:
        self._leases.clear()
        self._entries: dict[int, Entry] = {}  # queued and leased
        self._gone: set[int] = set()  # done and dead
        self._hosts: dict[str, _Host] = {}
        self._dead: list[DeadUrl] = []
        self._meta: dict[str, str] = {}
        self._done = self._pages = self._flushes = 0

    def close(self) -> None:
        """Nothing to give back."""

    def set_least_score(self, least: float) -> None:
        """As another run may."""
        self._rules = replace(self._rules, least_score=least)

    def forget_lease(self, host: str) -> None:
        """As a process that is killed does."""
        self._leases.revoke([Lease(host, 0, ())])

    def hosts(self) -> Iterator[HostState]:
        return map(self._state, list(self._hosts.values()))

    def leases(self) -> list[LeaseState]:
        now = self._now()
        return [
            LeaseState(host, held.node, max(0.0, held.until - now), tuple(one.url for one in held.entries.values()))
            for host, held in self._leases.hosts.items()
        ]

    def dead(self) -> list[DeadUrl]:
        return self._dead[::-1]

    def block(self, hosts: Collection[str]) -> int:
        return self._mark(hosts, is_blocked=True)

    def unblock(self, hosts: Collection[str]) -> int:
        return self._mark(hosts, is_blocked=False)

    def set_delay(self, host: str, seconds: float) -> None:
        self._host(host).delay_seconds = check_delay(seconds)

    def revive(self, fingerprints: Collection[int]) -> int:
        chosen = [dead for dead in self._dead if dead.entry.fingerprint in fingerprints]
        self._dead = [dead for dead in self._dead if dead not in chosen]
        self._gone.difference_update(dead.entry.fingerprint for dead in chosen)
        return self.apply(Work(entries=[replace(dead.entry, attempts=0) for dead in chosen]))

    def records(self) -> Iterator[Record]:
        yield from self.hosts()
        yield from (Fact(key, value) for key, value in self._meta.items() if not key.startswith(OWN_FACTS))
        yield from list(self._entries.values())
        yield from list(self._dead)
        done = self._gone - {dead.entry.fingerprint for dead in self._dead}
        if done:
            yield DoneUrls(tuple(sorted(done)))

    def take_in(self, records: Iterable[Record]) -> int:
        taken = list(records)
        known = len(self._gone)
        now = self._now()
        for state in (one for one in taken if isinstance(one, HostState)):
            self._take_in_host(self._host(state.host), state, now)
        self._meta = {one.key: one.value for one in taken if isinstance(one, Fact)} | self._meta
        new = self.apply(Work(entries=[one for one in taken if isinstance(one, Entry)]))
        for one in taken:
            if isinstance(one, DeadUrl) and not self.known([one.entry.fingerprint]):
                self._dead.append(clean_dead(one))
                self._gone.add(one.entry.fingerprint)
                self._host(one.entry.host)
        done = {done for one in taken if isinstance(one, DoneUrls) for done in one.fingerprints}
        unknown = done - self.known(list(done))
        self._gone |= unknown
        self._done += len(unknown)
        return new + len(self._gone) - known

    def _order(self, entry: Entry) -> tuple[int, int]:
        return -to_micros(entry.score), self._rules.url_tie(entry.fingerprint)

    def _queue(self, host: _Host) -> list[Entry]:
        """What is queued or leased of it, best first."""
        return sorted((one for one in self._entries.values() if one.host == host.name), key=self._order)

    def _has_urls(self, host: _Host) -> bool:
        return any(one.host == host.name for one in self._entries.values())

    def _free(self) -> Iterator[Entry]:
        return (one for one in self._entries.values() if not self._leases.is_leased(one.host, one.fingerprint))

    def _rank(self, host: _Host) -> float:
        queue, allowed = self._queue(host), host.requests_per_connection or REQUESTS_PER_CONNECTION
        ahead = [to_micros(one.score) for one in queue[:allowed]]
        best, next_sum = from_micros(ahead[0]), from_micros(sum(ahead))
        times = (host.connect_seconds, host.response_seconds)
        view = HostView(len(queue), best, next_sum, host.entered, *times, allowed)
        return SERVER_RANKS[self._rules.server_policy](view)

    def _is_worth_it(self, entry: Entry) -> bool:
        return to_micros(entry.score) >= self._rules.least

    def _may_give(self, host: _Host) -> bool:
        return self._has_urls(host) and not host.is_blocked and self._rules.host_room(host.pages, 1) > 0

    def _can_give(self, host: _Host) -> bool:
        return self._may_give(host) and self._is_worth_it(self._queue(host)[0])

    def _unleased(self) -> list[_Host]:
        return [one for one in self._hosts.values() if one.name not in self._leases and self._can_give(one)]

    def _ready(self, now: float) -> list[_Host]:
        rested = [one for one in self._unleased() if one.ready_at <= now]
        return sorted(rested, key=lambda host: (-self._rank(host), host.tie, host.name))

    def _best_waiting(self, now: float) -> float:
        """The best score, in millionths, that is waited for; -inf for none (promise 15)."""
        if not self._rules.is_patient:
            return -math.inf
        resting = [self._queue(host)[0] for host in self._unleased() if now < host.ready_at <= now + LONGEST_WAIT]
        more = (entry for name, held in self._leases.hosts.items() for entry in self._more_of(self._hosts[name], held))
        return max((to_micros(entry.score) for entry in (*resting, *more)), default=-math.inf)

    def _more_of(self, host: _Host, held: HeldLease) -> list[Entry]:
        """What a leased host that is waited for may give beside what is leased."""
        room = self._rules.host_room(host.pages + len(held.entries), 1)
        if host.is_blocked or host.rest_seconds > LONGEST_WAIT or not room:
            return []
        return [one for one in self._queue(host) if one.fingerprint not in held.entries]

    def _standing(self, now: float, *, is_patient: bool) -> Standing:
        leased = self._leases.url_count
        more = {
            self._hosts[one.host].name: self._hosts[one.host] for one in self._free() if self._is_worth_it(one)
        }.values()
        low = (one for one in self._hosts.values() if one.name not in self._leases and self._may_give(one))
        resting = [host.ready_at - now for host in self._unleased() if host.ready_at > now]
        is_in_the_way = any(host.name in self._leases and not host.is_blocked for host in more)
        return Standing(
            queued=len(self._entries) - leased,
            leased=leased,
            room=self._rules.room(self._pages, leased, 1),
            is_ready_left=not is_patient and bool(self._ready(now)),
            rest_ends_in=min(resting, default=None),
            lease_ends_in=self._leases.first_end - now if is_in_the_way else None,
            is_blocked_left=any(host.is_blocked and self._rules.host_room(host.pages, 1) for host in more),
            is_patient=is_patient,
            is_low_left=any(not self._can_give(one) for one in low),
        )

    def _leased(self, host: _Host) -> int:
        held = self._leases.hosts.get(host.name)
        return len(held.entries) if held else 0

    def _now(self) -> float:
        now = self._clock()
        if now < self._last_now:
            self.look_at_the_clock()
        self._last_now = now
        return now

    def look_at_the_clock(self) -> None:
        """It may have been set back; who opens a frontier does not know."""
        now = self._last_now = self._clock()
        self._leases.clock_went_back(now)
        for host in self._hosts.values():
            host.ready_at = min(host.ready_at, now + host.rest_seconds)
        self._wake(now)

    def _wake(self, now: float) -> None:
        """A host that may be asked has rested for good: a clock set back makes it rest no second time."""
        for host in self._hosts.values():
            if host.ready_at <= now and self._can_give(host):
                host.ready_at = -math.inf

    def _host(self, name: str) -> _Host:
        name = clean_text(name)
        return self._hosts.setdefault(name, _Host(name, self._rules.host_tie(name)))

    def _learn_timing(self, host: _Host, timing: HostTiming, now: float) -> None:
        host.connect_seconds = moving_average(host.connect_seconds, timing.connect_seconds)
        host.response_seconds = moving_average(host.response_seconds, timing.response_seconds)
        host.requests_per_connection = requests_told(host.requests_per_connection, timing.requests_per_connection)
        host.rest(rest_of(timing.rest_seconds, host.delay_seconds), now)

    def _add(self, entry: Entry) -> bool:
        if self.known([entry.fingerprint]):
            self._rescore(entry.fingerprint, entry.score, only_higher=True)
            return False
        host = self._host(entry.host)
        if not self._has_urls(host):
            host.entered = self._flushes
        self._entries[entry.fingerprint] = clean_dead(DeadUrl(entry, "")).entry
        return True

    def _rescore(self, fingerprint: int, score: float, *, only_higher: bool) -> None:
        entry, micros = self._entries.get(fingerprint), to_micros(score)
        if entry is not None and not (only_higher and micros <= to_micros(entry.score)):
            self._entries[fingerprint] = replace(entry, score=from_micros(micros))

    def _complete(self, completion: Completion, leased: Entry) -> None:
        if completion.end is End.RELEASED:
            return
        host = self._hosts[leased.host]
        host.entered = self._flushes
        entry = replace(self._entries[leased.fingerprint], attempts=leased.attempts + 1)
        if completion.end is End.FAILED and entry.attempts < self._rules.attempts:
            self._entries[entry.fingerprint] = entry
            return
        del self._entries[entry.fingerprint]
        self._gone.add(entry.fingerprint)
        if completion.end is End.FAILED:
            self._dead.append(DeadUrl(entry, clean_text(completion.reason)))
            return
        self._done += 1
        self._pages += completion.end is End.PAGE
        host.pages += completion.end is End.PAGE

    def _mark(self, hosts: Collection[str], *, is_blocked: bool) -> int:
        found = {host.name: host for host in map(self._host, hosts)}.values()
        changed = [host for host in found if host.is_blocked != is_blocked]
        for host in changed:
            host.is_blocked = is_blocked
        self._wake(self._now())
        return len(changed)

    def _take_in_host(self, host: _Host, state: HostState, now: float) -> None:
        self._pages += max(0, state.pages - host.pages)
        host.pages = max(host.pages, state.pages)
        host.delay_seconds = max(host.delay_seconds, state.delay_seconds)
        host.is_blocked |= state.is_blocked
        host.rest(state.rest_seconds, now)

    def _state(self, host: _Host) -> HostState:
        queue, leased, now = self._queue(host), self._leased(host), self._now()
        return HostState(
            host=host.name,
            queued=len(queue) - leased,
            leased=leased,
            dead=sum(dead.entry.host == host.name for dead in self._dead),
            pages=host.pages,
            best=queue[0].score if queue else None,
            rest_seconds=max(0.0, host.ready_at - now) if math.isfinite(host.ready_at) else 0.0,
            delay_seconds=host.delay_seconds,
            is_blocked=host.is_blocked,
        )
