"""A node that is stopped, by SIGTERM or by `scrapy nodes`, gives back at once what it has not begun, and the others go on with it."""

from __future__ import annotations

import json
import signal
import threading
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from support.crawling import begin, scrapy, wait_until
from support.site import TRAVEL, page, small_web, travel_web
from tests.doors.test_redis_crawl import overlaps
from topicspider.frontier.redis.opening import inspect_in_redis

START, SLOW = "http://start.example/", "http://slow.example/慢"
PLACE = Path("tourism/frontier.db")
PAGES = 40
LONGEST = 90  # seconds, on a machine that does much else, too


@contextmanager
def web_with_a_slow_page():
    """The web, whether its slow page was asked for, and what lets it answer."""
    asked, may_answer = threading.Event(), threading.Event()
    pages = travel_web(PAGES, hosts=8)
    pages[START] = page("旅游起点", TRAVEL, {SLOW: "旅游慢游", "http://w0.example/p0.html": "旅游攻略"})
    slow = page("旅游慢游", TRAVEL)

    def find(url):
        if not url.startswith("http://slow.example/") or url.endswith("robots.txt"):
            return pages.get(url)
        asked.set()
        may_answer.wait(2 * LONGEST)
        return slow

    with small_web(find, latency=0.03) as served:
        try:
            yield served, asked, may_answer
        finally:
            may_answer.set()


def node(folder, proxy, redis_url, name, **settings):
    """Whose policy prunes nothing."""
    shared = {"TOPICSPIDER_FRONTIER": redis_url, "TOPICSPIDER_LEASE_SECONDS": 600, "TOPICSPIDER_LINK_POLICY": "bfs"}
    own = {"TOPICSPIDER_NODE": name, "CONCURRENT_REQUESTS": 4, "LOG_LEVEL": "INFO", "TOPICSPIDER_READ_TIMEOUT": 600}
    return begin(folder, proxy, seeds=START, **shared, **own, **settings)


def leased(client):
    return int(client.hget("topicspider:{tourism}:v1:totals", "leased") or 0)


def register(redis_url):
    with closing(inspect_in_redis(redis_url, PLACE)) as inspection:
        return inspection.nodes()


@pytest.mark.parametrize("how", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.slow)])
def test_a_signal_gives_back_at_once_what_was_not_begun_and_finishes_what_was(tmp_path, client, redis_url, how):
    """SIGTERM, or the end of its terminal."""
    with web_with_a_slow_page() as (served, slow_is_asked, slow_may_answer):
        first = node(tmp_path / "one", served.proxy, redis_url, "甲", TOPICSPIDER_DRAIN_SECONDS=600)
        wait_until(lambda: slow_is_asked.is_set() and len(served.pages()) >= 8, first)
        first.send_signal(how)
        wait_until(lambda: leased(client) == 1, first)
        second = node(tmp_path / "two", served.proxy, redis_url, "乙")
        wait_until(lambda: len(served.pages()) == PAGES + 1, first, second)  # all but the slow one, by both
        states = {one.heartbeat.name: (one.state, one.hosts) for one in register(redis_url).nodes}
        assert states["甲"] == ("draining", ("slow.example:80",))
        first.send_signal(signal.SIGTERM)  # of a service that is stopped, too: the drain goes on
        slow_may_answer.set()
        said = first.communicate(timeout=LONGEST)[1]
        assert first.returncode == 130, said
        said = second.communicate(timeout=LONGEST)[1]
        assert second.returncode == 0, said
        fetched = served.pages()
        assert (len(fetched), len(set(fetched))) == (PAGES + 2, PAGES + 2)
        assert not overlaps(served.asked)
    found = register(redis_url)
    assert {one.heartbeat.name: (one.state, one.heartbeat.reason) for one in found.nodes} == {
        "甲": ("ended", "shutdown"),
        "乙": ("ended", "finished"),
    }
    assert found.handed_out_again == 0
    assert sum(one.heartbeat.pages for one in found.nodes) == PAGES + 2


@pytest.mark.slow
@pytest.mark.parametrize("how", ["SIGTERM and its time is over", "stop"])
def test_what_takes_too_long_is_broken_off_and_somebody_elses(tmp_path, client, redis_url, how):
    is_signal = how != "stop"
    with web_with_a_slow_page() as (served, slow_is_asked, _):
        # with a rest of so many times its download, the slow one's is tens of seconds, the others' less than one
        patience = {"TOPICSPIDER_DRAIN_SECONDS": 1 if is_signal else 600, "TOPICSPIDER_DELAY_FACTOR": 20}
        first = node(tmp_path / "one", served.proxy, redis_url, "甲", **patience)
        wait_until(lambda: slow_is_asked.is_set() and len(served.pages()) >= 8, first)
        if is_signal:
            first.send_signal(signal.SIGTERM)
        else:
            asked = scrapy(["nodes", redis_url, "stop", "甲", "--json"], tmp_path)
            assert json.loads(asked.out)["nodes"] == ["甲"], asked.err
        said = first.communicate(timeout=LONGEST)[1]
        assert first.returncode == (130 if is_signal else 0), said
        assert "1 downloads took too long to wait for" in said
        assert ("left as it was asked to" in said) != is_signal
        assert "Traceback" not in said
        assert not any("slow.example" in url for url in served.pages())
        assert leased(client) == 0
    totals = client.hgetall("topicspider:{tourism}:v1:totals")
    assert int(totals[b"pages"]) == len(served.pages())
    with closing(inspect_in_redis(redis_url, PLACE)) as inspection:
        (slow,) = [one for one in inspection.top(PAGES) if "slow.example" in one.url]
        (host,) = [one for one in inspection.hosts() if one.host == "slow.example:80"]
        assert host.rest_seconds > 1, "it was asked just now"
    assert slow.attempts == 0, "as if it had not been tried"
    assert [(one.state, one.heartbeat.reason) for one in register(redis_url).nodes] == [
        ("ended", "shutdown" if is_signal else "drained")
    ]
