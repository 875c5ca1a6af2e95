"""Three workers on one Redis and one MariaDB, and everything happens to them: nothing is lost, nothing is stored twice (issue 8)."""

from __future__ import annotations

import json
import re
import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from support.crawling import environment, scrapy
from support.kill_checks import judge, reachable
from support.kill_rounds import Node
from support.servers import run_sql
from topicspider.frontier.redis.opening import inspect_in_redis
from topicspider.rehearsal.replay.request_log import read_log
from topicspider.rehearsal.replay.server import replay_process
from topicspider.rehearsal.synthetic.web import SyntheticWeb

WEB = "pages=288,hosts=4,seed=23"
PLACE = Path("tourism/frontier.db")
LEASE_SECONDS = 8
LONGEST = 240  # seconds, on a machine that does much else, too
SETTINGS = {
    "TOPICSPIDER_DELAY_MIN": 0,
    "TOPICSPIDER_DELAY_FACTOR": 0,
    "TOPICSPIDER_LINK_POLICY": "bfs",  # prunes nothing
    "TOPICSPIDER_TRAPS": "none",
    "TOPICSPIDER_LEASE_SECONDS": LEASE_SECONDS,
    "CONCURRENT_REQUESTS": 1,  # and one host more is leased ahead: four hosts keep three busy
    "LOG_LEVEL": "INFO",
}


class Scene:
    """The nodes, and what is known of them from outside."""

    def __init__(self, log: Path, redis_url: str, nodes: dict[str, Node]) -> None:
        self.log, self.redis_url, self.nodes = log, redis_url, nodes
        self.killed: set[str] = set()

    def requests(self) -> list[dict]:
        """What the web was asked; a line that is being written is left out."""
        lines = self.log.read_bytes() if self.log.exists() else b""
        return [json.loads(line) for line in lines[: lines.rfind(b"\n") + 1].splitlines()]

    def look(self):
        with closing(inspect_in_redis(self.redis_url, PLACE)) as inspection:
            return inspection.nodes()

    def leased_to(self, name: str) -> int:
        """URLs."""
        with closing(inspect_in_redis(self.redis_url, PLACE)) as inspection:
            key = next(one.key for one in inspection.nodes().nodes if one.heartbeat.name == name)
            return sum(len(lease.urls) for lease in inspection.leases() if lease.node == key)

    def leased(self) -> int:
        with closing(inspect_in_redis(self.redis_url, PLACE)) as inspection:
            return inspection.counts().leased

    def wait(self, is_so, what: str) -> None:
        """Until it is so, while those that were not ended go on."""
        deadline = time.monotonic() + LONGEST
        while not is_so():
            for name, node in self.nodes.items():
                assert name in self.killed or not node.is_over, f"{name} has ended before {what}: {node.said()[-3000:]}"
            assert time.monotonic() < deadline, what
            time.sleep(0.05)

    def wait_for(self, more: int) -> None:
        """Until the web was asked so many times more."""
        enough = len(self.requests()) + more
        self.wait(lambda: len(self.requests()) >= enough, f"{enough} requests")


@pytest.mark.slow
def test_f1_f2_f3_s1_s2_three_workers_and_all_that_may_happen(tmp_path, own_redis, mysql_server, database):
    log = tmp_path / "requests.jsonl"
    options = ("--latency", "lognormal:0.12:0.3", "--seed", "23", "--log", str(log))
    with ExitStack() as ending:
        proxy = ending.enter_context(replay_process(f"made:{WEB}", *options))
        shared = {**SETTINGS, "TOPICSPIDER_FRONTIER": own_redis.url, "TOPICSPIDER_STORE": database}
        nodes = {}
        for name in ("甲", "乙", "丙"):
            nodes[name] = Node(tmp_path / name, proxy, {**shared, "TOPICSPIDER_NODE": name})
            ending.callback(nodes[name].kill)
        scene = Scene(log, own_redis.url, nodes)
        leased = _attack(scene, own_redis, mysql_server)
        scene.killed |= set(nodes)
        scene.wait(lambda: nodes["丙"].is_over, "the end")
        found = scene.look()
        report = scrapy(["nodes", own_redis.url], tmp_path, environment("", COLUMNS="80"))
    _check_web(log, database, leased)
    _check_nodes(nodes, found, leased)
    _check_report(report, nodes["丙"].said())


def _attack(scene: Scene, server, mysql_server) -> int:
    """Everything, while the crawl goes on; returns how many URLs were leased to who was killed."""
    scene.wait(lambda: bool(scene.requests()), "the first request")
    scene.wait(lambda: sum(one.heartbeat.pages > 0 for one in scene.look().nodes) == 3, "pages of all three")

    at_redis = scene.leased()
    server.kill()
    scene.wait(lambda: all("and waits" in node.said() for node in scene.nodes.values()), "all miss Redis")
    server.start()
    scene.wait(lambda: all("answers again" in node.said() for node in scene.nodes.values()), "all have it again")

    victim = scene.nodes["甲"]
    scene.wait(lambda: scene.leased_to("甲") > 0, "a lease of 甲")
    scene.killed.add("甲")
    victim.freeze()
    time.sleep(0.05)  # a call of its that was under way is over
    leased = scene.leased_to("甲")
    victim.kill()

    mysql_server.kill()
    others = [scene.nodes[name] for name in ("乙", "丙")]
    scene.wait_for(12)
    scene.wait(lambda: all("the store is away" in node.said() for node in others), "both miss MariaDB")
    mysql_server.start()
    scene.wait(lambda: all("the store is back" in node.said() for node in others), "both have it again")

    with closing(inspect_in_redis(scene.redis_url, PLACE)) as inspection:
        (asked,) = inspection.nodes().called("乙")
        assert inspection.ask(asked.key, "drain")
    scene.killed.add("乙")
    scene.wait(lambda: scene.nodes["乙"].is_over, "乙 leaves")
    return leased + at_redis


def _check_web(log: Path, database: str, leased: int) -> None:
    """By the server's log each URL that can be reached was answered, by MariaDB each page is there, once."""
    stored = [str(url) for (url,) in run_sql(database, "SELECT url FROM pages")]
    wanted = reachable(SyntheticWeb.read(WEB))
    verdict = judge(read_log(log), set(stored), wanted)
    assert verdict.faults == []
    assert len(stored) == len(set(stored))
    assert wanted.pages <= set(stored) <= wanted.urls
    assert verdict.refetched <= leased


def _check_nodes(nodes: dict[str, Node], found, leased: int) -> None:
    states = {one.heartbeat.name: (one.state, one.heartbeat.reason) for one in found.nodes}
    assert states.pop("甲") in (("silent", ""), ("gone", ""))
    assert states == {"乙": ("ended", "drained"), "丙": ("ended", "finished")}
    assert [nodes[name].exit_code for name in ("乙", "丙")] == [0, 0]
    assert not any("Traceback" in node.said() for node in nodes.values())
    assert all(
        one.heartbeat.outages >= 1 and one.heartbeat.restarts == 1 for one in found.nodes if one.heartbeat.name != "甲"
    )
    assert 0 < found.handed_out_again <= leased


def _check_report(report, said: str) -> None:
    """Whoever comes later is told what happened."""
    assert report.exit_code == 0, report.err
    lines = report.out.splitlines()
    assert any(line.startswith("甲") and ("gone" in line or "silent" in line) for line in lines), report.out
    for name, reason in (("乙", "drained"), ("丙", "finished")):
        told = f"{name}: Redis away [^:]+; Redis restarted(?:, replaced or emptied)? once; store away [^:]+; ended: {reason}"
        assert re.search(told, " ".join(report.out.split())), report.out
    assert "handed out again" in " ".join(lines)
    assert "finished: no links are left" in said
    assert re.search(
        r"INFO: interruptions +Redis away .+; Redis restarted(?:, replaced or emptied)? once; store away ", said
    ), said[-3000:]
