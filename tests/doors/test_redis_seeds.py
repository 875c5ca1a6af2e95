"""Seeds from a Redis list, on a real server: taken once, never lost, bad ones told and dropped."""

from __future__ import annotations

import json
import logging
from contextlib import closing

import pytest
import redis
from scrapy.settings import Settings

from support.crawling import begin, crawl, stored, wait_until
from support.site import small_web, travel_web
from topicspider.frontier.sqlite.frontier import SqliteFrontier
from topicspider.redis_seeds import DEFAULT_KEY, SeedList

SEED = "http://w0.example/p0.html"


@pytest.fixture
def settings(redis_url):
    return Settings({"REDIS_URL": redis_url})


def move(settings, key, frontier, seconds):
    with closing(SeedList(settings, key)) as seeds:
        return seeds.move(frontier, seconds)


def from_redis(folder, proxy, redis_url, *arguments, key=""):
    own = {"REDIS_URL": redis_url, "TOPICSPIDER_CONNECT_WAIT": 5}
    return crawl(folder, proxy, *arguments, seeds=f"redis:{key}", **own)


def test_pushed_urls_are_crawled_and_the_list_is_emptied(tmp_path, client, redis_url):
    """Then the same command goes on without them, until a new one is pushed."""
    web = travel_web(24)
    client.lpush(
        DEFAULT_KEY, SEED, json.dumps({"url": "http://w1.example/p1.html", "meta": {"旅游": 1}}), "旅游", "{broken"
    )
    with small_web(web) as served:
        ended = from_redis(tmp_path, served.proxy, redis_url, "-a", "max_pages=10")
        assert ended.exit_code == 0, ended.err
        assert served.pages()[0] in (SEED, "http://w1.example/p1.html")
        assert client.llen(DEFAULT_KEY) == 0
        assert "2 seed(s) in Redis are no http(s) URL and are left out: " in ended.err
        resumed = from_redis(tmp_path, served.proxy, redis_url)
        assert resumed.exit_code == 0, resumed.err
        assert sorted(served.pages()) == sorted(web)
        again = from_redis(tmp_path, served.proxy, redis_url)
        assert "finished before, with 24 pages" in again.out
        client.lpush(DEFAULT_KEY, "http://w9.example/", SEED)
        more = from_redis(tmp_path, served.proxy, redis_url)
    assert more.exit_code == 0, more.err
    assert served.pages().count("http://w9.example/") == 1
    assert served.pages().count(SEED) == 1
    assert set(stored(tmp_path)) == set(web)


def test_an_empty_list_is_one_line(tmp_path, client, redis_url, redis_prefix):
    ended = from_redis(tmp_path, "", redis_url, key=f"{redis_prefix}seeds")
    assert ended.exit_code == 3
    assert (
        ended.err.splitlines()[-1]
        == f"topicspider: Redis list {redis_prefix}seeds: no URL in it. lpush some URLs first"
    )
    assert "Traceback" not in ended.err


def test_the_list_keeps_everything_until_the_frontier_has_it(tmp_path, client, redis_url):
    """Promise F1: the crawl cannot open its frontier; then its network is away; then all is well."""
    client.lpush(DEFAULT_KEY, SEED)
    damaged = tmp_path / "data" / "tourism" / "frontier.db"
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(b"no frontier" * 1000)
    assert from_redis(tmp_path, "", redis_url).exit_code == 3
    assert client.lrange(DEFAULT_KEY, 0, -1) == [SEED.encode()]
    damaged.unlink()
    assert from_redis(tmp_path, "http://127.0.0.1:1", redis_url).exit_code == 3
    with small_web(travel_web(6)) as web:
        ended = from_redis(tmp_path, web.proxy, redis_url)
    assert ended.exit_code == 0, ended.err
    assert set(stored(tmp_path)) == set(travel_web(6))


def test_a_key_of_ones_own(client, settings, redis_prefix):
    key = f"{redis_prefix}旅游"
    client.lpush(key, "http://旅游.example/景点")
    client.lpush(DEFAULT_KEY, SEED)
    with closing(SqliteFrontier()) as frontier:
        assert move(settings, key, frontier, 5) == 1
        (entry,) = frontier.peek()
    assert entry.url == "http://xn--0tr71l.example/%E6%99%AF%E7%82%B9".replace(
        "xn--0tr71l", "旅游".encode("idna").decode()
    )
    assert (client.llen(key), client.llen(DEFAULT_KEY)) == (0, 1)


@pytest.mark.parametrize(
    "element",
    [b"", b"\xff\xfe", b"mailto:a@b.example", b'{"link": "x"}', b'{"url": null}', b"[" * 9999, b'{"a":' * 9999],
)
def test_a_bad_element_is_told_and_dropped(client, settings, caplog, element):
    client.lpush(DEFAULT_KEY, element, SEED)
    with closing(SqliteFrontier()) as frontier, caplog.at_level(logging.WARNING):
        assert move(settings, "", frontier, 5) == 1
    assert client.llen(DEFAULT_KEY) == 0
    assert [record.name for record in caplog.records] == ["topicspider.redis_seeds"]


def test_elements_pushed_meanwhile_stay_for_the_next_start(client, settings):
    client.lpush(DEFAULT_KEY, SEED)

    class Slow(SqliteFrontier):
        def apply(self, work):
            client.lpush(DEFAULT_KEY, "http://later.example/", SEED)
            return super().apply(work)

    frontier = Slow()
    move(settings, "", frontier, 5)
    frontier.close()
    assert client.lrange(DEFAULT_KEY, 0, -1) == [SEED.encode(), b"http://later.example/"]


def test_a_crawl_waits_for_a_redis_that_is_still_starting(tmp_path, redis_server):
    with small_web(travel_web(3)) as web, redis.Redis.from_url(redis_server.url) as client:
        client.delete(DEFAULT_KEY)
        client.lpush(DEFAULT_KEY, SEED)
        redis_server.stop()
        process = begin(tmp_path, web.proxy, seeds="redis:", REDIS_URL=redis_server.url)
        wait_until((tmp_path / "data" / "tourism" / "frontier.db").exists, process)
        redis_server.start()
        _out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert set(stored(tmp_path)) == set(travel_web(3))
