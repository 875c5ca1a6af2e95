"""F2: no download outlives the lease of its host; what cannot be renewed is broken off in time, and fetched again later."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections import Counter

import pytest
import redis

from support.crawling import NO_DELAYS, environment, start, stored
from support.site import TRAVEL, page, small_web
from tests.doors.test_redis_crawl import own_redis
from topicspider.download.cancellation import DownloadCancelled, Downloads
from topicspider.frontier.memory import MemoryFrontier
from topicspider.frontier.node import GOES_ON_FOR, FrontierNode
from topicspider.scheduler import keep_to_leases, lost_hosts
from topicspider.url import canonicalize

LEASE = 60.0
SHORT = 20  # seconds; the tenth that is left after a download was broken off is time enough for a busy machine
LONGER = 6  # seconds; its page takes half as long again
BROKEN = re.compile(r"^(\d+\.\d+) \d+ downloads were broken off", re.MULTILINE)
A, B = "甲.example:80", "乙.example:80"


class Clock:
    now = 1_000.0

    def __call__(self):
        return self.now


class Shared:
    """As much of a shared frontier as a node asks for its leases."""

    restarts, asked = 0, ""

    def __init__(self):
        self.lost = set()
        self.strangers = set()

    def sync(self, *_given):
        raise AssertionError

    def holds(self, host, token):
        return (host, token) not in self.lost

    def holds_host(self, host):
        return host not in self.strangers


class Crawler:
    """As much of one as is needed."""


def test_a_fetch_goes_on_until_shortly_before_the_end_of_its_lease():
    clock = Clock()
    node, embedded = (FrontierNode(one, LEASE, 16, clock) for one in (Shared(), MemoryFrontier()))
    clock.now += LEASE / 2
    assert (node.may_start(A), node.may_go_on(A)) == (False, True)
    clock.now += (GOES_ON_FOR - 0.5) * LEASE
    assert not node.may_go_on(A)
    assert embedded.may_go_on(A), "nobody else can have it"


def test_a_host_without_a_lease_is_asked_however_long_calls_fail():
    """A picture of another host, a font: no other node waits for it."""
    clock, shared = Clock(), Shared()
    node = FrontierNode(shared, LEASE, 16, clock)
    clock.now += LEASE
    shared.strangers.add(B)
    assert (node.may_go_on(A), node.may_go_on(B), node.may_start(B)) == (False, True, True)


@pytest.mark.parametrize("seconds", [1.0, 2.0, 10.0, 60.0])
def test_looks_are_frequent_enough_for_the_shortest_lease(seconds):
    node = FrontierNode(Shared(), seconds, 16)
    assert 2 * node.look_seconds <= (1 - GOES_ON_FOR) * seconds
    assert node.look_seconds <= 0.2


def test_a_host_is_lost_with_its_lease_unless_there_is_a_new_one():
    shared = Shared()
    node = FrontierNode(shared, LEASE, 16, Clock())
    leases = [(A, 1), (B, 2)]
    assert lost_hosts(leases, node) == set()
    shared.lost |= {(A, 1), (B, 2)}
    assert lost_hosts(leases, node) == {A, B}
    assert lost_hosts([*leases, (A, 3)], node) == {B}


def test_what_the_frontier_says_is_lost_is_broken_off_while_calls_come_through():
    async def play() -> None:
        crawler, lost = Crawler(), set()
        downloads, node = Downloads.of(crawler), FrontierNode(Shared(), LEASE, 16, Clock())

        async def one(host: str, seconds: float) -> None:
            async with downloads.one(host):
                await asyncio.sleep(seconds)

        guard = asyncio.ensure_future(keep_to_leases(crawler, node, lost.__contains__))
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


def test_an_error_does_not_end_the_guard(caplog):
    async def play() -> None:
        crawler, errors = Crawler(), 3
        downloads, node = Downloads.of(crawler), FrontierNode(Shared(), LEASE, 16, Clock())

        def is_lost(_host: str) -> bool:
            nonlocal errors
            errors -= 1
            if errors >= 0:
                raise ValueError("出错")
            return True

        async def one() -> None:
            async with downloads.one(A):
                guards.append(asyncio.ensure_future(keep_to_leases(crawler, node, is_lost)))
                await asyncio.sleep(600.0)

        guards = []
        with pytest.raises(DownloadCancelled):
            await one()
        guards[0].cancel()

    asyncio.run(asyncio.wait_for(play(), 60))
    assert caplog.messages[0] == "Leases cannot be looked at"
    assert len(caplog.messages) == 2, "what goes on going wrong is said once"


def test_what_the_guard_finds_it_ends_and_says_so_once(caplog):
    asyncio.run(_guarded(caplog))


async def _guarded(caplog) -> None:
    crawler, shared, ended = Crawler(), Shared(), []
    downloads, clock = Downloads.of(crawler), Clock()
    node = FrontierNode(shared, LEASE, 16, clock)

    async def one(host: str) -> None:
        async with downloads.one(host):
            await asyncio.sleep(0.05 if host == A else 600.0)
        ended.append(host)

    guard = asyncio.ensure_future(keep_to_leases(crawler, node, lambda _host: False))
    lost, kept = asyncio.ensure_future(one(B)), asyncio.ensure_future(one(A))
    await kept
    clock.now += LEASE
    (told,) = await asyncio.gather(lost, return_exceptions=True)
    assert isinstance(told, DownloadCancelled)
    await asyncio.sleep(0.5)
    guard.cancel()
    assert ended == [A]
    assert caplog.messages == [
        "1 downloads were broken off: the leases of their hosts are lost, or could not be renewed"
    ]


def test_an_embedded_crawl_needs_no_guard():
    crawler, node = Crawler(), FrontierNode(MemoryFrontier(), LEASE, 4)
    asyncio.run(asyncio.wait_for(keep_to_leases(crawler, node, lambda _host: True), 60))
    assert Downloads.of(crawler).may_begin(A)


@pytest.mark.slow
def test_f1_f2_a_slow_page_is_given_up_before_its_lease_ends_while_redis_hangs(tmp_path):
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
    with own_redis() as server, small_web(answer) as web:
        options = (
            "-s",
            f"TOPICSPIDER_FRONTIER={server.url}",
            "-s",
            f"TOPICSPIDER_LEASE_SECONDS={SHORT}",
            "-s",
            "TOPICSPIDER_READ_TIMEOUT=60",
            "-s",
            f"LOG_FILE={log}",
            "-s",
            "LOG_FORMAT=%(created)f %(message)s",
        )
        order = ["crawl", "topic", "-a", "topic=tourism", "-a", "seeds=http://w0.example/", *NO_DELAYS, *options]
        process = start(order, tmp_path, environment(web.proxy))
        assert is_asked.wait(60)
        with redis.Redis.from_url(server.url) as client:
            (key,) = client.scan_iter("*:ends")
            deadline = time.monotonic() + 60
            while client.zcard(key) > 1:  # what came before is not acknowledged yet
                assert time.monotonic() < deadline
                time.sleep(0.05)
            client.client_pause(120_000, all=False)  # no write gets through, so no lease is renewed any more
            lease_ends = max(score for _, score in client.zrange(key, 0, -1, withscores=True))
            deadline = time.monotonic() + 60
            while not (broken := BROKEN.search(log.read_text(encoding="utf-8"))):
                assert process.poll() is None, process.communicate()[1][-3000:]
                assert time.monotonic() < deadline
                time.sleep(0.05)
            client.client_unpause()
        may_end.set()
        _, err = process.communicate(timeout=90)
    assert process.returncode == 0, err[-3000:]
    assert float(broken[1]) < lease_ends
    assert asked["w0.example"] == 1
    assert asked["w1.example"] == 2
    assert set(stored(tmp_path)) == {"http://w0.example/", *map(canonicalize, links)}


@pytest.mark.slow
def test_a_page_that_takes_longer_than_its_lease_is_fetched_once(tmp_path):
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
    with own_redis() as server, small_web(answer) as web:
        options = ("-s", f"TOPICSPIDER_FRONTIER={server.url}", "-s", f"TOPICSPIDER_LEASE_SECONDS={LONGER}")
        order = ["crawl", "topic", "-a", "topic=tourism", "-a", "seeds=http://w0.example/", *NO_DELAYS, *options]
        process = start(order, tmp_path, environment(web.proxy))
        _, err = process.communicate(timeout=90)
    assert process.returncode == 0, err[-3000:]
    assert asked == {"w0.example": 1, "w1.example": 1}
