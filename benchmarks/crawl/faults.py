"""Crawls synthetic webs while faults are caused, and prints a table of what was lost, what was done twice, and what the crawl said.

    python -m benchmarks.crawl.faults [--only NAME ...] [--nodes 1 3] [--pages 360] [--seed 1] [--list]

A schedule is a sequence of steps: add yours to SCHEDULES. A step is a function of a Scene; the steps begin when BEGINS_AFTER of the pages
are there. Each node writes a feed and a store, or all one MySQL; nodes share a Redis when there are several, or the schedule needs one.
Columns: nodes; pages that must be stored; requests without robots.txt; pages lost; URLs fetched again ("open": those that were being
fetched, or answered less than IN_FLIGHT before, when a step was taken, or that a new beginning fetched again); requests to a host that
overlapped; rows in the stores ("twice": in the stores of two nodes, because both fetched the page); URLs in the feeds, of the stored hits;
exit codes of each run; the first messages at WARNING or above that are not about downloads only.
Ends with 1 after a fault: something was lost or done twice and the last exit code is 0, two requests to a host overlapped, a traceback.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from typing import Any

import redis

from support.crawling import wait_until
from support.kill_checks import judge, reachable, url_of
from support.kill_rounds import SETTINGS, TOPIC, Node
from support.outage_rounds import NoDiskError, small_disk
from support.redis_log import private_redis
from support.servers import (
    MysqlServer,
    NoServerError,
    RedisServer,
    free_port,
    fresh_database,
    make_mysql_server,
    run_sql,
    running,
)
from topicspider.items import HUB
from topicspider.rehearsal.replay.request_log import read_log
from topicspider.rehearsal.replay.server import replay_process
from topicspider.rehearsal.synthetic.web import SyntheticWeb

BEGINS_AFTER = 0.3
IN_FLIGHT = 2.0  # seconds; until then an answer may not be known to the frontier, or not on its disk (a second)
HOSTS = 5  # a sixth host would have a Crawl-delay
LEASE = 15  # seconds; with 6, some leases ran out on a busy machine, and URLs were fetched again
LONGEST_RUN = 480.0  # seconds
REDIS, MYSQL, DISK = "redis", "mysql", "small disk"
HEAD = "| fault | nodes | pages | requests | lost | again | overlaps | rows | feed of hits | exit codes | said |"
_PAGES = f"SELECT url, on_topic = 1 AND type <> '{HUB}' FROM pages WHERE topic = '{TOPIC}'"
_LEVEL = re.compile(
    r"^[\d-]+ [\d:]+ \[[^]]+\] (?:WARNING|ERROR|CRITICAL): (.*)|^(?:topicspider|scrapy)(?:\.\w+)?: (.*)"
)
_OF_THE_FAULT = ("frontier ", "store ", "the store ", "feed ", "The frontier ", "A call to the frontier ")
_OF_DOWNLOADS = re.compile(r"^\d+ of the last \d+ downloads ended as ")


@dataclass(slots=True)
class Scene:
    """A crawl under way: what steps may change, and the exit codes of the runs that have ended."""

    nodes: list[Node]
    redis: RedisServer | None = None
    mysql: MysqlServer | None = None
    disk: Path | None = None
    exits: list[str] = field(default_factory=list)
    steps_at: list[float] = field(default_factory=list)
    anew_at: float = math.inf

    @property
    def client(self) -> redis.Redis:
        """A client of the Redis; the caller closes it."""
        assert self.redis is not None
        return redis.Redis(port=self.redis.port)

    def file(self, name: str) -> Path:
        """The path of a file of the first node."""
        return self.nodes[0].folder / "data" / TOPIC / name


Step = Callable[[Scene], object]


def wait(seconds: float) -> Step:
    """Do nothing for a while."""
    return lambda _: time.sleep(seconds)


def send(number: signal.Signals) -> Step:
    """Send a signal to all nodes."""
    return lambda scene: [node.send(number) for node in scene.nodes if not node.is_over]


def kill(scene: Scene) -> None:
    """kill -9 the first node, and start it again at once."""
    scene.nodes[0].kill()
    scene.nodes[0].start()


def freeze(seconds: float) -> Step:
    """Stop the first node for so many seconds."""

    def step(scene: Scene) -> None:
        scene.nodes[0].freeze()
        time.sleep(seconds)
        scene.nodes[0].send(signal.SIGCONT)

    return step


def ended(scene: Scene) -> None:
    """Wait until all nodes have ended, and note their exit codes; nodes that do not end are killed."""
    try:
        wait_until(lambda: all(node.is_over for node in scene.nodes), seconds=LONGEST_RUN)
    except AssertionError:
        for node in scene.nodes:
            node.kill()
    codes = dict.fromkeys(str(_as_shells_say(node.exit_code)) for node in scene.nodes)
    scene.exits.append("/".join(codes))


def _as_shells_say(code: int) -> int:
    return code if code >= 0 else 128 - code


def again(scene: Scene) -> None:
    """Start the nodes again by the same commands."""
    for node in scene.nodes:
        node.start()


def anew(scene: Scene) -> None:
    """Start the nodes again, to fetch everything anew: the first node empties the queue for all, then the others join."""
    scene.anew_at = time.monotonic()
    scene.nodes[0].start("-a", "fresh=1")
    time.sleep(5)
    for node in scene.nodes[1:]:
        node.start()


def move(name: str, to: str) -> Step:
    """Move a file of the first node, with the files that SQLite has beside it."""

    def step(scene: Scene) -> None:
        for path in scene.file("").glob(f"{name}*"):
            path.rename(path.with_name(path.name.replace(name, to, 1)))

    return step


def back(name: str, of: str) -> Step:
    """Move the file back, in place of what is there now."""

    def step(scene: Scene) -> None:
        for path in scene.file("").glob(f"{name}*"):
            path.unlink()
        move(of, name)(scene)

    return step


def empty_store(scene: Scene) -> None:
    """Keep a copy of the first node's store, and delete all its pages."""
    with closing(sqlite3.connect(scene.file("pages.db"))) as store, closing(sqlite3.connect(scene.file(KEPT))) as kept:
        store.backup(kept)
        store.execute("DELETE FROM pages")
        store.commit()


def server(name: str, what: str) -> Step:
    """``kill``, ``start``, ``pause`` or ``resume`` the server of that name."""
    return lambda scene: getattr(getattr(scene, name), what)()


def tell_redis(*command: str) -> Step:
    """Send a command to Redis; ``{little}``: somewhat less memory than it uses, ``{port}``: one on which nobody listens."""

    def step(scene: Scene) -> None:
        with scene.client as client:
            known = {"little": client.info("memory")["used_memory"] - (64 << 10), "port": free_port()}
            client.execute_command(*(part.format(**known) for part in command))

    return step


def make_room(scene: Scene) -> None:
    """Make room on the disk of the feed."""
    for path in (scene.disk or Path()).glob("filler"):
        path.unlink()


STOP, FORCE = send(signal.SIGINT), [send(signal.SIGINT), wait(0.3), send(signal.SIGINT)]
KEPT = "kept.db"
MEMORY = ("CONFIG", "SET", "maxmemory")
EVICTS = [tell_redis("CONFIG", "SET", "maxmemory-policy", "allkeys-lru"), tell_redis(*MEMORY, "{little}")]


@dataclass(frozen=True, slots=True)
class Schedule:
    """``steps`` in a sequence. ``needs``: REDIS, MYSQL or DISK. ``nodes``: the numbers of nodes for which it makes sense.

    ``fetches_again``: whether the fault must cost repeated fetches: at most of what was leased, unless the crawl is begun anew.
    """

    steps: Sequence[Step]
    needs: str = ""
    fetches_again: bool = False
    nodes: tuple[int, ...] = (1, 3)


SCHEDULES = {
    "nothing": Schedule([]),
    "kill -9": Schedule([kill, wait(3), kill], fetches_again=True),
    "frozen for 5 s": Schedule([freeze(5)]),
    "frozen beyond its lease": Schedule([freeze(LEASE + 5)], fetches_again=True, nodes=(3,)),
    "Ctrl-C": Schedule([STOP, ended, again]),
    "Ctrl-C twice": Schedule([*FORCE, ended, again], fetches_again=True),
    "SIGTERM": Schedule([send(signal.SIGTERM), ended, again]),
    "SIGHUP": Schedule([send(signal.SIGHUP), ended, again]),
    "Redis killed": Schedule([server(REDIS, "kill"), wait(2), server(REDIS, "start")], REDIS, fetches_again=True),
    "Redis hangs": Schedule([server(REDIS, "pause"), wait(5), server(REDIS, "resume")], REDIS, fetches_again=True),
    "Redis read-only": Schedule(
        [tell_redis("REPLICAOF", "127.0.0.1", "{port}"), wait(LEASE), tell_redis("REPLICAOF", "NO", "ONE")],
        REDIS,
        fetches_again=True,  # away for longer than a lease
    ),
    "FLUSHALL": Schedule([tell_redis("FLUSHALL"), ended, anew], REDIS, fetches_again=True),
    "Redis evicts": Schedule([*EVICTS, ended, tell_redis(*MEMORY, "0"), anew], REDIS, fetches_again=True),
    "MySQL killed": Schedule([server(MYSQL, "kill"), wait(5), server(MYSQL, "start")], MYSQL),
    "MySQL gone": Schedule([server(MYSQL, "kill"), ended, server(MYSQL, "start"), again], MYSQL),
    "feed's disk full": Schedule([ended, make_room, again], DISK, nodes=(1,)),
    "store moved": Schedule([STOP, ended, move("pages.db", KEPT), again, ended, back("pages.db", KEPT), again]),
    "store emptied": Schedule([STOP, ended, empty_store, again, ended, back("pages.db", KEPT), again]),
    "frontier moved": Schedule(
        [STOP, ended, move("frontier.db", KEPT), again, ended, back("frontier.db", KEPT), again], nodes=(1,)
    ),
}


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table, and the faults."""

    cells: tuple[object, ...]
    faults: tuple[str, ...]

    def __str__(self) -> str:
        return f"| {' | '.join(map(str, self.cells))} |"


def main() -> int:
    """Run the schedules that were asked for; returns the exit code."""
    options = _options()
    if options.list:
        print("\n".join(SCHEDULES))
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that all started processes are ended
    print(HEAD, "|" + "---|" * (HEAD.count("|") - 1), sep="\n", flush=True)
    is_wrong = False
    for name in options.only:
        for nodes in sorted({*options.nodes} & {*SCHEDULES[name].nodes}):
            try:
                row = run_round(name, nodes, options)
            except (NoServerError, NoDiskError) as missing:
                print(f"| {name} | {nodes} | not measured: {missing} |")
                continue
            print(row, flush=True)
            print(*row.faults, sep="\n", end="\n" if row.faults else "", file=sys.stderr)
            is_wrong |= bool(row.faults)
    return int(is_wrong)


def run_round(name: str, count: int, options: argparse.Namespace) -> Row:
    """Run one crawl by the schedule ``name`` with ``count`` nodes; raises NoServerError, NoDiskError."""
    schedule = SCHEDULES[name]
    spec = f"pages={options.pages},hosts={HOSTS},topic={TOPIC},topic_hosts=3,seed={options.seed}"
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="topicspider-faults-")))
        log = folder / "requests.jsonl"
        served = ("--latency", "lognormal:0.08:0.3", "--seed", str(options.seed), "--log", str(log))
        proxy = stack.enter_context(replay_process(f"made:{spec}", *served))
        scene, database = _set_up(schedule, proxy, folder, count, stack)
        wanted = reachable(SyntheticWeb.read(spec))
        begins = BEGINS_AFTER * len(wanted.urls)
        wait_until(lambda: log.exists() and log.read_bytes().count(b"\n") >= begins, seconds=LONGEST_RUN)
        for step in (*schedule.steps, ended):
            scene.steps_at.append(time.monotonic())
            step(scene)
        stores = list(_stores(scene, database))
        hits = {url for store in stores for url, is_hit in store.items() if is_hit}
        verdict = judge(read_log(log), {url for store in stores for url in store}, wanted)
        fed = {url for node in scene.nodes for url in _fed(scene.disk or node.folder)}
        said = "\n".join(node.said() for node in scene.nodes)
        requests = sum(one["path"] != "/robots.txt" for one in read_log(log))
        unexplained = _not_open_at(scene, read_log(log))
    lost, twice, overlaps = len(verdict.unstored), verdict.refetched, len(verdict.overlaps)
    rows, different = sum(map(len, stores)), len({url for store in stores for url in store})
    again_cell = f"{twice}, {twice - len(unexplained)} open" if twice else 0
    rows_cell = f"{rows}, {rows - different} twice" if rows > different else rows
    cells = (name, count, len(wanted.pages), requests, lost, again_cell, overlaps, rows_cell)
    told = (f"{len(fed & hits)} of {len(hits)}", ", ".join(scene.exits), _first_said(said))
    is_over_well = scene.exits[-1] == "0"
    wrong = {
        f"{lost} pages lost, and exit code 0": is_over_well and lost,
        f"{twice} URLs fetched again, of them not open: {unexplained[:3]}": is_over_well
        and twice > (count * 12 if schedule.fetches_again else 0)
        and scene.anew_at == math.inf,  # else the run before ended with an error: all may be fetched again
        f"overlaps: {verdict.overlaps[:3]}": overlaps,
        f"{len(hits - fed)} hits are not in the feed": is_over_well and hits - fed,
        "a traceback": "Traceback" in said,
        f"exit code {scene.exits[-1]}, and not a word": not is_over_well and not told[-1],
    }
    return Row((*cells, *told), tuple(f"  {name}, {count} nodes: {what}" for what, is_so in wrong.items() if is_so))


def _set_up(schedule: Schedule, proxy: str, folder: Path, count: int, stack: ExitStack) -> tuple[Scene, str]:
    """The scene with its nodes started, and the URL of its database."""
    settings: dict[str, Any] = {
        **SETTINGS,
        "CONCURRENT_REQUESTS": 4,
        "TOPICSPIDER_LIVE": "off",
        "TOPICSPIDER_LEASE_SECONDS": LEASE,
    }
    scene, database, feed = Scene([]), "", "hits.jsonl"
    if count > 1 or schedule.needs == REDIS:
        scene.redis = stack.enter_context(private_redis())
        settings["TOPICSPIDER_FRONTIER"] = scene.redis.url
    if schedule.needs == MYSQL:
        scene.mysql = stack.enter_context(running(make_mysql_server))
        settings["TOPICSPIDER_STORE"] = database = stack.enter_context(fresh_database(scene.mysql.url))
    if schedule.needs == DISK:
        scene.disk = folder / "disk"
        scene.disk.mkdir()
        stack.enter_context(small_disk(scene.disk, "1m"))
        (scene.disk / "filler").write_bytes(b"\0" * ((1 << 20) - (16 << 10)))
        feed = str(scene.disk / feed)
    for number in range(count):
        scene.nodes.append(Node(folder / f"node{number}", proxy, settings, "-O", feed))
        stack.callback(scene.nodes[-1].kill)
    return scene, database


def _stores(scene: Scene, database: str) -> Iterator[dict[str, bool]]:
    """Of each store: by URL, whether a feed must have it."""
    if scene.mysql is not None:
        yield {str(url): bool(hit) for url, hit in run_sql(database, _PAGES)}
        return
    for path in (node.folder / "data" / TOPIC / "pages.db" for node in scene.nodes):
        if path.exists():
            with closing(sqlite3.connect(path)) as store:
                yield {url: bool(hit) for url, hit in store.execute(_PAGES)}


def _not_open_at(scene: Scene, log: Iterable[Mapping[str, Any]]) -> list[str]:
    """URLs fetched again, before the crawl was begun anew, that were neither open nor answered just before when a step was taken."""
    first: dict[str, float] = {}
    found = []
    for one in sorted(log, key=itemgetter("start")):
        url = url_of(one)
        was_open = url in first and any(at - IN_FLIGHT < first[url] and at < one["start"] for at in scene.steps_at)
        if url in first and one["path"] != "/robots.txt" and not was_open and one["start"] < scene.anew_at:
            found.append(f"{url} +{one['start'] - first[url]:.1f} s")
        first[url] = one["end"]
    return found


def _fed(folder: Path) -> list[str]:
    """The URLs of the feed in ``folder``, without a line that is cut off."""
    path = folder / "hits.jsonl"
    lines = path.read_text("utf-8", "replace").splitlines() if path.exists() else []
    return [json.loads(line)["url"] for line in lines if line.endswith("}")]


def _first_said(said: str) -> str:
    """The first two kinds of lines at WARNING or above, those on frontier, store and feed first; failed downloads are left out."""
    lines = [first or second for line in said.splitlines() for first, second in _LEVEL.findall(line)]
    kinds: dict[str, str] = {}
    for line in lines:
        if not _OF_DOWNLOADS.match(line):
            kinds.setdefault(re.sub(r"\d+", "0", line), line)
    told = sorted(kinds.values(), key=lambda line: not line.startswith(_OF_THE_FAULT))
    return "; ".join(line[:110].replace("|", "/") for line in told[:2])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=SCHEDULES, default=list(SCHEDULES), metavar="NAME")
    parser.add_argument("--nodes", nargs="+", type=int, default=[1, 3])
    parser.add_argument("--pages", type=int, default=72 * HOSTS)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="print the names of the schedules")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
