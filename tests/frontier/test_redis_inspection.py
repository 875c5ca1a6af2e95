"""What is special about looking at a crawl in Redis: many calls, nodes that go on, a server that is started again."""

from __future__ import annotations

import pytest

from tests.frontier.drive import add, drain, entry, finish, take
from tests.reference.frontier_model import FrontierModel
from topicspider.errors import CrawlRunning, FrontierUnavailable
from topicspider.frontier.protocol import Counts, End
from topicspider.frontier.redis.opening import crawls_in
from topicspider.frontier.redis.server import RedisServer

A = "甲.example:80"


@pytest.fixture
def crawl(nodes):
    return nodes(attempts=1)


def many(count, hosts):
    return [entry(n, n % 997 / 997, f"主机{n % hosts}.example:80") for n in range(count)]


class TestManyCalls:
    def test_a_large_crawl_is_seen_and_carried_as_a_small_one(self, crawl, look, clock):
        """More hosts, URLs, dead and done ones than one call is about; a frontier in memory is what it should be."""
        model = FrontierModel(attempts=1, clock=clock)
        for frontier in (crawl, model):
            add(frontier, *many(2_400, 300))
            for end in (End.PAGE, End.FAILED):
                finish(frontier, take(frontier, hosts=300, urls_per_host=3).leases, end, "超时")
            take(frontier, hosts=5, urls_per_host=2)
        inspection = look()
        assert inspection.counts() == model.counts()
        assert {one.host: one for one in inspection.hosts()} == {one.host: one for one in model.hosts()}
        for limit in (1, 40, 500):
            assert inspection.top(limit) == model.top(limit)
            assert inspection.bottom(limit) == model.bottom(limit)
        assert len(inspection.dead()) == 900
        assert {one.entry.fingerprint for one in inspection.dead()} == {one.entry.fingerprint for one in model.dead()}
        clock.now += 61
        carried = FrontierModel(attempts=1, clock=clock)
        assert carried.take_in(inspection.records()) == 2_400
        assert carried.counts() == Counts(queued=600, done=900, dead=900, pages=900, hosts=300)
        assert inspection.revive([one.entry.fingerprint for one in inspection.dead()]) == 900
        assert inspection.counts().dead == 0


class TestWhileNodesCrawl:
    def test_an_export_is_of_one_moment_or_says_so(self, crawl, look, clock):
        add(crawl, *many(3_000, 3))
        finish(crawl, take(crawl).leases)
        for change in (lambda: take(crawl), lambda: add(crawl, entry(9_000)), crawl.clear):
            told = look().records()
            next(told)
            change()
            with pytest.raises(CrawlRunning, match="changed meanwhile"):
                list(told)
            clock.now += 61
        crawl.acquire("节点一", 1, 1, 60)
        add(crawl, entry(1))
        crawl.acquire("节点一", 1, 1, 60)
        with pytest.raises(CrawlRunning, match="节点一 crawls on it"):
            next(look().records())

    def test_a_crawl_with_leases_is_not_emptied(self, crawl, look, clock):
        add(crawl, entry(1))
        crawl.acquire("节点一", 1, 1, 60)
        with pytest.raises(CrawlRunning, match="节点一"):
            look().clear()
        clock.now += 61
        look().clear()
        assert crawl.counts() == Counts()


class TestOpening:
    def test_one_that_is_not_there_is_not_made_by_looking(self, look, redis_crawls):
        with pytest.raises(FrontierUnavailable, match="there is none"):
            look()
        assert redis_crawls.all_keys() == []

    def test_crawls_are_found_by_name(self, redis_crawls, look, clock):
        for name in ("旅游", "a%{b}"):
            redis_crawls.open(name, clock=clock).close()
        there = [one.removeprefix(redis_crawls.name) for one in crawls_in(redis_crawls.url) if redis_crawls.name in one]
        assert there == ["a%{b}", "旅游"]

    def test_after_the_server_has_forgotten_its_programs(self, crawl, look, redis_crawls):
        add(crawl, entry(1, host=A))
        inspection = look()
        assert inspection.counts().queued == 1
        server = RedisServer(redis_crawls.url, "x")
        server.run("SCRIPT", "FLUSH")
        server.close()
        assert next(inspection.hosts()).queued == 1
        assert drain(crawl) == [1]
