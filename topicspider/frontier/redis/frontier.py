"""RedisFrontier: one frontier for all nodes of a crawl, in a Redis server that outlives them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Unpack

from topicspider.errors import FrontierUnavailable
from topicspider.frontier.host_ranking import FrontierOptions, Rules, Standing, clean_text, grant_of
from topicspider.frontier.leases import Leases
from topicspider.frontier.protocol import Completion, Counts, End, Entry, Grant, Lease, Work
from topicspider.frontier.redis.connection import Connection, Reply
from topicspider.frontier.redis.inspection import CrawlInRedis
from topicspider.frontier.redis.packing import pack_held, text_of
from topicspider.frontier.redis.server import RedisServer

_NO_WORK = [b"-", b"", b"", b"", b"", b""]
UNREADABLE = "unreadable"
RESTARTED = "restarted"


class RedisFrontier(CrawlInRedis):
    """See Frontier for the promises; several processes, on several machines, may have one crawl open.

    Every call is one Lua program, so it is atomic, whatever the number of links. The rules (limits, policy) are those of the node that
    opened the crawl last; the seed is that of the crawl's first run. The constructor and every call raise FrontierUnavailable when Redis
    does not answer or refuses. ``clock``: for tests; otherwise the server's time counts.
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
        self._leases = Leases()  # renewed one by one, by token: a lease whose grant never arrived must end
        self.asked = ""  # the request to this node, as of its last heartbeat
        super().__init__(Connection(server, crawl, Rules(**options), clock), wait_seconds)
        self.run, self.evicted_keys = self._connection.run, self._connection.evicted_keys
        first: Any = int(self._connection.is_ranked_anew)
        while first:  # ranks and places were computed under the rules of the last run
            (first,) = self._connection.call("rerank", str(first), "2000")

    @property
    def restarts(self) -> int:
        """A count that rises when the server was restarted and may have forgotten what it had confirmed."""
        return self._connection.restarts

    @property
    def emptied(self) -> int:
        """How often the server had lost the crawl."""
        return self._connection.emptied

    def acquire(self, node: str, hosts: int, urls_per_host: int, lease_seconds: float) -> Grant:
        return self._call(Work(), node, hosts, urls_per_host, lease_seconds, renews=False)[0]

    def renew(self, node: str, lease_seconds: float) -> None:
        self._call(Work(), node, lease_seconds=lease_seconds)

    def apply(self, work: Work) -> int:
        return self._call(work)[2]

    def sync(
        self, work: Work, node: str, hosts: int, urls_per_host: int, lease_seconds: float, heartbeat: str = ""
    ) -> tuple[Grant, Counts]:
        return self._call(work, node, hosts, urls_per_host, lease_seconds, heartbeat=heartbeat)[:2]

    def holds(self, host: str, token: int) -> bool:
        """Whether a node of this process has that lease."""
        held = self._leases.hosts.get(host)
        return held is not None and held.token == token

    def holds_host(self, host: str) -> bool:
        """Whether this process has a lease of ``host``, as of the last call; may be called from other threads."""
        return host in self._leases

    def known(self, fingerprints: Sequence[int]) -> set[int]:
        reply = self._connection.call("known", self._packer.questions(fingerprints))
        return {one for one, is_known in zip(fingerprints, reply[0], strict=True) if is_known}

    def peek(self, limit: int = 20) -> list[Entry]:
        return self.top(limit)

    def meta(self, key: str) -> str:
        value = self.run("HGET", "meta", clean_text(key))
        return "" if value is None else text_of(value)

    def set_meta(self, key: str, value: str) -> None:
        self.run("HSET", "meta", clean_text(key), clean_text(value))

    def clear(self) -> None:
        self._connection.call("clear")
        self._connection.forget_journal()
        self._leases.clear()

    def _call(
        self,
        work: Work,
        node: str = "",
        hosts: int = -1,
        urls_per_host: int = 0,
        lease_seconds: float = -1.0,
        *,
        renews: bool = True,
        heartbeat: str = "",
    ) -> tuple[Grant, Counts, int]:
        """Returns the grant, the counts, and how many entries were new.

        ``hosts``: -1 asks for no grant and no standing. ``renews``: renew the leases of ``node``, unless ``lease_seconds`` is -1.
        """
        done = self._leases.accepted(work.completions)
        # Kept, to be reported again if the server forgets it, together with the completed URLs, which it may forget, too. URLs granted to
        # others meanwhile are not completed by us.
        entries = [*(entry for _, entry in done), *work.entries]
        lasting = Work([one for one, _ in done], entries, timings=work.timings)
        held = pack_held(self._leases.left_to(node, work.completions))
        asked = (clean_text(node), held, repr(float(lease_seconds)), str(hosts), str(urls_per_host))
        packed = self._packer.pack(work) if work else _NO_WORK
        told = self._connection.sync(lasting, packed, asked, renews=renews, heartbeat=heartbeat)
        counts, new, gone, leases, standing, quiet, wish = told
        if heartbeat:
            self.asked = text_of(wish)
        for completion, _ in done:
            self._leases.finish(completion)
        self._leases.lose(node, map(text_of, gone))
        granted = self._take(node, leases)
        grant = self._grant(granted, counts, standing, quiet) if hosts >= 0 else Grant((), None)
        return grant, Counts(*counts), new

    def _grant(self, leases: list[Lease], counts: Reply, standing: Reply, quiet: bytes) -> Grant:
        if quiet:
            return Grant((), float(quiet), RESTARTED)
        room, is_ready_left, rest, lease, *is_left = standing
        queued, leased = counts[:2]
        waits = (float(rest) if rest else None, float(lease) if lease else None)
        return grant_of(leases, Standing(queued, leased, room, bool(is_ready_left), *waits, *map(bool, is_left)))

    def _take(self, node: str, told: Reply) -> list[Lease]:
        leases, unreadable = [], []
        for name, number, urls in told:
            host, token = text_of(name), (self._connection.epoch << 32) | number
            readable = tuple(self._entries([name, *urls[at : at + 4]] for at in range(0, len(urls), 4)))
            lost = {self._fingerprint(url_key) for url_key in urls[::4]} - {entry.fingerprint for entry in readable}
            unreadable += [Completion(one, host, token, End.NO_PAGE, UNREADABLE) for one in lost]
            if readable:
                leases.append(Lease(host, token, readable))
        self._leases.take(node, leases)
        if unreadable:
            with suppress(FrontierUnavailable):  # the grant must reach the node in any case
                self.apply(Work(unreadable))
        return leases
