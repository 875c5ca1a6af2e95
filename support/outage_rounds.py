"""A real crawl of a synthetic web into a MariaDB of its own that fails in the middle, and a check of its outcome."""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.kill_checks import reachable, url_of
from support.kill_rounds import TOPIC, Node
from support.servers import MysqlServer, fresh_database, make_mysql_server, run_sql, running
from topicspider.rehearsal.replay.request_log import read_log
from topicspider.rehearsal.replay.server import replay_process
from topicspider.rehearsal.synthetic.web import SyntheticWeb

STOPPED, HANGING, KILLED, FULL = "stopped", "hanging", "kill -9", "disk full"
OUTAGES = (STOPPED, HANGING, KILLED, FULL)
DISK = "256m"
_BLOCK = 1 << 20
_LONGEST_ROUND = 900.0
_BEGINS_AFTER = 0.2  # of the URLs
_LOOK_SECONDS = 0.05
AWAY, BACK = "the store is away", "the store is back"
_NEWS = re.compile(rf"{AWAY}|{BACK}|wait in memory|refused \d+ row|Traceback|stopped")


class NoDiskError(Exception):
    """A small disk, which can be filled up, cannot be made here."""


@dataclass(frozen=True, slots=True)
class Plan:
    """``seconds``: how long the server is away, or its disk full, once the crawl has said so. Web and latencies depend on ``seed``."""

    how: str
    seed: int
    seconds: float
    web: str
    latency: str


@dataclass(slots=True)
class Result:
    """The outcome of one crawl.

    ``expected``: pages that must be stored; ``missing``: how many of them are not; ``doubled``: surplus rows of pages stored twice.
    """

    how: str
    seed: int
    away_seconds: float = 0.0
    expected: int = 0
    stored: int = 0
    doubled: int = 0
    missing: int = 0
    refetched: int = 0
    lines: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0


def run_round(plan: Plan) -> Result:
    """Crawl, take the server away, bring it back, and check; raises NoServerError, NoDiskError."""
    result = Result(plan.how, plan.seed)
    began = time.monotonic()
    with (
        running(make_mysql_server, small_disk if plan.how == FULL else nullcontext) as server,
        fresh_database(server.url) as database,
        tempfile.TemporaryDirectory(prefix="topicspider-outages-") as folder,
    ):
        _crawl(plan, server, database, Path(folder), result)
    result.seconds = round(time.monotonic() - began, 1)
    return result


def _crawl(plan: Plan, server: MysqlServer, database: str, folder: Path, result: Result) -> None:
    spec = f"{plan.web},seed={plan.seed}"
    log = folder / "requests.jsonl"
    wanted = reachable(SyntheticWeb.read(spec))
    result.expected = len(wanted.pages)
    with replay_process(
        f"made:{spec}", "--latency", plan.latency, "--seed", str(plan.seed), "--log", str(log)
    ) as proxy:
        node = Node(folder / "one", proxy, _settings(database))
        try:
            away = _take_away(plan, server, node, lambda: _lines(log) >= _BEGINS_AFTER * len(wanted.urls))
            _wait(lambda: node.is_over, _LONGEST_ROUND)
        finally:
            node.kill()
    _check(node, result)
    result.away_seconds = round(away[1] - away[0], 1)
    _compare(database, wanted.pages, result)
    asked = [url_of(one) for one in read_log(log) if one["path"] != "/robots.txt"]
    result.refetched = len(asked) - len(set(asked))


def _settings(database: str) -> dict[str, Any]:
    return {
        "TOPICSPIDER_STORE": database,
        "TOPICSPIDER_DELAY_MIN": 0,
        "TOPICSPIDER_DELAY_FACTOR": 0,
        "TOPICSPIDER_LINK_POLICY": "bfs",  # prunes nothing
        "TOPICSPIDER_TRAPS": "none",
        "TOPICSPIDER_LIVE": "off",
        "CONCURRENT_REQUESTS": 8,
        "LOG_LEVEL": "INFO",
    }


def _take_away(plan: Plan, server: MysqlServer, node: Node, is_time: Callable[[], bool]) -> tuple[float, float]:
    """Take the server away and bring it back; returns the times of both, by the monotonic clock."""
    _wait(lambda: is_time() or node.is_over, _LONGEST_ROUND)
    leave, come_back = _ways(plan.how, server)
    began = time.monotonic()
    leave()
    try:
        _wait(lambda: AWAY in node.said() or node.is_over, _LONGEST_ROUND)  # a full disk: when a table has to grow
        time.sleep(plan.seconds)
    finally:
        come_back()
    return began, time.monotonic()


def _ways(how: str, server: MysqlServer) -> tuple[Callable[[], object], Callable[[], object]]:
    filler = server.folder / "filler"
    return {
        STOPPED: (server.stop, server.start),
        HANGING: (server.pause, server.resume),
        KILLED: (server.kill, server.start),
        FULL: (lambda: fill(filler), lambda: _make_room(server, filler)),
    }[how]


def _make_room(server: MysqlServer, filler: Path) -> None:
    """Delete the filler, and start the server again if the full disk has ended it, as may happen to MariaDB."""
    filler.unlink()
    if not server.is_running:
        server.start()


def fill(file: Path) -> None:
    """Write to ``file`` until its disk is full, to the last byte."""
    with file.open("wb", buffering=0) as out:
        size = _BLOCK
        while size:
            try:
                out.write(b"\0" * size)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                size //= 2


def _check(node: Node, result: Result) -> None:
    """Check that the crawl ended well, and that it said once that the store is away, and once that it is back."""
    said = node.said()
    result.lines = [line for line in said.splitlines() if _NEWS.search(line)]
    if node.exit_code:
        result.faults.append(f"ended with exit code {node.exit_code}")
    if "Traceback" in said:
        result.faults.append("a traceback")
    for words in (AWAY, BACK):
        if (count := said.count(words)) != 1:
            result.faults.append(f"{count} times: {words}")


def _compare(database: str, pages: frozenset[str], result: Result) -> None:
    stored = [str(url) for (url,) in run_sql(database, f"SELECT url FROM pages WHERE topic = '{TOPIC}'")]
    result.stored = len(stored)
    result.doubled = len(stored) - len(set(stored))
    result.missing = len(pages - set(stored))
    result.faults += [f"not stored: {url}" for url in sorted(pages - set(stored))]
    result.faults += [f"stored, but no page: {url}" for url in sorted(set(stored) - pages)]
    if result.doubled:
        result.faults.append(f"{result.doubled} rows doubled")


def _lines(log: Path) -> int:
    return log.read_bytes().count(b"\n") if log.exists() else 0


def _wait(is_enough: Callable[[], bool], seconds: float) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and not is_enough():
        time.sleep(_LOOK_SECONDS)


@contextmanager
def small_disk(place: Path, size: str = DISK) -> Iterator[None]:
    """A file system of ``size`` at the folder ``place`` while the block runs; raises NoDiskError."""
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    if os.geteuid() or not shutil.which("mount"):
        raise NoDiskError("a disk that fills up needs root and mount")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoDiskError(f"a tmpfs cannot be mounted here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(place)], check=True)
