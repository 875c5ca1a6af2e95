"""``scrapy frontier`` on a crawl in Redis: by its URL or its topic, carried there and back, never with a password in its words."""

from __future__ import annotations

import json
import pickle

import pytest
from scrapy import Request

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


@pytest.mark.parametrize(
    "write", [lambda one: pickle.dumps(one, -1), lambda one: json.dumps(one).encode()], ids=["pickled", "json"]
)
def test_a_queue_of_scrapy_redis_is_taken_over(tmp_path, client, redis_url, write):
    urls = [f"http://w{number}.example/p{number}.html" for number in range(4)]
    for number, url in enumerate(urls):
        fields = {**Request(url, priority=number).to_dict(), "body": "", "headers": {}}
        client.zadd("mine:requests", {write(fields): -number})
    try:
        taken = frontier(
            tmp_path, "sqlite:///q.db", "import", "mine:requests", "--from-scrapy-redis", redis_url, wide=True
        )
        assert (taken.exit_code, "4 new URLs" in taken.out) == (0, True), taken.err
        assert client.zcard("mine:requests") == 4
        assert [one["url"] for one in told(tmp_path, "sqlite:///q.db", "top", "4")] == urls[::-1]
        wrong = frontier(
            tmp_path, "sqlite:///q.db", "import", "yours:requests", "--from-scrapy-redis", redis_url, wide=True
        )
        assert (wrong.exit_code, "SPIDER:requests" in wrong.err) == (2, True)
    finally:
        client.delete("mine:requests")
