"""Keep-alive, (c) Cao: the pages of a host come over one connection, by the replay server's own log."""

from __future__ import annotations

from support.crawling import crawl
from support.replaying import replay_server


def test_a_host_gives_its_pages_over_one_connection(tmp_path):
    with replay_server("made:pages=288,hosts=4,seed=4", latency=0.02, robots="") as served:
        own = {"TOPICSPIDER_LINK_POLICY": "bfs", "CONCURRENT_REQUESTS": 2}
        limit = ("-a", "max_pages=60")
        ended = crawl(tmp_path, served.proxy_url, *limit, seeds="http://start.made.example/", **own)
        assert ended.exit_code == 0, ended.err[-2000:]
        asked = served.log()
    by_host = {}
    for one in asked:
        by_host.setdefault(one["host"], []).append(one["connection"])
    busy = {host: connections for host, connections in by_host.items() if len(connections) >= 10}
    assert busy, by_host
    for host, connections in busy.items():
        assert len(set(connections)) <= 1 + len(connections) // 10, (host, connections)
