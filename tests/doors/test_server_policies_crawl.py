"""(c) Cao in a real crawl: with 60 hosts of very different speed and 8 connections, capacity beats breadth-first."""

from __future__ import annotations

from itertools import pairwise

import pytest

from support.crawling import crawl
from topicspider.rehearsal.replay.request_log import read_log
from topicspider.rehearsal.replay.server import replay_process
from topicspider.rehearsal.synthetic.sites import DIRECTORY_HOST
from topicspider.rehearsal.synthetic.web import SyntheticWeb

WEB = "pages=6000,hosts=60,seed=2"
SKEW = ("--latency", "lognormal:0.15:1.5", "--seed", "2")  # one host in six takes over .7 s, one under .04
PAGES = 90
LONGEST = 300


def crawled(folder, policy):
    """What the server logged of a crawl of so many pages."""
    folder.mkdir()
    robots, log = folder / "robots.txt", folder / "requests.jsonl"
    robots.write_text("", encoding="utf-8")  # latency alone tells hosts apart, no Crawl-delay
    settings = {"TOPICSPIDER_SERVER_POLICY": policy, "TOPICSPIDER_LINK_POLICY": "best_first", "CONCURRENT_REQUESTS": 8}
    limit = ("-a", f"max_pages={PAGES}")
    with replay_process(f"made:{WEB}", *SKEW, "--robots", str(robots), "--log", str(log)) as proxy:
        ended = crawl(folder, proxy, *limit, seeds=f"http://{DIRECTORY_HOST}/", timeout=LONGEST, **settings)
        assert ended.exit_code == 0, ended.err[-3000:]
        return list(read_log(log))


def overlaps(asked):
    by_host = {}
    for one in asked:
        by_host.setdefault(one["host"], []).append((one["start"], one["end"]))
    return sum(later[0] < earlier[1] for times in by_host.values() for earlier, later in pairwise(sorted(times)))


def hits_a_second(asked, web):
    """Pages on topic for each second that a connection was waiting: no matter what else the machine does."""
    pages = [one for one in asked if one["status"] == 200 and one["path"] != "/robots.txt"]
    truths = [web.truth(f"{one['scheme']}://{one['host']}{one['path']}") for one in pages]
    hits = sum(truth is not None and truth.kind == "page" and "tourism" in truth.topics for truth in truths)
    return hits / sum(one["end"] - one["start"] for one in asked)


@pytest.mark.slow
def test_capacity_brings_more_pages_on_topic_a_second_of_connections_than_breadth_first(tmp_path):
    web = SyntheticWeb.read(WEB)
    asked = {policy: crawled(tmp_path / policy, policy) for policy in ("bfs", "capacity")}
    assert [overlaps(one) for one in asked.values()] == [0, 0], "(c): never more than one connection a server"
    gained = {policy: hits_a_second(one, web) for policy, one in asked.items()}
    assert gained["capacity"] > 1.5 * gained["bfs"] > 0, gained
