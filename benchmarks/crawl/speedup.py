"""Measures how many times as fast as one worker several on one Redis are, and their memory: real crawls of a synthetic web.

    python -m benchmarks.crawl.speedup [--workers 1 2 4] [--seconds 60] [--pages 20000] [--state speedup.jsonl]
    python -m benchmarks.crawl.speedup --soak 30 [--warm-up 5] [--workers 4] [--state soak.jsonl]
    python -m benchmarks.crawl.speedup --table [--state speedup.jsonl]

A web of --hosts hosts is served on 127.0.0.1, each answer after --latency seconds. A host rests --delay-factor times as long as its answer
took; a worker has --connections connections. So the hosts allow hosts / (latency x (1 + factor)) pages a second, and a worker's connections
connections / latency: 121 and 13.3 with the defaults. What the cores allow follows from the CPU times. Pages are counted by the server's
log, in a window that begins when every worker fetches.

--soak MINUTES samples memory and open files of each worker twice a minute. Each line of the state file is a run, or a sample; a soak that
was ended goes on where it was, with its Redis and its minutes, in new processes. Ends with 1 when a page was fetched twice, or two
requests to a host overlapped.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import redis

from benchmarks.crawl.soak import WARM_UP_MINUTES, Sample, sample_of, soak_table
from support.kill_checks import open_at_once, url_of
from support.kill_rounds import Node
from support.servers import RedisServer, make_redis_server
from topicspider.errors import FrontierUnavailable
from topicspider.frontier.redis.opening import inspect_in_redis
from topicspider.rehearsal.replay.server import replay_process

LONGEST_START = 300.0
SETTLE_SECONDS = 5.0  # after the first page of the last worker
SAMPLE_SECONDS = 30.0
_TICKS = os.sysconf("SC_CLK_TCK")
_HEAD = "| workers | pages/s | speed-up | ceiling, and of what | CPU ms a page: worker, server, Redis | fetched twice | overlaps | Redis calls a page | cores busy |"


@dataclass(frozen=True, slots=True)
class Run:
    """One window. ``*_cpu``: seconds of all workers, the web, and Redis; ``cores``: of the machine; ``busy``: the share of them in use."""

    workers: int
    seconds: float
    pages: int
    requests: int
    twice: int
    overlaps: int
    calls: int
    worker_cpu: float
    web_cpu: float
    redis_cpu: float
    hosts: int
    latency: float
    delay_factor: float
    connections: int
    cores: int
    busy: float

    @property
    def rate(self) -> float:
        """Pages a second."""
        return self.pages / self.seconds

    @property
    def ceilings(self) -> dict[str, float]:
        """By bound: the pages a second that it allows."""
        cpu = (self.worker_cpu + self.web_cpu + self.redis_cpu) / max(1, self.pages)
        return {
            "politeness": self.hosts / (self.latency * (1 + self.delay_factor)),
            "connections": self.workers * self.connections / self.latency,
            "cores": self.cores / cpu if cpu else 0.0,
        }


class Stage:
    """The web, the Redis and the workers of one run."""

    def __init__(self, folder: Path, options: argparse.Namespace, server: RedisServer) -> None:
        self.folder, self.options, self.server = folder, options, server
        self.log = folder / f"requests-{time.time_ns()}.jsonl"
        self.nodes: list[Node] = []
        self._web_pid = 0

    @contextmanager
    def served(self) -> Iterator[str]:
        """Serve the web; yields the URL of its proxy."""
        robots = self.folder / "robots.txt"
        robots.write_text("", encoding="utf-8")  # only latency and the delay factor count
        web = f"made:pages={self.options.web_pages},hosts={self.options.hosts},seed={self.options.seed}"
        before = _children()
        given = ("--latency", str(self.options.latency), "--robots", str(robots), "--log", str(self.log))
        with replay_process(web, *given) as proxy:
            (self._web_pid,) = _children() - before
            yield proxy

    def start(self, proxy: str, workers: int) -> None:
        """Start the workers."""
        seeds = self.folder / "seeds.txt"
        seeds.write_text(
            "\n".join(f"http://www.s{n:03d}.example/" for n in range(self.options.hosts)), encoding="utf-8"
        )
        options = self.options
        settings: dict[str, Any] = {
            "TOPICSPIDER_FRONTIER": self.server.url,
            "TOPICSPIDER_DELAY_MIN": 0,
            "TOPICSPIDER_DELAY_FACTOR": options.delay_factor,
            "TOPICSPIDER_LINK_POLICY": options.policy,
            "TOPICSPIDER_PAGE_SCORER": options.scorer,
            "TOPICSPIDER_MAX_PAGES": options.pages,
            "TOPICSPIDER_LINK_THRESHOLD": 0,  # the web is large enough for the whole window
            "CONCURRENT_REQUESTS": options.connections,
            "ROBOTSTXT_OBEY": False,  # each worker asks for each host's: in a short window that would be every second request
            "LOG_LEVEL": "WARNING",
        }
        for number in range(workers):
            settings["TOPICSPIDER_NODE"] = f"worker-{number}"
            folder = self.folder / f"worker-{number}-{time.time_ns()}"
            self.nodes.append(Node(folder, proxy, settings, seeds=f"@{seeds}"))

    def end(self) -> None:
        """Let all workers drain; kill those that do not end."""
        for node in self.nodes:
            if not node.is_over:
                node.terminate()
        deadline = time.monotonic() + 60
        while not all(node.is_over for node in self.nodes) and time.monotonic() < deadline:
            time.sleep(0.1)
        for node in self.nodes:
            node.kill()

    def wait_until_all_fetch(self) -> None:
        """Wait until every worker has reported pages."""
        deadline = time.monotonic() + LONGEST_START
        while self._fetching() < len(self.nodes):
            if time.monotonic() > deadline or any(node.is_over for node in self.nodes):
                sys.exit("a worker did not begin:\n" + "\n".join(node.said()[-2000:] for node in self.nodes))
            time.sleep(0.2)
        time.sleep(SETTLE_SECONDS)

    def _fetching(self) -> int:
        try:
            inspection = inspect_in_redis(self.server.url, Path("tourism/frontier.db"))
        except FrontierUnavailable:  # it is not up yet
            return 0
        try:
            return sum(node.heartbeat.pages > 0 for node in inspection.nodes().nodes if node.is_there)
        finally:
            inspection.close()

    def measured(self, seconds: float) -> Run:
        """Measure the next ``seconds``."""
        options, began, before = self.options, time.monotonic(), self._counters()
        deadline = began + seconds
        while time.monotonic() < deadline and not any(node.is_over for node in self.nodes):
            time.sleep(0.2)
        after, until = self._counters(), time.monotonic()
        used = {name: after[name] - before[name] for name in before}
        asked = [one for one in self._requests() if one["path"] != "/robots.txt"]
        pages = [one for one in asked if began <= one["end"] < until and one["status"] == 200]
        times = Counter(url_of(one) for one in asked)
        return Run(
            workers=len(self.nodes),
            seconds=round(until - began, 2),
            pages=len(pages),
            requests=len(asked),
            twice=sum(count - 1 for count in times.values()),
            overlaps=len(open_at_once(self._requests())),
            calls=round(used["calls"]),
            worker_cpu=round(used["workers"], 2),
            web_cpu=round(used["web"], 2),
            redis_cpu=round(used["redis"], 2),
            hosts=options.hosts,
            latency=options.latency,
            delay_factor=options.delay_factor,
            connections=options.connections,
            cores=os.cpu_count() or 1,
            busy=round(used["machine"] / (until - began) / (os.cpu_count() or 1), 3),
        )

    def _counters(self) -> dict[str, float]:
        with redis.Redis(port=self.server.port) as client:
            cpu = client.info("cpu")
            calls = client.info("commandstats").get("cmdstat_evalsha", {}).get("calls", 0)
        return {
            "calls": calls,
            "redis": cpu["used_cpu_user"] + cpu["used_cpu_sys"],
            "workers": sum(_cpu_of(node.pid) for node in self.nodes),
            "web": _cpu_of(self._web_pid),
            "machine": _cpu_of_all(),
        }

    def _requests(self) -> list[dict[str, Any]]:
        lines = self.log.read_bytes()
        return [json.loads(line) for line in lines[: lines.rfind(b"\n") + 1].splitlines()]


def main() -> int:
    """Run what was asked for, and print its table; returns the exit code."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that all started processes are ended
    state = options.state or Path("soak.jsonl" if options.soak else "speedup.jsonl")
    if options.table:
        lines = state.read_text("utf-8").splitlines()
        samples = [Sample(**json.loads(line)) for line in lines] if options.soak else []
        print(soak_table(samples, options.warm_up) if options.soak else table(_runs(lines)))
        return 0
    if options.soak:
        return _soak(options, state)
    runs = []
    for workers in options.workers:
        runs.append(_run(workers, options))
        with state.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(runs[-1])) + "\n")
        print(_row(runs[-1], runs[0]), file=sys.stderr, flush=True)
    print(table(runs))
    return int(any(run.twice or run.overlaps for run in runs))


def _run(workers: int, options: argparse.Namespace) -> Run:
    with ExitStack() as ending:
        folder = Path(tempfile.mkdtemp(prefix="ts-"))  # a short path: that of a unix socket has at most 107 characters
        ending.callback(shutil.rmtree, folder, ignore_errors=True)
        server = make_redis_server(folder)
        ending.callback(server.kill)
        stage = Stage(folder, options, server)
        proxy = ending.enter_context(stage.served())
        ending.callback(stage.end)
        stage.start(proxy, workers)
        stage.wait_until_all_fetch()
        return stage.measured(options.seconds)


def _soak(options: argparse.Namespace, state: Path) -> int:
    """Run until there are samples of so many minutes; returns the exit code."""
    samples = [Sample(**json.loads(line)) for line in state.read_text("utf-8").splitlines()] if state.exists() else []
    segment = 1 + max((one.segment for one in samples), default=-1)
    done = max((one.minutes for one in samples), default=0.0)
    folder = state.with_suffix(".redis").absolute()
    folder.mkdir(exist_ok=True)
    with ExitStack() as ending:
        server = make_redis_server(folder)
        ending.callback(server.stop)
        work = Path(tempfile.mkdtemp(prefix="ts-"))
        ending.callback(shutil.rmtree, work, ignore_errors=True)
        stage = Stage(work, options, server)
        proxy = ending.enter_context(stage.served())
        ending.callback(stage.end)
        stage.start(proxy, options.workers[-1])
        stage.wait_until_all_fetch()
        began = time.monotonic()
        while (minutes := done + (time.monotonic() - began) / 60) < options.soak:
            if any(node.is_over for node in stage.nodes):
                sys.exit("a worker has ended: " + next(node.said()[-2000:] for node in stage.nodes if node.is_over))
            new = [sample_of(number, node.pid, segment, round(minutes, 3)) for number, node in enumerate(stage.nodes)]
            with state.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(asdict(one)) + "\n" for one in new)
            samples += new
            time.sleep(SAMPLE_SECONDS)
        last = stage.measured(1.0)
    print(soak_table(samples, options.warm_up))
    print(f"\n{last.requests:,} requests, {last.twice} fetched twice, {last.overlaps} overlaps")
    return int(bool(last.twice or last.overlaps))


def table(runs: Sequence[Run]) -> str:
    """The runs as a table in Markdown."""
    one = next((run for run in runs if run.workers == 1), runs[0])
    return "\n".join([_HEAD, "|" + "---|" * (_HEAD.count("|") - 1), *(_row(run, one) for run in runs)])


def _row(run: Run, one: Run) -> str:
    name, ceiling = min(run.ceilings.items(), key=lambda pair: pair[1])
    costs = ", ".join(f"{1000 * cpu / max(1, run.pages):.1f}" for cpu in (run.worker_cpu, run.web_cpu, run.redis_cpu))
    cells = [
        str(run.workers),
        f"{run.rate:.1f}",
        f"{run.rate / one.rate * one.workers:.2f}",
        f"{ceiling:.1f} ({name})",
        costs,
        str(run.twice),
        str(run.overlaps),
        f"{run.calls / max(1, run.pages):.2f}",
        f"{run.busy:.0%}",
    ]
    return "| " + " | ".join(cells) + " |"


def _runs(lines: Sequence[str]) -> list[Run]:
    """The last run of each number of workers."""
    found = {run.workers: run for run in (Run(**json.loads(line)) for line in lines)}
    return [found[workers] for workers in sorted(found)]


def _children() -> set[int]:
    me = os.getpid()
    return {int(text) for text in Path(f"/proc/{me}/task/{me}/children").read_text().split()}


def _cpu_of(pid: int) -> float:
    """CPU seconds of a process so far; 0 when it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _cpu_of_all() -> float:
    """CPU seconds of all processes of the machine, on all cores."""
    fields = [int(text) for text in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / _TICKS


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--seconds", type=float, default=60.0, help="of each window")
    parser.add_argument("--pages", type=int, default=0, help="of a crawl at most; 0 is no limit")
    parser.add_argument("--hosts", type=int, default=400)
    parser.add_argument("--web-pages", type=int, default=200_000, help="of the made web")
    parser.add_argument("--latency", type=float, default=0.3)
    parser.add_argument("--delay-factor", type=float, default=10.0)
    parser.add_argument("--connections", type=int, default=4, help="of each worker")
    parser.add_argument("--policy", default="best_first", help="the link policy; one without a learner costs less CPU")
    parser.add_argument("--scorer", default="vsm", help="the page scorer")
    parser.add_argument("--seed", type=int, default=1, help="of the web")
    parser.add_argument(
        "--soak", type=float, default=0.0, metavar="MINUTES", help="watch memory and open files instead"
    )
    parser.add_argument(
        "--warm-up", type=float, default=WARM_UP_MINUTES, metavar="MINUTES", help="of a soak, that its slope leaves out"
    )
    parser.add_argument("--state", type=Path, help="where runs and samples are kept")
    parser.add_argument("--table", action="store_true", help="run nothing, print what the state file has")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
