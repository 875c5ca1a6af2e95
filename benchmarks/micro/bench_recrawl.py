"""What choosing a recrawl's pages, and settling what their visits brought, cost on a large store.

    python -m benchmarks.micro.bench_recrawl [--pages 100000] [--visits 3] [--body 1500] [--budget 1000] [--mysql URL | --sqlite-only]

Without ``--mysql`` a private MariaDB is started as the tests do. One page in three is a hit, with a Chinese body; each page was visited
``--visits`` times after the first. Seconds are those of the process and of the clock; megabytes are what the process grew by at most.
Both are done while no crawl runs: `scrapy recrawl` chooses before its event loop begins and settles after it has ended.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import TypeVar

from benchmarks.micro.bench_store import CHARACTERS, stores
from support.store_rows import page
from topicspider.recrawl.planning import back_off, choose, settle
from topicspider.store.rows import Batch, NoPageResponse, PageRow
from topicspider.store.store import Store

TOPIC = "tourism"
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
VISIT_DAYS = 10
HOSTS = 500
AT_ONCE = 500
T = TypeVar("T")


def main() -> None:
    """Fill each store, and print what each step takes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--visits", type=int, default=3, help="of each page, after the first")
    parser.add_argument("--body", type=int, default=1500, help="characters of a hit")
    parser.add_argument("--budget", type=int, default=1000)
    parser.add_argument("--mysql", default="", help="URL of a server, with a slash at its end")
    parser.add_argument("--sqlite-only", action="store_true")
    options = parser.parse_args()
    for name, opened in stores(options.mysql, options.sqlite_only):
        with opened() as store:
            fill(store, options.pages, options.visits, options.body)
            print(f"{name}, {options.pages:,} pages with {options.visits} visits each: CPU s, s, MB", flush=True)
            for title, step in steps(store, options).items():
                print(f"  {title:34} {measured(step)}", flush=True)


def steps(store: Store, options: argparse.Namespace) -> dict[str, Callable[[], object]]:
    """What a recrawl does with its store, in its order; the pages that are visited are those that were chosen."""
    now = FIRST + timedelta(days=VISIT_DAYS * (options.visits + 1))
    chosen: list[str] = []

    def choosing() -> None:
        chosen.extend(one.url for one in choose(store, [TOPIC], now.timestamp(), options.budget).pages)

    def visiting() -> None:
        for urls in in_parts(iter(chosen)):
            store.write(Batch(visits=[NoPageResponse(TOPIC, url, now.isoformat(), 304) for url in urls]))

    return {
        f"choose {options.budget:,} pages": choosing,
        "note as many visits": visiting,
        "have 100 wait longer": lambda: back_off(store, [TOPIC], chosen[:100], now.timestamp()),
        "settle": lambda: settle(store, [TOPIC], now.isoformat(), options.budget / 7),
    }


def fill(store: Store, pages: int, visits: int, body: int) -> None:
    """Pages of day 0, and their visits."""
    rng = random.Random(0)
    for rows in in_parts(made(rng, pages, body)):
        store.write(Batch(pages=rows))
    for visit in range(1, visits + 1):
        seen_at = (FIRST + timedelta(days=visit * VISIT_DAYS)).isoformat()
        for numbers in in_parts(iter(range(pages))):
            store.write(Batch(visits=[NoPageResponse(TOPIC, url_of(number), seen_at, 304) for number in numbers]))


def made(rng: random.Random, count: int, length: int) -> Iterator[PageRow]:
    """Pages that were found from one in a hundred of them."""
    text = "".join(rng.choices(CHARACTERS, k=length + 1000))
    for number in range(count):
        start = rng.randrange(1000)
        is_hit = number % 3 == 0
        yield page(
            url_of(number),
            on_topic=is_hit,
            body=text[start : start + length] if is_hit else "",
            relevance=rng.uniform(0.6, 1.0) if is_hit else rng.uniform(0.0, 0.15),
            host=f"host{number % HOSTS}.example",
            referrer=url_of(number // 100),
            duplicate_of="",
            fetched_at=FIRST.isoformat(),
        )


def url_of(number: int) -> str:
    """Of a page."""
    return f"http://host{number % HOSTS}.example/{number}.html"


def in_parts(rows: Iterator[T]) -> Iterator[list[T]]:
    """Some at a time."""
    while some := list(islice(rows, AT_ONCE)):
        yield some


def measured(step: Callable[[], object]) -> str:
    """CPU seconds, seconds, megabytes."""
    forget_peak()
    before, cpu, clock = resident("VmRSS"), time.process_time(), time.perf_counter()
    step()
    seconds = f"{time.process_time() - cpu:7.2f} {time.perf_counter() - clock:7.2f}"
    return f"{seconds} {(resident('VmHWM') - before) / 1000:7.0f}"


def resident(name: str) -> int:
    """Kilobytes that the process has in memory (VmRSS), or had at most (VmHWM); Linux only."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1])
    return 0


def forget_peak() -> None:
    """VmHWM begins anew."""
    Path("/proc/self/clear_refs").write_text("5")


if __name__ == "__main__":
    main()
