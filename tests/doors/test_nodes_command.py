"""``scrapy nodes``: who crawls, how fast and against what, in 80 columns and both languages; nodes are asked to end."""

from __future__ import annotations

import json
from contextlib import closing

import pytest

from support.crawling import environment, scrapy
from tests.doors.test_frontier_command import TOURISM, make_queue
from tests.frontier.drive import add, entry
from topicspider.cli.nodes import ask, show
from topicspider.frontier.heartbeat import ClusterStatus, Heartbeat, cluster_status_of
from topicspider.frontier.protocol import Work
from topicspider.frontier.redis.opening import inspect_in_redis, open_in_redis
from topicspider.i18n import use_language
from topicspider.text.terminal import width

CRAWL = "redis://127.0.0.1:6379 tourism"


class Queue:
    """A queue with a register of its own; notes what was asked."""

    def __init__(self, register: ClusterStatus) -> None:
        self.register, self.asked = register, []

    def nodes(self) -> ClusterStatus:
        return self.register

    def ask(self, key: str, wish: str) -> bool:
        self.asked.append((key, wish))
        return True


def crew() -> ClusterStatus:
    """Three at work, two that have ended, one that was killed and still holds a host."""
    redis = {"outages": 1, "away": 5.2, "restarts": 1}
    ended = {"state": "ended", "reason": "drained"}
    heartbeats = [  # key, age, wish, and what it says
        ("alpha-1", 1.0, "", Heartbeat("alpha", pages=1234, hits=345, rate=12.6, seconds=3754, lease=60, **redis)),
        ("拉萨-1", 3.0, "", Heartbeat("拉萨", lease=60, store_outages=2, store_away=61.4, **redis, **ended)),
        ("北京机房-1", 0.4, "drain", Heartbeat("北京机房", pages=987, hits=210, rate=11.5, seconds=90, lease=60)),
        ("d-1", 2.2, "stop", Heartbeat("a-node-with-a-very-long-name-of-forty", rate=10.0, lease=60, state="draining")),
        ("e-1", 600.0, "drain", Heartbeat("done", pages=44, lease=60, **ended)),
        ("f-1", 75.0, "", Heartbeat("killed", pages=30, rate=9.0, lease=60)),
    ]
    held = [("旅游.example:80", "alpha-1"), ("c.example:80", "北京机房-1"), ("k.example:80", "f-1")]
    told = {key: (age, heartbeat.text(), wish) for key, age, wish, heartbeat in heartbeats}
    return cluster_status_of(told, held, handed_out_again=4, pages=3195)


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


def test_what_is_said_of_nodes():
    lines = show(CRAWL, crew(), with_hosts=True).text.splitlines()
    assert [line for line in lines if width(line) > 80] == []
    assert lines[1] == "3 nodes, 34.1 pages/s; 3,195 pages, 4 URLs handed out again"
    (alpha,) = [line for line in lines if line.startswith("alpha ")]
    assert alpha.split() == ["alpha", "working", "1", "1,234", "345", "12.6", "63", "min", "1", "s"]
    assert "alpha: Redis away once, 5.2 s; Redis restarted once" in lines
    assert "北京机房: asked to drain" in lines
    states = [line.split()[1] for line in lines if line.split()[:1] in (["killed"], ["done"])]
    assert sorted(states) == ["ended", "gone"]
    assert "k.example:80" in "".join(lines)


def test_in_chinese():
    use_language("zh")
    text = show(CRAWL, crew(), with_hosts=False).text.replace("\n", "")
    told = ("3 个节点，34.1 页/秒", "重新派发 4 个网址", "在抓", "收尾", "已消失", "结束原因：drained")
    assert [words for words in told if words not in text] == []
    assert "Redis 中断 1 次，共 5.2 秒；Redis 重启 1 次" in text


def test_nodes_are_asked_by_name_or_all():
    queue = Queue(crew())
    told = ask(queue, "drain", "alpha", "北京机房")
    assert queue.asked == [("alpha-1", "drain"), ("北京机房-1", "drain")]
    assert told.data == {"asked": "drain", "nodes": ["alpha", "北京机房"]}
    assert told.text.startswith("asked to drain: alpha, 北京机房")
    queue.asked.clear()
    use_language("zh")
    assert ask(queue, "stop", "all").text.startswith("已请求立即结束：")
    assert {key for key, _ in queue.asked} == {"alpha-1", "北京机房-1", "d-1"}


def nodes(folder, *arguments):
    ended = scrapy(["nodes", *arguments], folder, environment("", COLUMNS="80"))
    assert "Traceback" not in ended.err
    return ended


def test_the_nodes_of_a_crawl_in_redis(tmp_path, client, redis_url):
    place = tmp_path / "tourism" / "frontier.db"
    with closing(open_in_redis(redis_url, place, 0.0)) as frontier:
        add(frontier, *(entry(n, host=f"{n}.example:80") for n in range(4)))
        frontier.sync(Work(), "甲-1", 3, 1, 60.0, Heartbeat("甲", pages=5, lease=60.0).text())
        shown = nodes(tmp_path, redis_url, "--hosts")
        assert (shown.exit_code, shown.err) == (0, ""), shown.err
        assert [line for line in shown.out.splitlines() if width(line) > 80] == []
        assert "甲" in shown.out
        assert sum(f"{n}.example:80" in shown.out for n in range(4)) == 3
        asked = nodes(
            tmp_path, "--topic", "tourism", "-s", f"TOPICSPIDER_FRONTIER={redis_url}", "drain", "甲", "--json"
        )
        assert json.loads(asked.out) == {"asked": "drain", "nodes": ["甲"]}
        frontier.sync(Work(), "甲-1", -1, 1, 60.0, Heartbeat("甲", lease=60.0).text())
        assert frontier.asked == "drain"
    with closing(inspect_in_redis(redis_url, place)) as inspection:
        assert [node.asked for node in inspection.nodes().nodes] == ["drain"]
        assert inspection.nodes().pages == 0
    wrong = nodes(tmp_path, redis_url, "stop", "乙")
    assert (wrong.exit_code, wrong.out) == (2, "")
    assert "allowed: 甲, all" in wrong.err


def test_a_queue_in_a_file_has_one_node(tmp_path):
    make_queue(tmp_path / TOURISM)
    refused = nodes(tmp_path, "--topic", "tourism")
    assert (refused.exit_code, refused.out) == (2, "")
    assert "Ctrl-C or SIGTERM" in refused.err
