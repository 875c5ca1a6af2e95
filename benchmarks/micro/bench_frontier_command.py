"""What looking at a large queue, steering it and carrying it costs: CPU seconds of what `scrapy frontier` does.

PYTHONPATH=. python benchmarks/micro/bench_frontier_command.py [URLS]
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from itertools import islice
from pathlib import Path

from topicspider.frontier.protocol import Entry, Work
from topicspider.frontier.record_lines import lines_of, read_lines
from topicspider.frontier.sqlite.frontier import SqliteFrontier
from topicspider.frontier.sqlite.inspection import SqliteInspection

HOSTS, LINKS, TAKEN_AT_ONCE, LOOKS = 10_000, 500, 5_000, 100_000


def main(urls: int) -> None:
    """Make a queue of ``urls`` in a folder that is deleted after, and print a line a measurement."""
    with tempfile.TemporaryDirectory() as folder:
        path, exported = Path(folder) / "frontier.db", Path(folder) / "export.jsonl"
        fill(path, urls)
        with closing(SqliteInspection(path)) as inspection:
            measure("sizes and hosts", lambda: (inspection.counts(), list(inspection.hosts())))
            measure("top", lambda: inspection.top(20))
            measure("bottom", lambda: inspection.bottom(20))
            measure("export", lambda: write(inspection, exported))
            measure("block", lambda: inspection.block(["7.example:80"]))
        with closing(SqliteInspection.owning(Path(folder) / "copy.db")) as copy:
            measure("import", lambda: take_in(copy, exported))
            measure("import again", lambda: take_in(copy, exported))
        with closing(SqliteFrontier(path)) as frontier:
            seconds = measure("renew, with a look for orders", lambda: [frontier.renew("n", 60) for _ in range(LOOKS)])
            print(f"{seconds / LOOKS * 1e6:.1f} us each")


def fill(path: Path, urls: int) -> None:
    rng = random.Random(1)
    with closing(SqliteFrontier(path)) as frontier:
        for start in range(0, urls, LINKS):
            hosts = [f"{rng.randrange(HOSTS)}.example" for _ in range(LINKS)]
            frontier.apply(
                Work(
                    entries=[
                        Entry(f"http://{host}/{start + n}", rng.getrandbits(62), f"{host}:80", rng.random())
                        for n, host in enumerate(hosts)
                    ]
                )
            )


def write(inspection: SqliteInspection, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines_of(inspection.records(), "benchmark"))


def take_in(inspection: SqliteInspection, path: Path) -> None:
    with path.open(encoding="utf-8") as file:
        records = read_lines(file, path.name)
        while some := list(islice(records, TAKEN_AT_ONCE)):
            inspection.take_in(some)


def measure(name: str, do: Callable[[], object]) -> float:
    began = time.process_time()
    do()
    seconds = time.process_time() - began
    print(f"{name:30} {seconds:8.2f} s", flush=True)
    return seconds


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
