"""A node that is cut off from Redis fetches nothing past its leases, loses no work, and goes on when the way is free again (issue 8)."""

from __future__ import annotations

import select
import socket
import threading
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import redis

from tests.crawling import NO_DELAYS, environment, start, stored
from tests.doors.test_redis_crawl import overlaps
from tests.site import small_web, travel_web
from topicspider.frontier.redis.opening import inspect_in_redis

SEED = "http://w0.example/p0.html"
PLACE = Path("tourism/frontier.db")
PAGES, HOSTS = 150, 30
LEASE_SECONDS = 6.0
CUT_SECONDS = 10.0  # longer than a lease: others get its hosts meanwhile
LONGEST = 120


class Wire:
    """The way from a node to Redis: a port of its own that passes on what it gets, unless it is cut. What is under way then arrives later."""

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
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


@contextmanager
def wire_to(redis_url: str):
    wire = Wire(urlsplit(redis_url).port or 6379)
    try:
        yield wire, redis_url.replace(f":{urlsplit(redis_url).port}", f":{wire.port}")
    finally:
        wire.close()


@pytest.fixture
def client(redis_url):
    with redis.Redis.from_url(redis_url) as client:
        yield client
        for key in client.scan_iter("topicspider:{tourism}:*", count=10_000):
            client.unlink(key)


def node(folder: Path, proxy: str, redis_url: str, name: str):
    folder.mkdir()
    settings = {
        "TOPICSPIDER_FRONTIER": redis_url,
        "TOPICSPIDER_LEASE_SECONDS": LEASE_SECONDS,
        "TOPICSPIDER_LINK_POLICY": "bfs",  # prunes nothing
        "TOPICSPIDER_NODE": name,
        "USER_AGENT": name,  # by which the web knows who asks
        "CONCURRENT_REQUESTS": 2,
        "LOG_LEVEL": "INFO",
    }
    options = [part for key, value in settings.items() for part in ("-s", f"{key}={value}")]
    return start(
        ["crawl", "topic", "-a", "topic=tourism", "-a", f"seeds={SEED}", *NO_DELAYS, *options],
        folder,
        environment(proxy),
    )


def test_f1_f2_f3_a_node_that_is_cut_off_from_redis(tmp_path, client, redis_url):
    with small_web(travel_web(PAGES, HOSTS), latency=0.3) as served, wire_to(redis_url) as (wire, way):
        processes = {
            name: node(tmp_path / name, served.proxy, url, name) for name, url in (("near", redis_url), ("far", way))
        }

        def by(name: str) -> list:
            return [one for one in list(served.asked) if one.headers.get("User-Agent") == name]

        def wait(is_so) -> None:
            deadline = time.monotonic() + LONGEST
            while not is_so():
                for process in processes.values():
                    assert process.poll() is None, process.communicate()[1][-3000:]
                assert time.monotonic() < deadline
                time.sleep(0.02)

        wait(lambda: len(by("far")) >= 8 and len(by("near")) >= 8)
        wire.cut()
        cut_at = time.monotonic()
        leased = leased_to(redis_url, "far")
        wait(lambda: time.monotonic() >= cut_at + CUT_SECONDS)
        assert {one.beat.name: one.hosts for one in register(redis_url).nodes}["far"] == (), "its hosts are others'"
        wire.mend()
        mended_at = time.monotonic()
        wait(lambda: any(one.start > mended_at for one in by("far")))
        said = {name: process.communicate(timeout=LONGEST)[1] for name, process in processes.items()}
        alone = [one.start - cut_at for one in by("far") if cut_at < one.start < mended_at]
        fetched = served.pages()
        assert not overlaps(served.asked)
    assert {name: process.returncode for name, process in processes.items()} == {"near": 0, "far": 0}, said
    assert max(alone, default=0.0) < LEASE_SECONDS, "no fetch begins past a lease"
    assert "and waits" in said["far"]
    assert "The frontier answers again after" in said["far"]
    assert "Traceback" not in said["far"] + said["near"]
    assert set(fetched) == set(travel_web(PAGES, HOSTS))
    assert len(fetched) - PAGES <= leased, "only what was leased to it may have been fetched by both"
    assert set(stored(tmp_path / "near")) | set(stored(tmp_path / "far")) == set(fetched)
    found = register(redis_url)
    assert len(fetched) - PAGES == found.duplicates <= found.handed_out_again <= leased
    outages = {one.beat.name: one.beat.outages for one in found.nodes}
    assert (outages["near"], outages["far"] > 0) == (0, True)
    totals = client.hgetall("topicspider:{tourism}:v1:totals")
    assert (int(totals[b"waiting"]), int(totals[b"leased"]), int(totals[b"pages"])) == (0, 0, PAGES)


def register(redis_url: str):
    with closing(inspect_in_redis(redis_url, PLACE)) as inspection:
        return inspection.nodes()


def leased_to(redis_url: str, name: str) -> int:
    """URLs: a call that was cut off may have leased some that the node never hears of."""
    with closing(inspect_in_redis(redis_url, PLACE)) as inspection:
        (key,) = [one.key for one in inspection.nodes().nodes if one.beat.name == name]
        return sum(len(lease.urls) for lease in inspection.leases() if lease.node == key)
