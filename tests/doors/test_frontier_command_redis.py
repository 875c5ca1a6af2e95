"""``scrapy frontier`` on a crawl in Redis: by its URL or its topic, carried there and back, never with a password in its words."""

from __future__ import annotations

from support.crawling import crawl
from support.servers import PASSWORD
from support.site import small_web, travel_web
from tests.doors.test_frontier_command import SEED, TOURISM, frontier, make_queue, told


def test_there_and_back(tmp_path, client, redis_url):
    """From a file into Redis, through JSON lines into another topic's crawl, and back into a file."""
    make_queue(tmp_path / TOURISM)
    before = told(tmp_path, "--topic", "tourism")
    moved = frontier(tmp_path, "move", "tourism", redis_url, wide=True)
    assert (moved.exit_code, moved.err) == (0, ""), moved.err
    assert told(tmp_path, "--topic", "tourism")["queued"] == 0
    there = told(tmp_path, client, redis_url)
    assert {name: there[name] for name in ("queued", "done", "dead", "pages", "hosts")} == {
        name: before[name] for name in ("queued", "done", "dead", "pages", "hosts")
    }
    by_topic = told(tmp_path, "--topic", "tourism", "-s", f"TOPICSPIDER_FRONTIER={redis_url}", "top", "3")
    assert [one["fingerprint"] for one in by_topic] == [28, 27, 26]
    assert frontier(tmp_path, redis_url, "export", "q.jsonl", wide=True).exit_code == 0
    assert frontier(tmp_path, "--topic", "finance", redis_url, "import", "q.jsonl", wide=True).exit_code == 0
    two = frontier(tmp_path, redis_url, wide=True)
    assert (two.exit_code, "tourism" in two.err) == (2, True), "it does not say which"
    back = frontier(tmp_path, "--topic", "finance", "move", redis_url, "sqlite:///back.db", wide=True)
    assert back.exit_code == 0, back.err
    assert told(tmp_path, "sqlite:///back.db")["queued"] == 29
    secret = PASSWORD.partition(" ")[0]
    assert secret not in moved.out + back.out + (tmp_path / "q.jsonl").read_text("utf-8")


def test_a_blocked_host_is_not_asked_and_the_crawl_says_so(tmp_path, client, redis_url):
    with small_web(travel_web(24, hosts=4)) as served:
        shared = ("-s", f"TOPICSPIDER_FRONTIER={redis_url}", "-s", "TOPICSPIDER_LINK_THRESHOLD=0")
        first = crawl(tmp_path, served.proxy, "-a", "max_pages=3", *shared, seeds=SEED)
        assert first.exit_code == 0, first.err
        hosts = [one["host"] for one in told(tmp_path, redis_url, "hosts")]
        blocked = frontier(tmp_path, redis_url, "block", *hosts, wide=True)
        assert blocked.exit_code == 0, blocked.err
        asked = len(served.pages())
        second = crawl(tmp_path, served.proxy, "-a", "max_pages=20", *shared, seeds=SEED)
        assert second.exit_code == 0, second.err
        assert len(served.pages()) == asked
        assert "may not be asked now" in second.err
        assert frontier(tmp_path, redis_url, "unblock", *hosts, wide=True).exit_code == 0
        crawl(tmp_path, served.proxy, "-a", "max_pages=5", *shared, seeds=SEED)
        assert len(served.pages()) == 5
