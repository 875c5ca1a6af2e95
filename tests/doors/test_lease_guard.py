"""Promise F2: no download outlives the lease of its host; what cannot be renewed is broken off in time, and fetched again later."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections import Counter

import pytest
import redis

from support.crawling import begin, crawl, stored, wait_until
from support.site import TRAVEL, page, small_web
from topicspider.download.cancellation import DownloadCancelled, Downloads
from topicspider.frontier.node import FrontierNode
from topicspider.lease_watch import enforce_leases
from topicspider.url import canonicalize

SHORT = 20  # seconds; the tenth that is left after a download was broken off is time enough for a busy machine
LONGER = 6  # seconds; its page takes half as long again
BROKEN = re.compile(r"^(\d+\.\d+) \d+ downloads were broken off", re.MULTILINE)


A, B = "甲.example:80", "乙.example:80"


class Shared:
    """As much of a shared frontier as a node asks for its leases."""

    restarts, emptied, asked = 0, 0, ""

    def sync(self, *_given):
        raise AssertionError

    def holds(self, _host, _token):
        return True

    def holds_host(self, _host):
        return True


class Crawler:
    """As much of one as is needed."""


def test_what_the_frontier_says_is_lost_is_broken_off_while_calls_come_through():
    async def play() -> None:
        crawler, lost = Crawler(), set()
        downloads, node = Downloads.of(crawler), FrontierNode(Shared(), 60.0, 16)

        async def one(host: str, seconds: float) -> None:
            async with downloads.one(host):
                await asyncio.sleep(seconds)

        guard = asyncio.ensure_future(enforce_leases(crawler, node, lost.__contains__))
        slow = asyncio.ensure_future(one(A, 600.0))
        await one(B, 0.0)
        lost.add(A)
        (told,) = await asyncio.gather(slow, return_exceptions=True)
        assert isinstance(told, DownloadCancelled)
        with pytest.raises(DownloadCancelled):
            await one(A, 0.0)
        await one(B, 0.0)
        guard.cancel()
        await asyncio.wait([guard])
        await one(A, 0.0)

    asyncio.run(asyncio.wait_for(play(), 60))


@pytest.mark.slow
def test_f1_f2_a_slow_page_is_given_up_before_its_lease_ends_while_redis_hangs(tmp_path, own_redis):
    """And comes again when Redis answers: nothing is lost, nothing counts twice."""
    slow, is_asked, may_end = "http://w1.example/慢.html", threading.Event(), threading.Event()
    links = {slow: "旅游攻略 慢", "http://w2.example/快.html": "旅游攻略 快"}

    def answer(url):
        if url.endswith("robots.txt"):
            return None
        asked[url.split("/")[2]] += 1
        if "w1.example" in url and not is_asked.is_set():
            is_asked.set()
            may_end.wait(90)
        return page("旅游", TRAVEL, links if "w0.example" in url else {})

    log, asked = tmp_path / "crawl.log", Counter()
    with small_web(answer) as web:
        said = {"LOG_FILE": log, "LOG_FORMAT": "%(created)f %(message)s", "TOPICSPIDER_READ_TIMEOUT": 60}
        shared = {"TOPICSPIDER_FRONTIER": own_redis.url, "TOPICSPIDER_LEASE_SECONDS": SHORT}
        process = begin(tmp_path, web.proxy, seeds="http://w0.example/", **shared, **said)
        assert is_asked.wait(60)
        with redis.Redis.from_url(own_redis.url) as client:
            (key,) = client.scan_iter("*:ends")
            wait_until(lambda: client.zcard(key) == 1, process)  # what came before is acknowledged
            client.client_pause(120_000, all=False)  # no write gets through, so no lease is renewed any more
            lease_ends = max(score for _, score in client.zrange(key, 0, -1, withscores=True))
            wait_until(lambda: BROKEN.search(log.read_text(encoding="utf-8")), process)
            client.client_unpause()
        may_end.set()
        _, err = process.communicate(timeout=90)
    assert process.returncode == 0, err[-3000:]
    assert float(BROKEN.search(log.read_text(encoding="utf-8"))[1]) < lease_ends
    assert asked["w0.example"] == 1
    assert asked["w1.example"] == 2
    assert set(stored(tmp_path)) == {"http://w0.example/", *map(canonicalize, links)}


@pytest.mark.slow
def test_a_page_that_takes_longer_than_its_lease_is_fetched_once(tmp_path, own_redis):
    """While calls come through its lease is renewed: no page is fetched for ever."""
    slow = "http://w1.example/慢.html"

    def answer(url):
        if url.endswith("robots.txt"):
            return None
        asked[url.split("/")[2]] += 1
        if "w1.example" in url:
            time.sleep(1.5 * LONGER)
        return page("旅游", TRAVEL, {slow: "旅游攻略 慢"} if "w0.example" in url else {})

    asked = Counter()
    with small_web(answer) as web:
        shared = {"TOPICSPIDER_FRONTIER": own_redis.url, "TOPICSPIDER_LEASE_SECONDS": LONGER}
        ended = crawl(tmp_path, web.proxy, seeds="http://w0.example/", **shared)
    assert ended.exit_code == 0, ended.err[-3000:]
    assert asked == {"w0.example": 1, "w1.example": 1}
