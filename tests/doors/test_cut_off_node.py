"""Nodes that are cut off from Redis for 30 s fetch nothing past their leases, lose no work, and go on when the way is free again (issue 8)."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections import Counter
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from support.crawling import begin, stored, wait_until
from support.site import small_web, travel_web
from tests.doors.test_redis_crawl import overlaps
from topicspider.frontier.redis.opening import inspect_in_redis
from topicspider.options import Options

SEED = "http://w0.example/p0.html"
PLACE = Path("tourism/frontier.db")
PAGES, HOSTS = 160, 40
CUT_SECONDS = 30.0
SHORT, USUAL = 12.0, Options().lease_seconds
"""Leases that end within the cut, so that others get their hosts meanwhile, and those that everybody has, which outlive it."""
AT_ONCE = {"near": 1, "short": 2, "usual": 8}
"""The nodes, with how many downloads each has at once: who has eight holds two more hosts that it has not begun."""
LONGEST = 120


class Wire:
    """The way from a node to Redis: an address of its own that passes on what it gets, unless it is cut. What is under way then arrives later."""

    def __init__(self, host: str, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._listening = _listen(host)
        self.address = "{}:{}".format(*self._listening.getsockname())
        self._is_whole = threading.Event()
        self._is_whole.set()
        self._is_over = False
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Nothing comes through any more; nobody is told."""
        self._is_whole.clear()

    def mend(self) -> None:
        """It does again."""
        self._is_whole.set()

    def close(self) -> None:
        self._is_over = True
        self._is_whole.set()
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                threading.Thread(target=self._carry, args=(near,), daemon=True).start()

    def _carry(self, near: socket.socket) -> None:
        with suppress(OSError), near:
            self._is_whole.wait()
            with socket.create_connection(self._target) as far:
                other = {near: far, far: near}
                while not self._is_over:
                    ready, _, _ = select.select([near, far], [], [], 0.05)
                    for end in ready:
                        data = end.recv(65_536)
                        self._is_whole.wait()
                        if not data:
                            return
                        other[end].sendall(data)


def _listen(host: str) -> socket.socket:
    try:
        return socket.create_server((host, 0))
    except OSError:  # a system with one loopback address
        return socket.create_server(("127.0.0.1", 0))


@contextmanager
def wires_to(redis_url: str):
    """Two ways to Redis, each with a URL."""
    place = urlsplit(redis_url).netloc
    wires = [Wire(host, urlsplit(redis_url).port or 6379) for host in ("127.0.0.2", "127.0.0.3")]
    try:
        yield wires, [redis_url.replace(place, wire.address) for wire in wires]
    finally:
        for wire in wires:
            wire.close()


def node(folder: Path, proxy: str, redis_url: str, name: str):
    own = {"TOPICSPIDER_LEASE_SECONDS": SHORT} if name == "short" else {}
    return begin(
        folder,
        proxy,
        seeds=SEED,
        TOPICSPIDER_FRONTIER=redis_url,
        TOPICSPIDER_LINK_POLICY="bfs",  # prunes nothing
        TOPICSPIDER_NODE=name,
        USER_AGENT=name,  # by which the web knows who asks
        CONCURRENT_REQUESTS=AT_ONCE[name],
        LOG_LEVEL="INFO",
        **own,
    )


@pytest.mark.slow
def test_f1_f2_f3_nodes_that_are_cut_off_from_redis(tmp_path, client, redis_url):
    with small_web(travel_web(PAGES, HOSTS), latency=0.5) as served, wires_to(redis_url) as (wires, ways):
        urls = dict(zip(AT_ONCE, [redis_url, *ways], strict=True))
        processes = {name: node(tmp_path / name, served.proxy, url, name) for name, url in urls.items()}

        def by(name: str) -> list:
            return [one for one in list(served.asked) if one.headers.get("User-Agent") == name]

        def wait(is_so) -> None:
            wait_until(is_so, *processes.values(), seconds=LONGEST)

        def has_more_than_it_asks_for() -> bool:
            ended = {one.url for one in by("usual")}
            return len(leased_to(redis_url, "usual")[1] - ended) >= AT_ONCE["usual"] + 2

        wait(lambda: all(len(by(name)) >= 6 for name in AT_ONCE) and has_more_than_it_asks_for())
        for wire in wires:
            wire.cut()
        cut_at = time.monotonic()
        short_had, usual_had = (leased_to(redis_url, name) for name in ("short", "usual"))
        wait(lambda: time.monotonic() >= cut_at + CUT_SECONDS)
        assert leased_to(redis_url, "short")[0] == set(), "its hosts are others'"
        assert leased_to(redis_url, "usual") == usual_had, "nobody else gets them"
        for wire in wires:
            wire.mend()
        mended_at = time.monotonic()
        wait(lambda: all(any(one.start > mended_at for one in by(name)) for name in ("short", "usual")))
        said = {name: process.communicate(timeout=2 * LONGEST)[1] for name, process in processes.items()}
        alone = {name: [one for one in by(name) if cut_at < one.start < mended_at] for name in AT_ONCE}
        fetched = served.pages()
        assert not overlaps(served.asked)
    assert {name: process.returncode for name, process in processes.items()} == dict.fromkeys(AT_ONCE, 0), said
    assert all(one.start < cut_at + SHORT for one in alone["short"]), "no fetch begins past a lease"
    begun = {one.url for one in alone["usual"] if not one.url.endswith("/robots.txt")}
    assert begun, "it goes on with what it holds"
    assert begun <= usual_had[1]
    for name in ("short", "usual"):
        assert "and waits" in said[name]
        assert "The frontier answers again after" in said[name]
    assert "Traceback" not in "".join(said.values())
    assert set(fetched) == set(travel_web(PAGES, HOSTS))
    twice = {url for url, times in Counter(fetched).items() if times > 1}
    assert twice <= short_had[1], "only what was leased to it may have been fetched by both"
    assert set().union(*(stored(tmp_path / name) for name in AT_ONCE)) == set(fetched)
    found = register(redis_url)
    assert len(fetched) - PAGES <= found.handed_out_again <= len(short_had[1])
    outages = {one.heartbeat.name: one.heartbeat.outages for one in found.nodes}
    assert (outages["near"], outages["short"] > 0, outages["usual"] > 0) == (0, True, True)
    totals = client.hgetall("topicspider:{tourism}:v1:totals")
    assert (int(totals[b"waiting"]), int(totals[b"leased"]), int(totals[b"pages"])) == (0, 0, PAGES)


def register(redis_url: str):
    with closing(inspect_in_redis(redis_url, PLACE)) as inspection:
        return inspection.nodes()


def leased_to(redis_url: str, name: str) -> tuple[set[str], set[str]]:
    """Hosts and URLs: a call that was cut off may have leased some that the node never hears of."""
    with closing(inspect_in_redis(redis_url, PLACE)) as inspection:
        (key,) = [one.key for one in inspection.nodes().nodes if one.heartbeat.name == name]
        leases = [lease for lease in inspection.leases() if lease.node == key]
        return {lease.host for lease in leases}, {url for lease in leases for url in lease.urls}
