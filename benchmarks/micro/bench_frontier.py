"""What a page costs the SqliteFrontier, by how many URLs it knows and how many hosts it has.

    python benchmarks/micro/bench_frontier.py [--known 10000 1000000] [--pages 400] [--folder DIR]
    python benchmarks/micro/bench_frontier.py --redis redis://127.0.0.1:6379/9   (see bench_redis_frontier.py)

One page is one ``acquire`` of one URL and one ``apply`` with its completion and its links. Two mixes:
50 links all new, and 50 links of which 10 are new (what crawls see). Links are spread over 2,000 hosts.
Ratios between the sizes tell more than the times, which are those of the machine.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks.micro import bench_redis_frontier
from benchmarks.micro.pages import HOSTS, LINKS, drain_to, made_entry
from topicspider.frontier.protocol import Completion, End, Entry, HostTiming, Work
from topicspider.frontier.sqlite.frontier import SqliteFrontier


def main() -> None:
    """Print one table of each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--known", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--hosts", type=int, nargs="+", default=[100, 10_000])
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--policy", default="quality")
    parser.add_argument(
        "--queued", type=int, default=None, help="how many of the known URLs are still queued (default: all)"
    )
    parser.add_argument("--folder", type=Path, default=None, help="where the files go (default: a temporary folder)")
    parser.add_argument("--redis", default="", help="measure the RedisFrontier, in this empty database")
    options = parser.parse_args()
    if options.redis:
        bench_redis_frontier.run(options)
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        _page_table(Path(folder), options)
        _acquire_table(Path(folder), options)


def _page_table(folder: Path, options: argparse.Namespace) -> None:
    print(f"ms a page, {LINKS} links on {HOSTS} hosts, policy {options.policy}: median / mean / mean CPU")
    print(f"{'known URLs':>12} {'all new':>24} {'10 new of 50':>24} {'disk, bytes a URL':>18}")
    for known in options.known:
        path = folder / f"{known}.sqlite"
        frontier = SqliteFrontier(path, server_policy=options.policy)
        rng = random.Random(known)
        fingerprints = _fill(frontier, rng, known, known if options.queued is None else min(known, options.queued))
        size = (path.stat().st_size + path.with_name(f"{path.name}-wal").stat().st_size) / known
        cells = [_time_pages(frontier, rng, fingerprints, options.pages, new) for new in (LINKS, 10)]
        print(f"{known:>12,} {cells[0]:>24} {cells[1]:>24} {size:>18.0f}")
        frontier.close()


def _fill(frontier: SqliteFrontier, rng: random.Random, known: int, queued: int) -> list[int]:
    fingerprints: list[int] = []
    while len(fingerprints) < known:
        entries = [made_entry(rng) for _ in range(min(2_000, known - len(fingerprints)))]
        fingerprints += [entry.fingerprint for entry in entries]
        frontier.apply(Work(entries=entries))
        drain_to(frontier, queued)
    return fingerprints


def _time_pages(frontier: SqliteFrontier, rng: random.Random, fingerprints: list[int], pages: int, new: int) -> str:
    wall, cpu = [], []
    for _ in range(pages):
        links = [made_entry(rng) for _ in range(new)]
        known = [rng.choice(fingerprints) for _ in range(LINKS - new)]
        fingerprints += [link.fingerprint for link in links]
        links += [Entry("http://old.example/", number, "old.example:80", 0.0) for number in known]
        begin, begin_cpu = time.perf_counter(), time.process_time()
        (lease,) = frontier.acquire("bench", 1, 1, 60).leases
        done = Completion(lease.entries[0].fingerprint, lease.host, lease.token, End.PAGE)
        frontier.apply(Work([done], links, timings={lease.host: HostTiming(0.0, 0.05, 0.2)}))
        wall.append(1000 * (time.perf_counter() - begin))
        cpu.append(1000 * (time.process_time() - begin_cpu))
    return f"{statistics.median(wall):.2f} / {statistics.mean(wall):.2f} / {statistics.mean(cpu):.2f}"


def _acquire_table(folder: Path, options: argparse.Namespace) -> None:
    print("\nms an acquire, 16 hosts already leased: median / 99th percentile")
    print(f"{'hosts':>12} {'1 host, 1 URL':>18} {'16 hosts, 4 URLs':>18} {'all others rest':>18}")
    for hosts in options.hosts:
        cells = [
            _time_acquires(folder / f"{hosts}-{n}.sqlite", hosts, *shape)
            for n, shape in enumerate([(1, 1, 0), (16, 4, 0), (1, 1, 600)])
        ]
        print(f"{hosts:>12,} {cells[0]:>18} {cells[1]:>18} {cells[2]:>18}")


def _time_acquires(path: Path, hosts: int, wanted: int, urls: int, rest_seconds: float) -> str:
    frontier = SqliteFrontier(path)
    rng = random.Random(hosts)
    names = [f"host-{n}.example:80" for n in range(hosts)]
    for start in range(0, hosts, 500):
        some = names[start : start + 500]
        entries = [
            Entry(f"http://{name}/{n}", rng.getrandbits(64) - 2**63, name, rng.random())
            for name in some
            for n in range(5)
        ]
        timings = {name: HostTiming(rest_seconds) for name in some} if rest_seconds else None
        frontier.apply(Work(entries=entries, timings=timings))
    frontier.acquire("others", 16, 1, 600)
    times = []
    for _ in range(300):
        begin = time.perf_counter()
        leases = frontier.acquire("bench", wanted, urls, 60).leases
        times.append(1000 * (time.perf_counter() - begin))
        frontier.apply(
            Work(
                [
                    Completion(one.fingerprint, lease.host, lease.token, End.RELEASED)
                    for lease in leases
                    for one in lease.entries
                ]
            )
        )
    frontier.close()
    times.sort()
    return f"{statistics.median(times):.3f} / {times[int(0.99 * len(times))]:.3f}"


if __name__ == "__main__":
    main()
