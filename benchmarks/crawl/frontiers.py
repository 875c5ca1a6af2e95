"""Measures what a page costs four queues in one run: stock scrapy-redis, Scrapy's JOBDIR, and our SQLite and Redis frontiers.

    python -m benchmarks.crawl.frontiers [--known 10000 100000 1000000] [--pages 200] [--stock 100000] [--only QUEUE ...] [--redis-server PATH]

It starts a Redis of its own. One page is 50 links of which 10 are new, its own completion, and the next URL. Links lie on 2,000
hosts. Four of five known links are among the 20,000 found last, which a crawl's cache of seen URLs answers ((e) Broder 2003).
Ours are measured behind that cache as in every crawl, without it ("all": every link is sent), and with four pages
reported in one call ("4"), as when a node fetches fast. Milliseconds are CPU time: the client's with hashing and
parsing of URLs, the server's by its own count. Calls are round trips. The rivals are filled up to --stock URLs only.
"""

from __future__ import annotations

import argparse
import math
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import quantiles
from typing import Any, Protocol

import redis
from scrapy import Request, Spider
from scrapy.utils.test import get_crawler

from topicspider.frontier.protocol import Completion, End, Entry, Frontier, HostTiming, Lease, Work
from topicspider.frontier.redis.frontier import RedisFrontier
from topicspider.frontier.redis.server import RedisServer
from topicspider.frontier.seen import SeenCache
from topicspider.frontier.sqlite.frontier import SqliteFrontier
from topicspider.url import fingerprint, host_key

LINKS, NEW, HOSTS = 50, 10, 2_000
RECENT, RECENT_SHARE = 20_000, 0.8
AT_ONCE = 1_000
ALL, FOUR = ", all", ", 4"
"""Every link is sent; four pages are reported in one call."""
Link = tuple[str, float]


class Queue(Protocol):
    """One of the queues under test."""

    ways: Sequence[str]
    """The ways in which pages can be reported."""

    def go(self, way: str) -> None:
        """Report pages in this way from now on."""

    def fill(self, links: list[Link]) -> None:
        """Queue new links, as fast as possible."""

    def page(self, links: list[Link]) -> float:
        """Report that the last page is done and has these links, and take the next. Returns how long Scrapy's loop waits for it."""

    def close(self) -> None:
        """Release all resources."""


class Ours:
    """One of our frontiers, with the cache of seen URLs in front."""

    def __init__(self, frontier: Frontier, ways: Sequence[str]) -> None:
        self._frontier = frontier
        self._cache, self._asks_cache = SeenCache(), True
        self._together, self._pages = 1, 0
        self.ways = ways
        self._leases: tuple[Lease, ...] = ()
        self._entries: list[Entry] = []

    def go(self, way: str) -> None:
        self._asks_cache = way != ALL
        self._together = 4 if way == FOUR else 1

    def fill(self, links: list[Link]) -> None:
        work = Work(entries=[_entry(url, score) for url, score in links])
        self._frontier.apply(work)
        self._cache.confirm(work)

    def page(self, links: list[Link]) -> float:
        entries = [_entry(url, score) for url, score in links]
        if self._asks_cache:
            entries = [one for one in entries if not self._cache.covers(one.fingerprint, one.score)]
        self._pages += 1
        self._entries += entries
        if self._pages == self._together:
            self._take()
        return math.nan  # in a crawl another thread does this, and next_request finds the result

    def close(self) -> None:
        self._frontier.close()

    def _take(self) -> None:
        """Report all pages that have ended since the last call, with their links, and lease as many URLs again."""
        done = [
            Completion(one.fingerprint, has.host, has.token, End.PAGE) for has in self._leases for one in has.entries
        ]
        work = Work(done, self._entries, timings={has.host: HostTiming(0.0, 0.05, 0.2) for has in self._leases})
        if isinstance(self._frontier, RedisFrontier):
            self._leases = self._frontier.sync(work, "bench", self._pages, 1, 600.0)[0].leases
        else:
            self._frontier.apply(work)
            self._leases = self._frontier.acquire("bench", self._pages, 1, 600.0).leases
        self._cache.confirm(work)
        self._pages, self._entries = 0, []


class Stock:
    """A Scrapy scheduler, with a Request for each link."""

    ways: Sequence[str] = ("",)

    def __init__(self, settings: dict[str, Any], scheduler: Any) -> None:
        crawler = get_crawler(
            settings_dict={"SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue"} | settings
        )
        crawler.spider = Spider.from_crawler(crawler, name="bench")
        self._scheduler = scheduler.from_crawler(crawler)
        self._scheduler.open(crawler.spider)

    def go(self, way: str) -> None:
        assert not way

    def fill(self, links: list[Link]) -> None:
        for url, score in links:
            self._scheduler.enqueue_request(Request(url, priority=round(100 * score)))

    def page(self, links: list[Link]) -> float:
        self.fill(links)
        began = time.perf_counter()
        assert self._scheduler.next_request() is not None
        return time.perf_counter() - began

    def close(self) -> None:
        self._scheduler.close("finished")


class Server:
    """A Redis of this benchmark's own."""

    def __init__(self, binary: str, folder: Path) -> None:
        path = folder / "redis.sock"
        settings = {"port": 0, "unixsocket": path, "save": "", "appendonly": "no", "dir": folder}
        given = [part for name, value in settings.items() for part in (f"--{name}", str(value))]
        self._process = subprocess.Popen([binary, *given], stdout=subprocess.DEVNULL)
        self.url = f"unix://{path}"
        self.client = redis.Redis.from_url(self.url, socket_timeout=None)  # emptying it takes long
        while not path.exists():
            time.sleep(0.05)

    def cpu_seconds(self) -> float:
        """The server's user and system time so far."""
        told = self.client.info("cpu")
        return float(told["used_cpu_user"]) + float(told["used_cpu_sys"])

    def bytes_used(self) -> int:
        """The memory that its data take."""
        return int(self.client.info("memory")["used_memory"])

    def empty_script_ms(self, client_ms: float) -> float:
        """The cost of a call that does nothing, when the client works ``client_ms`` between two calls, so that the CPU caches are cold."""
        before, calls = self.cpu_seconds(), 300
        for _ in range(calls):
            until = time.process_time() + client_ms / 1000
            while time.process_time() < until:
                sum(range(100))
            self.client.eval("return 1", 0)
        return 1000 * (self.cpu_seconds() - before) / calls

    def stop(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait()


class Calls:
    """Counts the calls that redis-py sends."""

    def __init__(self) -> None:
        self.count = 0
        send: Any = redis.connection.AbstractConnection.send_packed_command

        def counted(*given: Any, **named: Any) -> Any:
            self.count += 1
            return send(*given, **named)

        setattr(redis.connection.AbstractConnection, "send_packed_command", counted)  # noqa: B010 - a method of the driver's


def main() -> None:
    """Print a line for each queue and size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--known", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--stock", type=int, default=100_000)
    parser.add_argument("--only", nargs="+", metavar="QUEUE", help="of the table, by their names")
    parser.add_argument("--redis-server", default="redis-server")
    options = parser.parse_args()
    calls = Calls()
    with tempfile.TemporaryDirectory(prefix="topicspider-bench-") as folder:
        server = Server(options.redis_server, Path(folder))
        idle, busy = server.empty_script_ms(0.0), server.empty_script_ms(1.0)
        print(
            f"an empty script takes {idle:.3f} ms of the server's CPU, {busy:.3f} ms when the client works for 1 ms between two"
        )
        print(
            f"{'queue':24}{'known':>11}{'client ms':>11}{'server ms':>11}{'calls':>7}{'next_request us, median':>25}{'p99':>7}{'bytes a URL':>13}"
        )
        try:
            for known in options.known:
                for name, make in _queues(server, Path(folder)).items():
                    if name in (options.only or [name]) and (known <= options.stock or name.startswith("topicspider")):
                        for way, row in _rows(make, known, options.pages, server, calls, Path(folder) / "disk"):
                            print(f"{name + way:24}{known:>11,}{row}", flush=True)
        finally:
            server.stop()


def _queues(server: Server, folder: Path) -> dict[str, Any]:
    from scrapy.core.scheduler import Scheduler
    from scrapy_redis.scheduler import Scheduler as RedisScheduler

    disk = folder / "disk"

    def in_redis() -> RedisFrontier:
        return RedisFrontier(RedisServer(server.url, "bench", of_frontier=True), "bench")

    return {
        "scrapy-redis": lambda: Stock(
            {"REDIS_URL": server.url, "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter"}, RedisScheduler
        ),
        "scrapy JOBDIR": lambda: Stock({"JOBDIR": str(disk)}, Scheduler),
        "topicspider sqlite": lambda: Ours(SqliteFrontier(disk / "f.sqlite"), ["", ALL]),
        "topicspider redis": lambda: Ours(in_redis(), ["", ALL, FOUR]),
    }


def _rows(make: Any, known: int, pages: int, server: Server, calls: Calls, disk: Path) -> Iterator[tuple[str, str]]:
    """Fill a queue once, then report pages to it in each of its ways."""
    disk.mkdir()
    empty = server.bytes_used()
    queue = make()
    rng = random.Random(known)
    urls: list[Link] = []
    while len(urls) < known:
        some = [_new_link(rng) for _ in range(min(AT_ONCE, known - len(urls)))]
        queue.fill(some)
        urls += some
    size = (
        sum(path.stat().st_size for path in disk.rglob("*") if path.is_file()) or server.bytes_used() - empty
    ) / known
    for way in queue.ways:
        queue.go(way)
        yield way, f"{_row(queue, [_links(rng, urls) for _ in range(pages)], server, calls)}{size:>13.0f}"
    queue.close()
    server.client.flushall()
    for path in sorted(disk.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    disk.rmdir()


def _row(queue: Queue, told: Sequence[list[Link]], server: Server, calls: Calls) -> str:
    queue.page([])
    sent, server_cpu, client_cpu = calls.count, server.cpu_seconds(), time.process_time()
    sent += 1  # the call for the server's CPU time
    waits = [1e6 * queue.page(links) for links in told]
    client_ms = 1000 * (time.process_time() - client_cpu) / len(told)
    round_trips = (calls.count - sent) / len(told)
    server_ms = 1000 * (server.cpu_seconds() - server_cpu) / len(told)
    cuts = quantiles(waits, n=100)
    return f"{client_ms:>11.2f}{server_ms:>11.2f}{round_trips:>7.1f}{cuts[49]:>25.0f}{cuts[98]:>7.0f}"


def _new_link(rng: random.Random) -> Link:
    return f"http://host-{rng.randrange(HOSTS)}.example/{rng.getrandbits(64):016x}/index.html", rng.random()


def _links(rng: random.Random, known: list[Link]) -> list[Link]:
    """Ten new links, which are known from now on, and forty known ones with their old score or a lower one."""
    old = [
        known[-rng.randrange(1, RECENT)] if rng.random() < RECENT_SHARE and len(known) > RECENT else rng.choice(known)
        for _ in range(LINKS - NEW)
    ]
    new = [_new_link(rng) for _ in range(NEW)]
    known += new
    return [*new, *((url, score * rng.random()) for url, score in old)]


def _entry(url: str, score: float) -> Entry:
    return Entry(url, fingerprint(url), host_key(url), score, 3, "http://host-1.example/")


if __name__ == "__main__":
    main()
