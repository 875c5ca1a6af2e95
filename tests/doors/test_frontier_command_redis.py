"""``scrapy frontier`` on a crawl in Redis: by its URL or its topic, carried there and back, never with a password in its words."""

from __future__ import annotations

from support.servers import PASSWORD
from tests.doors.test_frontier_command import TOURISM, frontier, make_queue, told


def test_there_and_back(tmp_path, client, redis_url):
    """From a file into Redis, through JSON lines into another topic's crawl, and back into a file."""
    make_queue(tmp_path / TOURISM)
    before = told(tmp_path, "--topic", "tourism")
    moved = frontier(tmp_path, "move", "tourism", redis_url, wide=True)
    assert (moved.exit_code, moved.err) == (0, ""), moved.err
    assert told(tmp_path, "--topic", "tourism")["queued"] == 0
    there = told(tmp_path, redis_url)
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
