"""Several processes at one crawl over a real Redis: each page once, each host by one at a time, all end by themselves."""

from __future__ import annotations

import re
import time
from contextlib import closing, contextmanager
from itertools import groupby, pairwise
from pathlib import Path

import pytest
import redis

from support.crawling import begin, stored, wait_until
from support.site import small_web, travel_web
from topicspider.frontier.factory import open_frontier
from topicspider.frontier.protocol import Entry, Work
from topicspider.url import fingerprint

SEED = "http://w0.example/p0.html"


def node(folder: Path, proxy: str, redis_url: str, *arguments: str):
    """One more process at the crawl; its pages lie in a folder of its own."""
    shared = {"TOPICSPIDER_FRONTIER": redis_url, "TOPICSPIDER_LEASE_SECONDS": 5, "CONCURRENT_REQUESTS": 4}
    return begin(folder, proxy, *arguments, seeds=SEED, **shared)


def ended(process):
    _, err = process.communicate(timeout=90)
    assert process.returncode == 0, err[-3000:]
    return err


def overlaps(asked):
    """Requests of one host that began before the one before had ended."""
    by_host = groupby(sorted(asked, key=lambda one: (one.host, one.start)), lambda one: one.host)
    pairs = [pair for _host, ones in by_host for pair in pairwise(ones)]
    return [(before.url, after.url) for before, after in pairs if after.start < before.end]


def test_f2_f6_f8_two_processes_share_a_crawl(tmp_path, client, redis_url):
    web = travel_web(160, hosts=20)
    with small_web(web, latency=0.1) as served:
        calls = _calls(client)
        for process in [node(tmp_path / name, served.proxy, redis_url) for name in ("one", "two")]:
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
        limit = ("-a", "max_pages=60")
        for process in [node(tmp_path / name, served.proxy, redis_url, *limit) for name in ("one", "two")]:
            ended(process)
        assert len(served.pages()) == 60


def test_f7_a_node_goes_on_with_a_crawl_that_another_begins_anew(tmp_path, client, redis_url):
    """``-a fresh=1`` there: what this node knew as queued or done has to be queued again."""
    with small_web(travel_web(40, hosts=4), latency=0.2) as served:
        process = node(
            tmp_path / "one", served.proxy, redis_url, "-a", "max_pages=1000", "-s", "TOPICSPIDER_LINK_POLICY=bfs"
        )
        wait_until(lambda: len(served.pages()) >= 20, process)
        with closing(open_frontier(redis_url, tmp_path / "tourism" / "frontier.db")) as frontier:
            frontier.clear()
            time.sleep(1.5)  # the other one looks at its models, and connects
            frontier.apply(Work(entries=[Entry(SEED, fingerprint(SEED), "w0.example:80")]))
        ended(process)
    assert int(client.hget("topicspider:{tourism}:v1:totals", "pages")) == 40


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
def test_f1_redis_goes_away_and_comes_back_during_a_crawl(tmp_path, own_redis, trouble):
    """Nobody crashes, nothing is lost, no host is asked twice at once."""
    with small_web(travel_web(160, hosts=20), latency=0.1) as served:
        processes = [node(tmp_path / name, served.proxy, own_redis.url) for name in ("one", "two")]
        wait_until(lambda: len(served.pages()) >= 60, *processes)
        with trouble(own_redis):
            time.sleep(2)
        said = "".join(ended(process) for process in processes)
        fetched = served.pages()
        assert len(set(fetched)) > 120
        assert len(fetched) - len(set(fetched)) <= 10, "what was in flight"
        assert not overlaps(served.asked)
    assert "Traceback" not in said
    if trouble in WHY:
        told = rf"frontier redis .*{WHY[trouble]}.*; the crawl goes on with what it holds, and waits"
        assert re.search(told, said)
        assert "The frontier answers again after" in said
