"""Crawls that take seeds from Redis while they run, and wait for more of them: with one node, with two, and as scrapy-redis' users do."""

from __future__ import annotations

import json
import signal
import time

import pytest

from support.crawling import begin, crawl, stored, wait_until
from support.site import Answer, small_web, travel_web

KEY = "topic:start_urls"
FIRST, SECOND, THIRD = (f"http://w{n}.example/p{n}.html" for n in (0, 1, 2))
WAITS = {"TOPICSPIDER_KEEP_ALIVE": 1, "TOPICSPIDER_LANGUAGE": "en"}


def stopped(*processes):
    """Ctrl-C ends them, cleanly; returns what each said."""
    for process in processes:
        process.send_signal(signal.SIGINT)
    said = [process.communicate(timeout=150)[1] for process in processes]
    assert [process.returncode for process in processes] == [130] * len(processes), said
    assert not any("Traceback" in one for one in said), said
    return said


def test_an_embedded_crawl_waits_for_seeds_and_takes_them_when_they_come(tmp_path, client, redis_url):
    with small_web(travel_web(3, hosts=3), latency=0.01) as served:
        own = {"TOPICSPIDER_LINK_THRESHOLD": 1, "LOG_FILE": "log"}
        process = begin(tmp_path / "one", served.proxy, seeds="redis:", REDIS_URL=redis_url, **WAITS, **own)
        client.lpush(KEY, FIRST)
        log = tmp_path / "one/log"
        wait_until(lambda: FIRST in served.pages() and "it waits for more seeds" in log.read_text("utf-8"), process)
        client.lpush(KEY, json.dumps({"url": SECOND, "meta": {"旅游": 1}}))
        wait_until(lambda: SECOND in served.pages() and not client.llen(KEY), process)
        stopped(process)
    assert served.pages()[0] == FIRST
    assert served.pages().count(FIRST) == 1


@pytest.mark.slow
def test_two_nodes_wait_and_share_what_comes(tmp_path, client, redis_url):
    with small_web(travel_web(40, hosts=10), latency=0.1) as served:
        shared = {"TOPICSPIDER_FRONTIER": redis_url, "REDIS_URL": redis_url, "CONCURRENT_REQUESTS": 2, **WAITS}
        nodes = [begin(tmp_path / name, served.proxy, seeds="redis:", **shared) for name in ("one", "two")]
        waiting = "topicspider:{tourism}:v1:totals"
        wait_until(lambda: client.hexists(waiting, "epoch"), *nodes)
        time.sleep(3)
        client.lpush(KEY, FIRST)
        wait_until(lambda: len(served.pages()) > 12, *nodes)
        wait_until(lambda: client.hmget(waiting, "waiting", "leased") == [b"0", b"0"], *nodes)
        time.sleep(2)
        assert [process.poll() for process in nodes] == [None, None]
        stopped(*nodes)
        assert sorted(served.pages()) == sorted(set(served.pages()))
    assert all(stored(tmp_path / name) for name in ("one", "two")), "both have fetched"


def test_the_redis_scheduler_needs_the_settings_of_scrapy_redis_only(tmp_path, client, redis_url):
    """JSON and plain URLs, pushed before and while it runs; the queue lies in the Redis of REDIS_URL."""
    with small_web(travel_web(60, hosts=12), latency=0.2) as served:
        given = {"SCHEDULER": "topicspider.redis_scheduler.RedisScheduler", "REDIS_URL": redis_url}
        client.lpush(KEY, FIRST)
        process = begin(tmp_path / "one", served.proxy, seeds=SECOND, **given)
        wait_until(lambda: len(served.pages()) > 3, process)
        client.lpush(KEY, json.dumps({"url": "http://w3.example/p3.html?pushed=1"}), "旅游")
        _, said = process.communicate(timeout=150)
        assert process.returncode == 0, said[-3000:]
        assert "http://w3.example/p3.html?pushed=1" in [one.url for one in served.asked]
        assert {FIRST, SECOND} <= set(served.pages())
        assert "1 seed(s) in Redis are no http(s) URL and are left out: 旅游" in said
    assert int(client.hget("topicspider:{tourism}:v1:totals", "pages")) > 20
    assert not (tmp_path / "one/data/tourism/frontier.db").exists()
    assert client.llen(KEY) == 0


def test_a_sitemap_that_lists_nothing_worth_following_is_the_reason(tmp_path):
    entries = "".join(f"<url><loc>http://w0.example/{'a/b/' * 20}{n}.html</loc></url>" for n in range(4))
    sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'
    seed = "http://w0.example/sitemap.xml"
    with small_web({seed: Answer(sitemap, headers={"Content-Type": "text/xml"})}) as served:
        ended = crawl(tmp_path, served.proxy, seeds=seed, TOPICSPIDER_DISCOVERY="sitemaps")
    assert ended.exit_code == 1, ended.err
    assert "'finish_reason': 'nothing_listed'" in ended.err
    assert "list no link worth following" in ended.err
