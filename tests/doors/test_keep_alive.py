"""Keep-alive, (c) Cao: the pages of a host come over one connection, by the replay server's own log."""

from __future__ import annotations

import json
from dataclasses import replace

from support.crawling import NO_DELAYS, crawl, environment, scrapy, start
from support.replaying import replay_server
from support.site import small_web, travel_web


def test_a_host_gives_its_pages_over_one_connection(tmp_path):
    with replay_server("made:pages=288,hosts=4,seed=4", latency=0.02, robots="") as served:
        given = [
            "crawl",
            "topic",
            "-a",
            "topic=tourism",
            "-a",
            "seeds=http://start.made.example/",
            "-a",
            "max_pages=60",
        ]
        process = start(
            [*given, *NO_DELAYS, "-s", "TOPICSPIDER_LINK_POLICY=bfs", "-s", "CONCURRENT_REQUESTS=2"],
            tmp_path,
            environment(served.proxy_url),
        )
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err[-2000:]
        asked = served.log()
    by_host = {}
    for one in asked:
        by_host.setdefault(one["host"], []).append(one["connection"])
    busy = {host: connections for host, connections in by_host.items() if len(connections) >= 10}
    assert busy, by_host
    for host, connections in busy.items():
        assert len(set(connections)) <= 1 + len(connections) // 10, (host, connections)


def test_what_a_host_gives_over_one_connection_and_how_long_that_took_is_kept_with_it(tmp_path):
    """w0 closes after each answer; the others keep their connection, which robots.txt has opened."""
    web = travel_web(40, hosts=4)
    for url in [url for url in web if "//w0." in url]:
        web[url] = replace(web[url], headers={**web[url].headers, "Connection": "close"})
    with small_web(web) as served:
        ended = crawl(tmp_path, served.proxy, "-s", "TOPICSPIDER_LINK_POLICY=bfs", seeds="http://w0.example/p0.html")
    assert ended.exit_code == 0, ended.err[-2000:]
    told = scrapy(["frontier", "--topic", "tourism", "hosts", "--json"], tmp_path, environment())
    hosts = {one["host"]: one for one in json.loads(told.out)}
    assert {name: one["requests_per_connection"] for name, one in hosts.items()} == {
        "w0.example:80": 1,
        "w1.example:80": None,
        "w2.example:80": None,
        "w3.example:80": None,
    }
    assert all(one["connect_seconds"] is not None and one["response_seconds"] > 0 for one in hosts.values()), hosts
