"""MemoryFrontier: the frontier as plain Python, for tests and for crawls that need not survive.

It is written to be read: the other frontiers are tested against it.
"""

from __future__ import annotations

import bisect
import heapq
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Unpack

from topicspider.frontier.dead_letters import DeadUrl
from topicspider.frontier.host_ranking import (
    LONGEST_WAIT,
    MASK64,
    REQUESTS_PER_CONNECTION,
    SIGN64,
    FrontierOptions,
    HostView,
    Rules,
    Standing,
    clean_text,
    from_micros,
    grant_of,
    moving_average,
    pages_ahead,
    requests_told,
    rest_of,
    to_micros,
)
from topicspider.frontier.leases import Leases
from topicspider.frontier.protocol import Completion, Counts, End, Entry, Grant, HostTiming, Lease, Work

_UrlKey = int  # -micros, then 64 bits of tie (see _tie_of): ascending is best first; one integer, as queues are long
_HostKey = tuple[float, int, str]  # (-rank, tie, name): ascending is best first


@dataclass(slots=True)
class _Host:
    name: str
    tie: int
    queue: list[_UrlKey] = field(default_factory=list)
    pages: int = 0
    connect_seconds: float | None = None
    response_seconds: float | None = None
    requests_per_connection: int | None = None
    ready_at: float = -math.inf
    rest_seconds: float = 0.0
    delay_seconds: float = 0.0
    is_blocked: bool = False
    entered: int = 0
    ready_key: _HostKey | None = None
    alarm_at: float = -math.inf  # the ready_at for which the heap of resting hosts has an item


class MemoryFrontier:
    """See Frontier for the promises; durable means here: as long as the object lives."""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        **options: Unpack[FrontierOptions],
    ) -> None:
        self._rules = Rules(**options)
        self._clock = clock
        self._last_now = -math.inf
        self._leases = Leases()
        self._forget()

    def _forget(self) -> None:
        self._leases.clear()
        self._entries: dict[int, Entry] = {}  # queued and leased, by tie
        self._gone: set[int] = set()  # fingerprints of those that were removed: done and dead
        self._hosts: dict[str, _Host] = {}
        self._blocked: set[str] = set()
        self._ready: list[_HostKey] = []  # hosts that have URLs and have rested, leased or not
        self._resting: list[tuple[float, str]] = []  # heap; an item whose host has another ready_at is stale
        self._dead: list[DeadUrl] = []
        self._meta: dict[str, str] = {}
        self._done = self._pages = self._flushes = 0

    def acquire(self, node: str, hosts: int, urls_per_host: int, lease_seconds: float) -> Grant:
        now = self._now()
        self._leases.expire(now)
        self._wake(now)
        leases: list[Lease] = []
        is_patient = False
        while len(leases) < hosts:
            count = self._rules.room(self._pages, self._leases.url_count, urls_per_host)
            host = self._next_host() if count > 0 else None
            if host is None:
                break
            if is_patient := self._rules.is_outbid(_micros(host.queue[0]), self._best_waiting(now)):
                break
            keys = host.queue[: self._rules.host_room(host.pages, count)]
            entries = [self._entries[key & MASK64] for key in keys]
            leases.append(self._leases.grant(host.name, node, entries, now + lease_seconds, lease_seconds))
        return grant_of(leases, self._standing(now, is_patient=is_patient))

    def renew(self, node: str, lease_seconds: float) -> None:
        self._leases.renew(node, self._now(), lease_seconds)

    def apply(self, work: Work) -> int:
        now = self._now()
        self._flushes += 1
        touched: set[str] = set()
        for name, timing in (work.timings or {}).items():
            touched.add(self._learn_timing(clean_text(name), timing, now))
        for fingerprint, score in work.revisions:
            self._rescore(self._tie_of(fingerprint), to_micros(score), touched)
        new = sum(self._add(entry, touched) for entry in work.entries)
        for fingerprint, score in work.promotions:
            self._promote(self._tie_of(fingerprint), to_micros(score), touched)
        for completion, entry in self._leases.accepted(work.completions):
            self._complete(completion, entry, touched)
        for name in touched:
            self._place(self._hosts[name], now)
        return new

    def known(self, fingerprints: Sequence[int]) -> set[int]:
        return {one for one in fingerprints if one in self._gone or self._tie_of(one) in self._entries}

    def counts(self) -> Counts:
        leased = self._leases.url_count
        queued = len(self._entries) - leased
        return Counts(queued, leased, self._done, len(self._dead), self._pages, len(self._hosts))

    def peek(self, limit: int = 20) -> list[Entry]:
        best = heapq.merge(*(host.queue for host in self._hosts.values() if host.queue))
        entries = (self._entries[key & MASK64] for key in best)
        free = (entry for entry in entries if not self._leases.is_leased(entry.host, entry.fingerprint))
        return list(islice(free, limit))

    def meta(self, key: str) -> str:
        return self._meta.get(key, "")

    def set_meta(self, key: str, value: str) -> None:
        self._meta[key] = clean_text(value)

    def failures(self, limit: int = 20) -> list[tuple[str, str, int]]:
        return [(dead.entry.url, dead.reason, dead.entry.attempts) for dead in self._dead[::-1][:limit]]

    def clear(self) -> None:
        self._forget()

    def close(self) -> None:
        """Nothing to give back."""

    def _now(self) -> float:
        now = self._clock()
        if now < self._last_now:
            self._clock_went_back(now)
        self._last_now = now
        return now

    def _clock_went_back(self, now: float) -> None:
        self._leases.clock_went_back(now)
        for host in self._hosts.values():
            host.ready_at = min(host.ready_at, now + host.rest_seconds)
            self._place(host, now)

    def _wake(self, now: float) -> None:
        while self._resting and self._resting[0][0] <= now:
            ready_at, name = heapq.heappop(self._resting)
            host = self._hosts[name]
            if ready_at == host.alarm_at:
                host.alarm_at = -math.inf
                self._place(host, now)

    def _next_host(self) -> _Host | None:
        for _, _, name in self._ready[: len(self._leases) + 1]:
            if name not in self._leases:
                return self._hosts[name]
        return None

    def _best_waiting(self, now: float) -> float:
        """The best score, in millionths, that is waited for; -inf for none (promise 15)."""
        if not self._rules.is_patient:
            return -math.inf
        by = now + LONGEST_WAIT
        resting = (self._hosts[name] for at, name in self._resting if at <= by and at == self._hosts[name].alarm_at)
        waiting = [_micros(host.queue[0]) for host in resting if self._can_give(host) and host.name not in self._leases]
        return max([*waiting, *self._best_of_leased()], default=-math.inf)

    def _best_of_leased(self) -> Iterator[int]:
        for name, held in self._leases.hosts.items():
            host = self._hosts[name]
            if host.is_blocked or host.rest_seconds > LONGEST_WAIT:
                continue
            if self._rules.host_room(host.pages + len(held.entries), 1):
                marks = (self._entries[key & MASK64].fingerprint for key in host.queue)
                free = (key for key, mark in zip(host.queue, marks, strict=True) if mark not in held.entries)
                yield from map(_micros, islice(free, 1))

    def _standing(self, now: float, *, is_patient: bool) -> Standing:
        leased = self._leases.url_count
        more = [self._hosts[name] for name in self._leases.hosts if self._has_more(name)]
        blocked = (name for name in self._blocked if self._has_more(name))
        return Standing(
            queued=len(self._entries) - leased,
            leased=leased,
            room=self._rules.room(self._pages, leased, 1),
            is_ready_left=not is_patient and self._next_host() is not None,
            rest_ends_in=self._rest_ends_in(now),
            lease_ends_in=self._leases.first_end - now if any(not host.is_blocked for host in more) else None,
            is_blocked_left=any(self._rules.host_room(self._hosts[name].pages, 1) for name in blocked),
            is_patient=is_patient,
        )

    def _has_more(self, name: str) -> bool:
        """Whether more of this host is queued than leased."""
        held = self._leases.hosts.get(name)
        return len(self._hosts[name].queue) > (len(held.entries) if held else 0)

    def _rest_ends_in(self, now: float) -> float | None:
        """Looks at the heap of resting hosts only as far as its first host that is free; leased ones are put back."""
        leased: list[tuple[float, str]] = []
        first = None
        while self._resting and first is None:
            alarm = heapq.heappop(self._resting)
            host = self._hosts[alarm[1]]
            if alarm[0] != host.alarm_at:
                continue
            if not self._can_give(host):
                host.alarm_at = -math.inf
            elif host.name in self._leases:
                leased.append(alarm)
            else:
                first = alarm
        for alarm in [*leased, *([first] if first else [])]:
            heapq.heappush(self._resting, alarm)
        return None if first is None else first[0] - now

    def _host(self, name: str) -> _Host:
        if name not in self._hosts:
            self._hosts[name] = _Host(name, self._rules.host_tie(name))
        return self._hosts[name]

    def _learn_timing(self, name: str, timing: HostTiming, now: float) -> str:
        host = self._host(name)
        host.connect_seconds = moving_average(host.connect_seconds, timing.connect_seconds)
        host.response_seconds = moving_average(host.response_seconds, timing.response_seconds)
        host.requests_per_connection = requests_told(host.requests_per_connection, timing.requests_per_connection)
        _rest(host, rest_of(timing.rest_seconds, host.delay_seconds), now)
        return name

    def _add(self, entry: Entry, touched: set[str]) -> bool:
        micros, tie = to_micros(entry.score), self._tie_of(entry.fingerprint)
        if tie in self._entries or entry.fingerprint in self._gone:
            self._promote(tie, micros, touched)
            return False
        host = self._host(clean_text(entry.host))
        if not host.queue:
            host.entered = self._flushes
        self._entries[tie] = replace(
            entry,
            url=clean_text(entry.url),
            host=host.name,
            score=from_micros(micros),
            referrer=clean_text(entry.referrer),
            payload=clean_text(entry.payload),
        )
        bisect.insort(host.queue, _url_key(micros, tie))
        touched.add(host.name)
        return True

    def _promote(self, tie: int, micros: int, touched: set[str]) -> None:
        entry = self._entries.get(tie)
        if entry is not None and micros > to_micros(entry.score):
            self._rescore(tie, micros, touched)

    def _rescore(self, tie: int, micros: int, touched: set[str]) -> None:
        entry = self._entries.get(tie)
        if entry is None:
            return
        queue = self._hosts[entry.host].queue
        _discard(queue, _url_key(to_micros(entry.score), tie))
        bisect.insort(queue, _url_key(micros, tie))
        self._entries[tie] = replace(entry, score=from_micros(micros))
        touched.add(entry.host)

    def _complete(self, completion: Completion, entry: Entry, touched: set[str]) -> None:
        host = self._hosts[entry.host]
        if completion.end is not End.RELEASED:
            host.entered = self._flushes
            attempts = entry.attempts + 1
            if completion.end is End.FAILED and attempts < self._rules.attempts:
                tie = self._tie_of(entry.fingerprint)
                self._entries[tie] = replace(self._entries[tie], attempts=attempts)
            else:
                self._remove(completion, host, attempts)
        self._leases.finish(completion)
        touched.add(host.name)

    def _remove(self, completion: Completion, host: _Host, attempts: int) -> None:
        tie = self._tie_of(completion.fingerprint)
        entry = self._entries.pop(tie)
        _discard(host.queue, _url_key(to_micros(entry.score), tie))
        self._gone.add(entry.fingerprint)
        if completion.end is End.FAILED:
            self._dead.append(DeadUrl(replace(entry, attempts=attempts), clean_text(completion.reason)))
            return
        self._done += 1
        if completion.end is End.PAGE:
            self._pages += 1
            host.pages += 1

    def _tie_of(self, fingerprint: int) -> int:
        """The place of a URL among those of equal score, as 64 bits without a sign; no two URLs share one."""
        return self._rules.url_tie(fingerprint) + SIGN64

    def _can_give(self, host: _Host) -> bool:
        return bool(host.queue) and not host.is_blocked and self._rules.host_room(host.pages, 1) > 0

    def _place(self, host: _Host, now: float) -> None:
        """Put the host where it belongs: among the ready, the resting, or nowhere."""
        key = self._ready_key(host, now)
        if key == host.ready_key:  # most new links are worth less than their host's best
            return
        if host.ready_key is not None:
            _discard(self._ready, host.ready_key)
        if key is not None:
            bisect.insort(self._ready, key)
        host.ready_key = key

    def _ready_key(self, host: _Host, now: float) -> _HostKey | None:
        """The host's place among the ready; None when it has nothing to give, or rests (an alarm is set then)."""
        if not self._can_give(host):
            return None
        if host.ready_at > now:
            self._set_alarm(host)
            return None
        host.ready_at = -math.inf  # rested: a clock set back makes it rest no second time
        return (-self._rules.rank(_view(host)), host.tie, host.name)

    def _set_alarm(self, host: _Host) -> None:
        if host.alarm_at != host.ready_at:
            host.alarm_at = host.ready_at
            heapq.heappush(self._resting, (host.ready_at, host.name))


def _micros(key: _UrlKey) -> int:
    return -(key >> 64)


def _url_key(micros: int, tie: int) -> _UrlKey:
    return (-micros << 64) | tie


def _rest(host: _Host, seconds: float, now: float) -> None:
    if seconds > 0 and now + seconds > host.ready_at:
        host.ready_at, host.rest_seconds = now + seconds, seconds


def _view(host: _Host) -> HostView:
    allowed = host.requests_per_connection or REQUESTS_PER_CONNECTION
    ahead = host.queue[: pages_ahead(len(host.queue), allowed)]
    return HostView(
        queued=len(host.queue),
        best=from_micros(_micros(ahead[0])),
        next_sum=from_micros(-sum(key >> 64 for key in ahead)),
        entered=host.entered,
        connect_seconds=host.connect_seconds,
        response_seconds=host.response_seconds,
        requests_per_connection=allowed,
    )


def _discard(keys: list[_UrlKey] | list[_HostKey], key: _UrlKey | _HostKey) -> None:
    place = bisect.bisect_left(keys, key)
    assert keys[place] == key
    del keys[place]
