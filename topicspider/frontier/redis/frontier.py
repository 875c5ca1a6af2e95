"""RedisFrontier: one frontier for all nodes of a crawl, in a Redis that outlives them."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Unpack

from topicspider.errors import FrontierUnavailable
from topicspider.frontier.host_ranking import FrontierOptions, Rules, Standing, clean_text, from_micros, grant_of
from topicspider.frontier.protocol import Completion, Counts, End, Entry, Grant, Lease, Work
from topicspider.frontier.redis.connection import Connection, Reply
from topicspider.frontier.redis.packing import WorkPacker, pack_held, unpack
from topicspider.frontier.redis.server import RedisServer


class HeldLeases:
    """Hosts with the token and the URLs of their lease.

    Leases are renewed one by one, by token: one whose grant never arrived here must not live on.
    """

    def __init__(self) -> None:
        self._held: dict[str, dict[str, tuple[int, dict[int, Entry]]]] = {}

    def of(self, node: str) -> list[tuple[str, int]]:
        """Hosts with their tokens."""
        return [(host, token) for host, (token, _) in self._held.get(node, {}).items()]

    def has(self, host: str, token: int) -> bool:
        """Whether a node of this process holds that lease."""
        return any(mine.get(host, (None,))[0] == token for mine in self._held.values())

    def has_host(self, host: str) -> bool:
        """Whether a node of this process holds any lease of ``host``; other threads may ask."""
        return any(host in mine for mine in list(self._held.values()))

    def without(self, node: str, completions: Iterable[Completion]) -> list[tuple[str, int]]:
        """Hosts with their tokens, but for those whose last URL is among ``completions``."""
        ended: dict[str, set[int]] = {}
        for one in completions:
            ended.setdefault(one.host, set()).add(one.fingerprint)
        held = self._held.get(node, {})
        return [(host, token) for host, (token, urls) in held.items() if not urls.keys() <= ended.get(host, set())]

    def take(self, node: str, leases: Sequence[Lease]) -> None:
        """These were granted to ``node``."""
        mine = self._held.setdefault(node, {})
        for lease in leases:
            mine[lease.host] = (lease.token, {entry.fingerprint: entry for entry in lease.entries})

    def finish(self, completions: Iterable[Completion]) -> None:
        """These URLs have been completed."""
        for one in completions:
            for mine in self._held.values():
                token, urls = mine.get(one.host, (0, {}))
                if token == one.token:
                    urls.pop(one.fingerprint, None)
                    if not urls:
                        del mine[one.host]

    def lasting(self, work: Work) -> Work:
        """What of ``work`` has to be told again should the server forget it, with the URLs that were completed: it may
        have forgotten them, too. What others were granted meanwhile is not completed by us."""
        done = [(one, entry) for one in work.completions if (entry := self._entry(one)) is not None]
        return Work([one for one, _ in done], [*(entry for _, entry in done), *work.entries], timings=work.timings)

    def _entry(self, one: Completion) -> Entry | None:
        leases = (mine[one.host] for mine in self._held.values() if one.host in mine)
        return next((urls.get(one.fingerprint) for token, urls in leases if token == one.token), None)

    def lost(self, node: str, hosts: Iterable[str]) -> None:
        """Their leases are over."""
        for host in hosts:
            self._held.get(node, {}).pop(host, None)

    def clear(self) -> None:
        """Nothing is held."""
        self._held.clear()


_NO_WORK = [b"-", b"", b"", b"", b"", b""]
UNREADABLE = "unreadable"
RESTARTED = "restarted"


class RedisFrontier:
    """See Frontier for the promises; several processes, on several machines, may have one crawl open.

    Every call is one Lua program, so it is atomic, whatever the number of links. The rules (limits,
    policy) are those of the node that opened the crawl last; the seed is that of its first run. Raises
    FrontierUnavailable from the constructor and from any call when Redis does not answer, or says no.
    ``clock``: for tests; time is the server's.
    """

    def __init__(
        self,
        server: RedisServer,
        crawl: str,
        *,
        wait_seconds: float = 0.0,
        clock: Callable[[], float] | None = None,
        **options: Unpack[FrontierOptions],
    ) -> None:
        rules = Rules(**options)
        self._held = HeldLeases()
        self._unreadable: list[Completion] = []  # still to be told
        self.asked = ""  # what somebody asked this node to do, as of its last beat
        self._connection = Connection(server, crawl, rules, clock)
        try:
            self._connection.open(wait_seconds)
            self._packer = WorkPacker(self._connection.marks, self._connection.seed)
            if self._connection.is_ranked_anew:
                self._rank_anew()
        except BaseException:
            server.close()
            raise

    @property
    def restarts(self) -> int:
        """Rises when the server was started again and may have forgotten what it had confirmed."""
        return self._connection.restarts

    def acquire(self, node: str, hosts: int, urls_per_host: int, lease_seconds: float) -> Grant:
        return self._sync(Work(), node, hosts, urls_per_host, lease_seconds, renews=False)[0]

    def renew(self, node: str, lease_seconds: float) -> None:
        self._call(None, node, pack_held(self._held.of(node)), lease_seconds=lease_seconds)

    def apply(self, work: Work) -> int:
        return self._call(work)[2]

    def sync(
        self,
        work: Work,
        node: str,
        hosts: int,
        urls_per_host: int,
        lease_seconds: float,
        beat: str = "",
    ) -> tuple[Grant, Counts]:
        return self._sync(work, node, hosts, urls_per_host, lease_seconds, beat=beat)

    def holds(self, host: str, token: int) -> bool:
        return self._held.has(host, token)

    def holds_host(self, host: str) -> bool:
        """Whether this process has any lease of ``host``, as far as the last call knew."""
        return self._held.has_host(host)

    def known(self, fingerprints: Sequence[int]) -> set[int]:
        reply = self._connection.call("known", self._packer.questions(fingerprints))
        return {one for one, is_known in zip(fingerprints, reply[0], strict=True) if is_known}

    def counts(self) -> Counts:
        return Counts(*self._connection.call("counts")[0])

    def peek(self, limit: int = 20) -> list[Entry]:
        if limit <= 0:
            return []
        found = self._connection.call("peek", str(limit))[0]
        best = heapq.nsmallest(limit, found, key=lambda told: (float(told[2]), told[1]))
        entries = (self._entry(host.decode(), *told) for host, *told in best)
        return [entry for entry in entries if entry.url]

    def meta(self, key: str) -> str:
        value = self._connection.run("HGET", "meta", clean_text(key))
        return "" if value is None else value.decode()

    def set_meta(self, key: str, value: str) -> None:
        self._connection.run("HSET", "meta", clean_text(key), clean_text(value))

    def run(self, command: str, name: str, *arguments: str | int) -> Reply:
        """A plain command on one key of the crawl, for what is kept beside the queue."""
        return self._connection.run(command, name, *arguments)

    def clear(self) -> None:
        self._connection.call("clear")
        self._connection.forget_journal()
        self._held.clear()
        self._unreadable = []

    def close(self) -> None:
        """Give the connection back; what is leased stays so until its time is over."""
        self._connection.close()

    def _sync(
        self, work: Work, node: str, hosts: int, urls_per_host: int, lease_seconds: float, **more: Any
    ) -> tuple[Grant, Counts]:
        held = pack_held(self._held.without(node, work.completions))
        return self._call(work or None, node, held, hosts, urls_per_host, lease_seconds, **more)[:2]

    def _call(
        self,
        work: Work | None,
        node: str = "",
        held: bytes = b"",
        hosts: int = -1,
        urls_per_host: int = 0,
        lease_seconds: float = -1.0,
        *,
        renews: bool = True,
        beat: str = "",
    ) -> tuple[Grant, Counts, int]:
        """What was granted, where the URLs are, and how many entries were new.

        ``hosts``: -1 asks for none, nor how things stand. ``renews``: the leases in ``held``, unless ``lease_seconds`` is -1.
        """
        unreadable = self._unreadable
        if unreadable and work is None:
            work = Work()
        packed = _NO_WORK if work is None else self._packer.pack(work, unreadable)
        lasting = None if work is None else self._held.lasting(work)
        asked = (clean_text(node), held, repr(float(lease_seconds)), str(hosts), str(urls_per_host))
        told = self._connection.sync(lasting, packed, asked, renews=renews, beat=beat)
        counts, new, gone, leases, standing, quiet, wish = told
        if beat:
            self.asked = wish.decode()
        self._unreadable = []
        self._held.lost(node, [name.decode() for name in gone])
        if work is not None:
            self._held.finish(work.completions)
        granted = self._leases(node, leases)
        grant = self._grant(granted, counts, standing, quiet) if hosts >= 0 else Grant((), None)
        return grant, Counts(*counts), new

    def _grant(self, leases: list[Lease], counts: Reply, standing: Reply, quiet: bytes) -> Grant:
        if quiet:
            return Grant((), float(quiet), RESTARTED)
        room, is_ready_left, rest, lease, *is_left = standing
        queued, leased = counts[:2]
        waits = (_seconds(rest), _seconds(lease))
        return grant_of(leases, Standing(queued, leased, room, bool(is_ready_left), *waits, *map(bool, is_left)))

    def _leases(self, node: str, told: Reply) -> list[Lease]:
        leases = []
        for name, number, urls in told:
            host = name.decode()
            token = (self._connection.epoch << 32) | number
            entries = [self._entry(host, *urls[at : at + 4]) for at in range(0, len(urls), 4)]
            self._unreadable += [
                Completion(e.fingerprint, host, token, End.FAILED, UNREADABLE) for e in entries if not e.url
            ]
            readable = tuple(entry for entry in entries if entry.url)
            if readable:
                leases.append(Lease(host, token, readable))
        self._held.take(node, leases)
        if self._unreadable:
            with suppress(FrontierUnavailable):  # what was granted must reach the node; told with its next call then
                self._call(Work())
        return leases

    def _entry(self, host: str, mark: bytes, minus_micros: bytes, attempts: int, packed: bytes) -> Entry:
        """The entry; without a URL when its record cannot be read."""
        fingerprint = self._connection.marks.fingerprint(mark)
        try:
            return unpack(packed, host, fingerprint, from_micros(-int(float(minus_micros))), attempts)
        except (ValueError, IndexError):
            return Entry("", fingerprint, host)

    def _rank_anew(self) -> None:
        """Ranks and places were worked out under the rules of the run before."""
        first = 1
        while first:
            (first,) = self._connection.call("rerank", str(first), "2000")


def _seconds(text: bytes) -> float | None:
    return float(text) if text else None
