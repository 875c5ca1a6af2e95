"""Keep-alive, (c) Cao: the pages of a host come over one connection, by the replay server's own log."""

from __future__ import annotations

from support.crawling import NO_DELAYS, environment, start
from support.replaying import replay_server


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
