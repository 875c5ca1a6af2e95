"""Made pages for the benchmarks of frontiers: links with random scores, spread over hosts."""

from __future__ import annotations

import random

from topicspider.frontier.protocol import Completion, End, Entry, Frontier, Work

LINKS = 50
HOSTS = 2000


def made_entry(rng: random.Random) -> Entry:
    """A link that nobody knows."""
    number = rng.getrandbits(64) - 2**63
    host = f"host-{rng.randrange(HOSTS)}.example:80"
    url = f"http://{host}/{rng.getrandbits(64):016x}/index.html"
    return Entry(url, number, host, rng.random(), 3, f"http://{host}/")


def drain_to(frontier: Frontier, queued: int) -> None:
    """Complete URLs until no more than ``queued`` are left."""
    while (surplus := frontier.counts().queued - queued) > 0:
        leases = frontier.acquire("fill", 200, max(1, surplus // 200), 600).leases
        done = [
            Completion(one.fingerprint, lease.host, lease.token, End.NO_PAGE)
            for lease in leases
            for one in lease.entries
        ]
        frontier.apply(Work(completions=done))
