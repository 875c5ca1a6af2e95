"""What a page costs the RedisFrontier, in the client and in the server, and what a URL takes there.

    python benchmarks/micro/bench_frontier.py --redis redis://127.0.0.1:6379/9 [--known 10000 1000000] [--pages 400]

The database must be empty, and is emptied. One page is one call: the completion of the page before, its 50
links, and the lease of the next URL. Links are spread over 2,000 hosts. Milliseconds are of CPU: the client's
by its process clock, the server's by its own count; so nothing that other processes do is in them.
"""

from __future__ import annotations

import argparse
import random
import time

from benchmarks.micro.pages import HOSTS, LINKS, drain_to, made_entry
from topicspider.frontier.protocol import Completion, End, Entry, HostTiming, Lease, Work
from topicspider.frontier.redis.frontier import RedisFrontier
from topicspider.frontier.redis.server import RedisServer

LEASE_SECONDS = 600.0
_AT_ONCE = 1_000


def run(options: argparse.Namespace) -> None:
    """Print a line for each number of known URLs."""
    server = RedisServer(options.redis, "--redis", answer_seconds=60.0)
    if server.run("DBSIZE"):
        raise SystemExit(f"{server.label}: its database is not empty")
    print(f"an empty script takes {1000 * _empty_script_seconds(server):.3f} ms of the server's CPU here")
    print(f"CPU ms a page, {LINKS} links on {HOSTS} hosts, policy {options.policy}: client / server")
    print(
        f"{'known URLs':>12} {'queued':>12} {'all new':>16} {'10 new of 50':>16} {'bytes a queued URL':>20} {'a seen URL':>12}"
    )
    for known in options.known:
        queued = known if options.queued is None else min(known, options.queued)
        print(_row(server, options, known, queued))
        server.run("FLUSHDB")


def _row(server: RedisServer, options: argparse.Namespace, known: int, queued: int) -> str:
    empty = _bytes_used(server)
    own = RedisServer(options.redis, "--redis", answer_seconds=60.0, of_frontier=True)
    frontier = RedisFrontier(own, "bench", server_policy=options.policy)
    rng = random.Random(known)
    added: list[tuple[int, str]] = []
    while len(added) < known:
        entries = [made_entry(rng) for _ in range(min(_AT_ONCE, known - len(added)))]
        added += [(entry.fingerprint, entry.host) for entry in entries]
        frontier.apply(Work(entries=entries))
        drain_to(frontier, queued)
    full = _bytes_used(server)
    pages = Pages(frontier, server, rng, added)
    cells = [pages.measured(options.pages, new) for new in (LINKS, 10)]
    seen = _seen_bytes(server, empty, len(added))
    frontier.close()
    a_queued = (full - empty - (known - queued) * seen) / max(1, queued)
    return f"{known:>12,} {queued:>12,} {cells[0]:>16} {cells[1]:>16} {a_queued:>20.0f} {seen:>12.1f}"


def _bytes_used(server: RedisServer) -> int:
    return int(server.run("INFO", "memory")["used_memory"])


def _empty_script_seconds(server: RedisServer, calls: int = 2_000) -> float:
    """By what the server's milliseconds may be compared between machines, and with the load of this one."""
    before = _cpu_seconds(server)
    for _ in range(calls):
        server.script("return 1", [], [])
    return (_cpu_seconds(server) - before) / calls


def _cpu_seconds(server: RedisServer) -> float:
    cpu = server.run("INFO", "cpu")
    return float(cpu["used_cpu_user"]) + float(cpu["used_cpu_sys"])


def _seen_bytes(server: RedisServer, empty: int, known: int) -> float:
    """What is left a URL when all but the seen-set is gone."""
    left = [key for key in _keys(server) if not key.rpartition(b":")[2].startswith(b"s")]
    for start in range(0, len(left), 1_000):
        server.run("DEL", *left[start : start + 1_000])
    return (_bytes_used(server) - empty) / known


def _keys(server: RedisServer) -> list[bytes]:
    return list(server.run("KEYS", "*"))


class Pages:
    """A crawl of one page after the other."""

    def __init__(
        self, frontier: RedisFrontier, server: RedisServer, rng: random.Random, known: list[tuple[int, str]]
    ) -> None:
        self._frontier, self._server, self._rng, self._known = frontier, server, rng, known
        self._lease: Lease | None = None

    def measured(self, pages: int, new: int) -> str:
        """CPU milliseconds of client and server a page of LINKS links, ``new`` of which are new."""
        self._turn([])
        works = [self._links(new) for _ in range(pages)]
        server, client = _cpu_seconds(self._server), time.process_time()
        for links in works:
            self._turn(links)
        client = time.process_time() - client
        server = _cpu_seconds(self._server) - server
        return f"{1000 * client / pages:.2f} / {1000 * server / pages:.3f}"

    def _links(self, new: int) -> list[Entry]:
        links = [made_entry(self._rng) for _ in range(new)]
        for fingerprint, host in self._rng.sample(self._known, LINKS - new):
            links.append(Entry(f"http://{host}/again/{fingerprint}.html", fingerprint, host, 0.0, 3, f"http://{host}/"))
        self._known += [(link.fingerprint, link.host) for link in links[:new]]
        return links

    def _turn(self, links: list[Entry]) -> None:
        done, timings = [], {}
        if self._lease is not None:
            host, token = self._lease.host, self._lease.token
            done = [Completion(one.fingerprint, host, token, End.PAGE) for one in self._lease.entries]
            timings = {host: HostTiming(0.0, 0.05, 0.2)}
        grant, _ = self._frontier.sync(Work(done, links, timings=timings), "bench", 1, 1, LEASE_SECONDS)
        (self._lease,) = grant.leases
