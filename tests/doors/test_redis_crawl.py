"""Several processes at one crawl over a real Redis: each page once, each host by one at a time, all end by themselves."""

from __future__ import annotations

import re
import secrets
import signal
import time
from itertools import pairwise
from pathlib import Path

import pytest
import redis

from tests.crawling import NO_DELAYS, environment, start, stop_after
from tests.site import small_web, travel_web

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
    shared = [
        "-s",
        f"TOPICSPIDER_FRONTIER={redis_url}",
        "-s",
        "TOPICSPIDER_LEASE_SECONDS=5",
        "-s",
        "TOPICSPIDER_THRESHOLD=0",
    ]
    return start([*given, *shared, *arguments], folder, environment(proxy))


def ended(process, timeout=90):
    out, err = process.communicate(timeout=timeout)
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


def test_f2_f8_two_processes_share_a_crawl(tmp_path, client, redis_url):
    web = travel_web(90, hosts=12)
    with small_web(web, latency=0.1) as served:
        processes = [node(tmp_path / name, served.proxy, redis_url) for name in ("one", "two")]
        for process in processes:
            ended(process)
        fetched = served.pages()
        assert sorted(fetched) == sorted(set(fetched))
        assert set(fetched) <= set(web)
        assert len(fetched) > 60
        assert not overlaps(served.asked)
    totals = client.hgetall("topicspider:{tourism}:v1:totals")
    assert int(totals[b"pages"]) == len(fetched)
    assert int(totals[b"waiting"]) == int(totals[b"leased"]) == 0
