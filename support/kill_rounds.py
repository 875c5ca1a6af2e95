"""A real crawl of a synthetic web whose processes are killed at random moments, and a check of its outcome."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import redis

from support.crawling import obey_ctrl_c
from support.kill_checks import START_PAGE, judge, reachable, stored_urls, url_of
from support.redis_log import LogWatch, leased_to, private_redis
from topicspider.frontier.redis.connection import key_prefix
from topicspider.rehearsal.replay.request_log import read_log
from topicspider.rehearsal.replay.server import replay_process
from topicspider.rehearsal.synthetic.web import SyntheticWeb
from topicspider.setting_names import without_settings

ROOT = Path(__file__).resolve().parents[1]
TOPIC = "tourism"
WORKER, EMBEDDED, REDIS, TORN, CUT = "worker", "embedded", "redis", "redis and log torn", "redis and log cut"
LONGEST_ROUND = 900.0  # seconds, also on a busy machine
_LONGEST_WAIT, _LONGEST_START = 4.0, 120.0  # seconds until the chosen node has a host, until any node has one
_STARTING = 0.15  # the share of kills that do not wait until the victim fetches; it may be starting
SETTINGS = {
    "TOPICSPIDER_DELAY_MIN": 0,
    "TOPICSPIDER_DELAY_FACTOR": 0,
    "TOPICSPIDER_LINK_POLICY": "bfs",  # prunes nothing
    "TOPICSPIDER_TRAPS": "none",
    "TOPICSPIDER_LEASE_SECONDS": 8,
    "CONCURRENT_REQUESTS": 2,  # one more host is leased ahead: four hosts keep two nodes busy
    "LOG_LEVEL": "INFO",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """``kills``: what is killed, in this order, until the crawl has ended. The web, the moments and the victims depend on ``seed``.

    ``latency``: see ``scrapy replay``; ``longest_pause``: the most seconds from when a victim fetches until it is killed.
    """

    seed: int
    kills: Sequence[str]
    web: str = "pages=288,hosts=4"
    latency: str = "lognormal:0.06"
    longest_pause: float = 2.5


@dataclass(slots=True)
class Result:
    """The outcome of one crawl.

    ``leases``: for each kill, how many URLs were leased to the killed process, or by the killed server; ``leased``: their
    sum; ``urls``: how many URLs there were to fetch, including dead links and redirects.
    """

    seed: int
    kills: list[str] = field(default_factory=list)
    leases: list[int] = field(default_factory=list)
    urls: int = 0
    refetched: int = 0
    overlaps: int = 0
    missing: int = 0
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def leased(self) -> int:
        """URLs of all kills."""
        return sum(self.leases)


class Node:
    """One ``scrapy crawl topic`` in a folder of its own; after a kill, the same command starts it again."""

    def __init__(self, folder: Path, proxy: str, settings: dict[str, Any], *more: str, seeds: str = START_PAGE) -> None:
        self.folder = folder
        folder.mkdir()
        options = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
        crawl = ["crawl", "topic", "-a", f"topic={TOPIC}", "-a", f"seeds={seeds}", *options, *more]
        self._command = [sys.executable, "-m", "scrapy", *crawl]
        kept = {
            name: value for name, value in without_settings(os.environ).items() if not name.lower().endswith("_proxy")
        }
        own = {"http_proxy": proxy, "https_proxy": proxy, "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"}
        self._environment = {**kept, **own, "SCRAPY_SETTINGS_MODULE": "topicspider.settings"}
        self.start()

    def start(self, *more: str) -> None:
        """Start it, or start it again, with ``more`` arguments this time."""
        self.started = time.monotonic()
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*self._command, *more],
                cwd=self.folder,
                env=self._environment,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                preexec_fn=obey_ctrl_c,
            )

    @property
    def pid(self) -> int:
        """The id of its process."""
        return self._process.pid

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None

    @property
    def exit_code(self) -> int:
        """The exit code; waits for the end."""
        return int(self._process.wait())

    def freeze(self) -> None:
        """Stop it (SIGSTOP) until it is killed or continued."""
        self.send(signal.SIGSTOP)

    def terminate(self) -> None:
        """Ask it to end, as scrapyd and systemd do."""
        self.send(signal.SIGTERM)

    def send(self, number: signal.Signals) -> None:
        """Send it a signal; does nothing when it has ended."""
        self._process.send_signal(number)

    def kill(self) -> None:
        """kill -9."""
        with suppress(ProcessLookupError):
            self._process.kill()
        self._process.wait()

    def said(self) -> str:
        """Everything that it has printed since its first start."""
        return (self.folder / "log").read_text("utf-8", "replace")


class Crawl:
    """The running crawl of a plan: its nodes, the log of their requests, and when they are killed."""

    def __init__(self, plan: Plan, nodes: list[Node], log: Path, result: Result) -> None:
        self.plan, self.nodes, self.result = plan, nodes, result
        self.rng = random.Random(f"kills {plan.seed}")
        self._log = log
        self._deadline = time.monotonic() + LONGEST_ROUND

    def run(self, kill: Callable[[str, Node], None], is_busy: Callable[[Node], bool]) -> None:
        """Kill as planned while the crawl runs; then wait for its end, and note faults in the result."""
        for what in self.plan.kills:
            victim = self._victim(is_busy)
            self._wait(lambda: False, self.rng.uniform(0.0, self.plan.longest_pause))
            if any(node.is_over for node in self.nodes):
                break
            kill(what, victim)
            self.result.kills.append(what)
        self._wait(lambda: all(node.is_over for node in self.nodes), LONGEST_ROUND)
        for number, node in enumerate(self.nodes):
            if not node.is_over:
                self.result.faults.append(f"node {number} did not end in {LONGEST_ROUND:g} s")
            elif node.exit_code:
                self.result.faults.append(f"node {number} ended with exit code {node.exit_code}")
            if "Traceback" in node.said():
                self.result.faults.append(f"node {number} had a traceback")

    def _victim(self, is_busy: Callable[[Node], bool]) -> Node:
        """The node to kill: mostly one that fetches, because one without a host, when others have them all, loses nothing."""
        victim = self.rng.choice(self.nodes)
        if self.rng.random() < _STARTING:
            return victim
        self._wait(lambda: is_busy(victim), _LONGEST_WAIT)
        self._wait(lambda: any(map(is_busy, self.nodes)), _LONGEST_START)
        return victim if is_busy(victim) else next(filter(is_busy, self.nodes), victim)

    def requests(self) -> list[dict[str, Any]]:
        """The requests in the server's log; reads it again while a line is being written."""
        lines = self._log.read_bytes()
        return list(read_log(self._log)) if lines.endswith(b"\n") or not lines else self.requests()

    def _wait(self, is_enough: Callable[[], bool], seconds: float) -> None:
        """Wait until ``is_enough()``, until the time is over, or, except in the last wait, until a node has ended by itself."""
        until = min(time.monotonic() + seconds, self._deadline)
        is_last = seconds == LONGEST_ROUND
        while (
            time.monotonic() < until and not is_enough() and (is_last or not any(node.is_over for node in self.nodes))
        ):
            time.sleep(0.02)


def run_round(plan: Plan, keep: Path | None = None) -> Result:
    """Crawl, kill and check. ``keep``: the folder of a crawl with faults is copied there."""
    began = time.monotonic()
    result = Result(plan.seed)
    with tempfile.TemporaryDirectory(prefix="topicspider-kills-") as folder:
        place = Path(folder)
        log = place / "requests.jsonl"
        spec = f"{plan.web},seed={plan.seed}"
        options = ("--latency", plan.latency, "--seed", str(plan.seed), "--log", str(log))
        embedded = EMBEDDED in plan.kills
        with replay_process(f"made:{spec}", *options) as proxy:
            (_embedded if embedded else _shared)(plan, place, proxy, log, result)
        _check(result, place, log, SyntheticWeb.read(spec))
        result.seconds = round(time.monotonic() - began, 1)
        if result.faults and keep is not None:
            shutil.copytree(place, keep / f"{plan.kills[0].split(',')[0]}-{plan.seed}", dirs_exist_ok=True)
    return result


@contextmanager
def _ended(nodes: list[Node]) -> Iterator[list[Node]]:
    try:
        yield nodes
    finally:
        for node in nodes:
            node.kill()


def _embedded(plan: Plan, folder: Path, proxy: str, log: Path, result: Result) -> None:
    """One process with its frontier in a file; the URLs that it has requested and not confirmed count as leased."""
    file = folder / "one" / "data" / TOPIC / "frontier.db"
    with _ended([Node(folder / "one", proxy, SETTINGS)]) as nodes:
        (node,) = nodes
        crawl = Crawl(plan, nodes, log, result)

        def begun() -> set[str]:
            return {url_of(one) for one in crawl.requests() if one["start"] >= node.started}

        def kill(_what: str, _victim: Node) -> None:
            node.kill()
            _await_notice(proxy)
            result.leases.append(len(begun() & _waiting(file)))
            node.start()

        crawl.run(kill, lambda _node: bool(begun()))
    if file.exists():
        with closing(sqlite3.connect(file)) as database:
            _note_left(result, *database.execute("SELECT waiting, dead, done FROM totals").fetchone())


def _await_notice(proxy: str) -> None:
    """Wait until the server has logged all requests of the killed process: it takes connections in order, so an answer comes after that."""
    with closing(HTTPConnection(proxy.removeprefix("http://"), timeout=LONGEST_ROUND)) as connection:
        connection.request("GET", "http://notice.made.example/robots.txt")  # robots.txt counts for overlaps only
        connection.getresponse().read()


def _waiting(file: Path) -> set[str]:
    """The URLs that are not done in the frontier of a killed process; reads a copy of it."""
    if not file.exists():
        return set()
    with tempfile.TemporaryDirectory() as folder:
        for part in file.parent.glob("frontier.db*"):
            shutil.copy(part, folder)
        with closing(sqlite3.connect(Path(folder) / file.name)) as database:
            try:
                return {url for (url,) in database.execute("SELECT url FROM urls")}
            except sqlite3.OperationalError:
                return set()  # killed before it had made its tables


def _shared(plan: Plan, folder: Path, proxy: str, log: Path, result: Result) -> None:
    """Two processes on one Redis."""
    with private_redis() as server, closing(LogWatch(server)) as watch:
        settings = {**SETTINGS, "TOPICSPIDER_FRONTIER": server.url}
        with _ended([Node(folder / name, proxy, settings) for name in ("one", "two")]) as nodes:
            crawl = Crawl(plan, nodes, log, result)

            def kill_worker(victim: Node) -> None:
                victim.freeze()
                time.sleep(0.05)  # until its call that was under way has ended
                result.leases.append(leased_to(server, TOPIC, victim.pid))
                victim.kill()
                victim.start()

            def kill_redis(what: str) -> None:
                server.kill()
                result.leases.append(watch.leased(TOPIC))
                if what in (TORN, CUT):
                    watch.cut(crawl.rng, is_torn=what == TORN)
                time.sleep(crawl.rng.uniform(0.0, 2.0))
                server.start()

            crawl.run(
                lambda what, victim: kill_worker(victim) if what == WORKER else kill_redis(what),
                lambda node: leased_to(server, TOPIC, node.pid) > 0,
            )
        with redis.Redis(port=server.port) as client:
            totals = client.hmget(key_prefix(TOPIC) + "totals", "waiting", "dead", "done")
            _note_left(result, *(int(number or 0) for number in totals))


def _note_left(result: Result, waiting: int, dead: int, done: int) -> None:
    result.urls = done
    result.faults += [f"{count} URLs {where}" for count, where in ((waiting, "left"), (dead, "given up")) if count]


def _check(result: Result, folder: Path, log: Path, web: SyntheticWeb) -> None:
    wanted = reachable(web)
    verdict = judge(read_log(log), stored_urls((folder / name for name in ("one", "two")), TOPIC), wanted)
    if result.urls != len(wanted.urls):
        result.faults.append(f"{result.urls} URLs done of {len(wanted.urls)}")
    result.urls, result.refetched = len(wanted.urls), verdict.refetched
    result.overlaps, result.missing = len(verdict.overlaps), len({*verdict.missing, *verdict.unstored})
    result.faults += verdict.faults
    if verdict.refetched > result.leased:
        result.faults.append(f"{verdict.refetched} fetched again, {result.leased} leased at the kills")
