"""``scrapy frontier`` on a crawl in Redis: by its URL or its topic, carried there and back, never with a password in its words."""

from __future__ import annotations

import pytest
import redis

from support.crawling import crawl
from support.servers import PASSWORD
from support.site import small_web, travel_web
from tests.doors.test_frontier_command import SEED, TOURISM, frontier, make_queue, told


@pytest.fixture
def address(redis_url):
    """A Redis without crawls."""
    with redis.Redis.from_url(redis_url) as client:
        for _ in range(2):
            for key in client.scan_iter("topicspider:{*", count=10_000):
                client.unlink(key)
            if _ == 0:
                yield redis_url


def test_there_and_back(tmp_path, address):
    """From a file into Redis, through JSON lines into another topic's crawl, and back into a file."""
    make_queue(tmp_path / TOURISM)
    before = told(tmp_path, "--topic", "tourism")
    moved = frontier(tmp_path, "move", "tourism", address, wide=True)
    assert (moved.exit_code, moved.err) == (0, ""), moved.err
    assert told(tmp_path, "--topic", "tourism")["queued"] == 0
    there = told(tmp_path, address)
    assert {name: there[name] for name in ("queued", "done", "dead", "pages", "hosts")} == {
        name: before[name] for name in ("queued", "done", "dead", "pages", "hosts")
    }
    by_topic = told(tmp_path, "--topic", "tourism", "-s", f"TOPICSPIDER_FRONTIER={address}", "top", "3")
    assert [one["fingerprint"] for one in by_topic] == [28, 27, 26]
    assert frontier(tmp_path, address, "export", "q.jsonl", wide=True).exit_code == 0
    assert frontier(tmp_path, "--topic", "finance", address, "import", "q.jsonl", wide=True).exit_code == 0
    assert "tourism" in refused_in(tmp_path, address)
    back = frontier(tmp_path, "--topic", "finance", "move", address, "sqlite:///back.db", wide=True)
    assert back.exit_code == 0, back.err
    assert told(tmp_path, "sqlite:///back.db")["queued"] == 29
    secret = PASSWORD.partition(" ")[0]
    assert secret not in moved.out + back.out + (tmp_path / "q.jsonl").read_text("utf-8")


def refused_in(folder, address):
    """With two crawls in it, a Redis does not say which."""
    ended = frontier(folder, address, wide=True)
    assert (ended.exit_code, ended.out) == (2, "")
    return ended.err


def test_a_blocked_host_is_not_asked_and_the_crawl_says_so(tmp_path, address):
    with small_web(travel_web(24, hosts=4)) as served:
        shared = ("-s", f"TOPICSPIDER_FRONTIER={address}", "-s", "TOPICSPIDER_LINK_THRESHOLD=0")
        first = crawl(tmp_path, served.proxy, "-a", "max_pages=3", *shared, seeds=SEED)
        assert first.exit_code == 0, first.err
        hosts = [one["host"] for one in told(tmp_path, address, "hosts")]
        blocked = frontier(tmp_path, address, "block", *hosts, wide=True)
        assert blocked.exit_code == 0, blocked.err
        asked = len(served.pages())
        second = crawl(tmp_path, served.proxy, "-a", "max_pages=20", *shared, seeds=SEED)
        assert second.exit_code == 0, second.err
        assert len(served.pages()) == asked
        assert "may not be asked now" in second.err
        assert frontier(tmp_path, address, "unblock", *hosts, wide=True).exit_code == 0
        crawl(tmp_path, served.proxy, "-a", "max_pages=5", *shared, seeds=SEED)
        assert len(served.pages()) == 5
