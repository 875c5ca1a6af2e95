"""What looking at a crawl in Redis and steering it costs the server: CPU of all calls of an action, and of one of them.

    PYTHONPATH=. python benchmarks/micro/bench_redis_inspection.py redis://127.0.0.1:6379/9 --urls 100000

The database is emptied before and after. Times are CPU of the server process: nobody else should use it meanwhile.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import closing
from typing import Any

import redis

from topicspider.frontier.protocol import Entry, Work
from topicspider.frontier.redis.frontier import RedisFrontier
from topicspider.frontier.redis.inspection import RedisInspection
from topicspider.frontier.redis.server import RedisServer

HOSTS = 2_000
ODD = 2_654_435_761  # spreads numbers over fingerprints and scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="an empty database")
    parser.add_argument("--urls", type=int, default=100_000)
    given = parser.parse_args()
    with redis.Redis.from_url(given.url) as client:
        client.flushdb()
        try:
            _measure(client, given.url, given.urls)
        finally:
            client.flushdb()


def _measure(client: Any, url: str, count: int) -> None:
    with closing(RedisFrontier(RedisServer(url, "url", of_frontier=True), "bench")) as frontier:
        for start in range(0, count, 1_000):
            frontier.apply(Work(entries=[_entry(n) for n in range(start, min(count, start + 1_000))]))
    with closing(_open(url, "bench")) as inspection, closing(_open(url, "other", makes=True)) as other:
        records: list[Any] = []
        _timed(client, "all hosts", lambda: list(inspection.hosts()))
        _timed(client, "top 20", lambda: inspection.top(20))
        _timed(client, "bottom 20", lambda: inspection.bottom(20))
        _timed(client, "block 200 hosts", lambda: inspection.block([f"h{n}.example:80" for n in range(200)]))
        _timed(client, "export", lambda: records.extend(inspection.records()))
        _timed(client, "import", lambda: other.take_in(records))


def _open(url: str, crawl: str, **options: Any) -> RedisInspection:
    return RedisInspection(RedisServer(url, "url", of_frontier=True), crawl, **options)


def _entry(number: int) -> Entry:
    host = f"h{number % HOSTS}.example"
    url = f"http://{host}/path/to/page-{number}.html"
    return Entry(url, number * ODD % (1 << 62), f"{host}:80", number * ODD % 100_003 / 100_003, 3, f"http://{host}/")


def _timed(client: Any, name: str, action: Callable[[], object]) -> None:
    client.config_resetstat()
    before = _cpu(client)
    action()
    seconds = _cpu(client) - before
    calls = client.info("commandstats").get("cmdstat_evalsha", {"calls": 1})["calls"]
    print(f"{name:16} {calls:6} calls {seconds:8.2f} s {1000 * seconds / calls:8.1f} ms a call")


def _cpu(client: Any) -> float:
    about = client.info("cpu")
    return float(about["used_cpu_user"] + about["used_cpu_sys"])


if __name__ == "__main__":
    main()
