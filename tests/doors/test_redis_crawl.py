"""Several processes at one crawl over a real Redis: each page once, each host by one at a time, all end by themselves."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
import redis

from support.crawling import NO_DELAYS, environment, start, stored
from support.servers import NoServerError, give_up, make_redis_server
from support.site import small_web, travel_web

SEED = "http://w0.example/p0.html"


@pytest.fixture
def client(redis_url):
    with redis.Redis.from_url(redis_url) as client:
        yield client
        for key in client.scan_iter("topicspider:{tourism}:*", count=10_000):
            client.unlink(key)


def node(folder: Path, proxy: str, redis_url: str, *arguments: str):
    """One more process at the crawl; its pages lie in a folder of its own."""
    folder.mkdir(exist_ok=True)
    given = ["crawl", "topic", "-a", "topic=tourism", "-a", f"seeds={SEED}", *NO_DELAYS]
    shared = ["-s", f"TOPICSPIDER_FRONTIER={redis_url}", "-s", "TOPICSPIDER_LEASE_SECONDS=5"]
    return start([*given, *shared, *arguments], folder, environment(proxy))


def ended(process, timeout=90):
    _, err = process.communicate(timeout=timeout)
    assert process.returncode == 0, err[-3000:]
    return err


def overlaps(asked):
    """Requests of one host that began before the one before had ended."""
    by_host = {}
    for one in sorted(asked, key=lambda one: one.start):
        by_host.setdefault(one.host, []).append(one)
    return [
        (before.url, after.url)
        for ones in by_host.values()
        for before, after in pairwise(ones)
        if after.start < before.end
    ]


def test_f2_f6_f8_two_processes_share_a_crawl(tmp_path, client, redis_url):
    web = travel_web(160, hosts=20)
    with small_web(web, latency=0.1) as served:
        calls = _calls(client)
        few = ("-s", "CONCURRENT_REQUESTS=4")
        processes = [node(tmp_path / name, served.proxy, redis_url, *few) for name in ("one", "two")]
        for process in processes:
            ended(process)
        calls = _calls(client) - calls
        fetched = served.pages()
        assert sorted(fetched) == sorted(set(fetched))
        assert set(fetched) <= set(web)
        assert len(fetched) > 120
        assert not overlaps(served.asked)
    assert all(stored(tmp_path / name) for name in ("one", "two")), "both have fetched"
    assert calls <= 1.1 * len(fetched)
    totals = client.hgetall("topicspider:{tourism}:v1:totals")
    assert int(totals[b"pages"]) == len(fetched)
    assert int(totals[b"waiting"]) == int(totals[b"leased"]) == 0


def _calls(client):
    return client.info("commandstats").get("cmdstat_evalsha", {}).get("calls", 0)


def test_f8_max_pages_is_exact_over_processes(tmp_path, client, redis_url):
    with small_web(travel_web(160, hosts=20), latency=0.1) as served:
        few = ("-s", "CONCURRENT_REQUESTS=4", "-a", "max_pages=60")
        for process in [node(tmp_path / name, served.proxy, redis_url, *few) for name in ("one", "two")]:
            ended(process)
        assert len(served.pages()) == 60


@contextmanager
def read_only(server):
    """As after a failover that has made it a replica."""
    with redis.Redis.from_url(server.url) as client:
        client.execute_command("REPLICAOF", "127.0.0.1", "1")
        yield
        client.execute_command("REPLICAOF", "NO", "ONE")


@contextmanager
def full(server):
    with redis.Redis.from_url(server.url) as client:
        client.config_set("maxmemory-policy", "noeviction")
        client.config_set("maxmemory", "1")
        yield
        client.config_set("maxmemory", "0")


@contextmanager
def killed(server):
    server.kill()
    yield
    server.start()


@contextmanager
def hanging(server):
    server.pause()
    yield
    server.resume()


WHY = {killed: "refused", read_only: "it is a read-only replica", full: "its memory is full"}  # who hangs is waited for


@pytest.mark.parametrize("trouble", [killed, hanging, read_only, full])
def test_f1_redis_goes_away_and_comes_back_during_a_crawl(tmp_path, trouble):
    """Nobody crashes, nothing is lost, no host is asked twice at once."""
    with own_redis() as server, small_web(travel_web(160, hosts=20), latency=0.1) as served:
        few = ("-s", "CONCURRENT_REQUESTS=4")
        processes = [node(tmp_path / name, served.proxy, server.url, *few) for name in ("one", "two")]
        while len(served.pages()) < 60:
            assert all(process.poll() is None for process in processes), processes[0].communicate()
            time.sleep(0.05)
        with trouble(server):
            time.sleep(2)
        said = "".join(ended(process) for process in processes)
        fetched = served.pages()
        assert len(set(fetched)) > 120
        assert len(fetched) - len(set(fetched)) <= 10, "what was in flight"
        assert not overlaps(served.asked)
        assert "Traceback" not in said
        if trouble in WHY:
            assert re.search(
                rf"frontier redis .*{WHY[trouble]}.*; the crawl goes on with what it holds, and waits", said
            )
            assert "The frontier answers again after" in said


@contextmanager
def own_redis():
    folder = Path(tempfile.mkdtemp(prefix="ts-"))
    try:
        server = make_redis_server(folder)
    except NoServerError as missing:
        give_up(str(missing))
    try:
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)
