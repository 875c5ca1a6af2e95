"""What a recrawl looks at before it begins: nodes on the crawl's shared queue, hosts that answer, and what was blocked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontier.drive import add, entry
from topicspider.cli import preflight
from topicspider.cli.recrawl_round import states_in_redis
from topicspider.download.reachability import Reach
from topicspider.errors import CrawlRunning, NoSeedReachable
from topicspider.frontier.redis.opening import inspect_in_redis, open_in_redis
from topicspider.options import Options

PATH = Path("data/漓江/frontier.db")


def answering(monkeypatch: pytest.MonkeyPatch, alive: set[str]) -> list[str]:
    """Only these hosts can be reached; the list of those that were tried."""
    tried: list[str] = []

    def reach_all(urls, seconds, *, allow_private):
        tried.extend(urls)
        return [Reach(url, "" if url.split("/")[2] in alive else "connect", "no answer") for url in urls]

    monkeypatch.setattr(preflight, "reach_all", reach_all)
    return tried


def test_one_site_that_is_down_does_not_keep_a_round_from_the_others(monkeypatch):
    tried = answering(monkeypatch, {"活.example"})
    urls = [f"http://dead.example/{number}" for number in range(50)] + ["http://活.example/"]
    preflight.check_reachable(urls, Options())
    assert tried == ["http://dead.example/0", "http://活.example/"]


def test_hosts_are_tried_some_at_a_time_until_one_answers(monkeypatch):
    tried = answering(monkeypatch, {"h45.example"})
    preflight.check_reachable((f"http://h{number}.example/" for number in range(90)), Options())
    assert len(tried) == 60
    tried.clear()
    with pytest.raises(NoSeedReachable):
        preflight.check_reachable((f"http://dead{number}.example/" for number in range(900)), Options())
    assert len(tried) == preflight.MOST_HOSTS
    preflight.check_reachable([], Options())
    with pytest.raises(NoSeedReachable, match="no queued page can be reached: http://dead"):
        preflight.check_reachable(["http://dead.example/"], Options(), is_queued=True)


def test_a_queue_in_redis_says_its_hosts_when_no_node_is_there(redis_url):
    frontier = open_in_redis(redis_url, PATH, 0.0)
    try:
        add(frontier, entry(1, 0.5, "禁.example:80"))
        inspection = inspect_in_redis(redis_url, PATH)
        inspection.block(["禁.example:80"])
        inspection.close()
        (state,) = states_in_redis(redis_url, PATH)
        assert (state.host, state.is_blocked) == ("禁.example:80", True)
        inspection = inspect_in_redis(redis_url, PATH)
        inspection.unblock(["禁.example:80"])
        inspection.close()
        assert frontier.acquire("节点-1", 1, 1, 60.0).leases
        with pytest.raises(CrawlRunning, match="节点-1"):
            states_in_redis(redis_url, PATH)
    finally:
        frontier.clear()
        frontier.close()
