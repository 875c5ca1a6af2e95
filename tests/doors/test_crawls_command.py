"""A crawl in the background outlives its terminal; it is listed, followed and stopped by its topic."""

from __future__ import annotations

import json
import time

from support.crawling import NO_DELAYS, environment, scrapy
from support.site import small_web, travel_web
from topicspider.cli.crawls import crawl_state
from topicspider.items import time_now

SEED = "http://w0.example/p0.html"


def begun(folder, env, *more):
    given = ["-a", "topic=tourism", "-a", f"seeds={SEED}", *NO_DELAYS, *more]
    return scrapy(["crawl", "topic", *given, "--background"], folder, env)


def listed(folder, env):
    (told,) = json.loads(scrapy(["crawls", "--json"], folder, env).out)["crawls"]
    return told


def test_a_crawl_in_the_background_is_listed_followed_and_stopped(tmp_path):
    with small_web(travel_web(pages=3000), latency=0.5) as web:
        env = environment(web.proxy)
        started = begun(tmp_path, env)
        assert started.exit_code == 0, started.err
        told = listed(tmp_path, env)
        assert told["crawl"] == "tourism"
        assert told["state"] in ("starting", "running")
        assert told["process"] in started.out
        again = begun(tmp_path, env)
        assert (again.exit_code, f"running already: process {told['process']} holds" in again.err) == (4, True)
        assert scrapy(["crawls", "stop", "tourism"], tmp_path, env).exit_code == 0
        followed = scrapy(["crawls", "follow", "tourism"], tmp_path, env)
        assert "stopped" in followed.out or "interrupted" in followed.out, followed.out[-2000:]
        deadline = time.monotonic() + 30
        while (told := listed(tmp_path, env))["process"]:
            assert time.monotonic() < deadline
    assert told["process"] == ""
    over = scrapy(["crawls", "stop", "tourism"], tmp_path, env)
    assert (over.exit_code, "a crawl that runs on this machine" in over.err) == (2, True)


def test_one_that_cannot_begin_says_so_at_once(tmp_path):
    ended = begun(
        tmp_path,
        environment("http://127.0.0.1:9"),
        "-s",
        "TOPICSPIDER_FRONTIER=redis://127.0.0.1:9/0",
        "-s",
        "TOPICSPIDER_CONNECT_WAIT=0",
    )
    assert (ended.exit_code, listed(tmp_path, environment())["state"]) == (3, "did not begin")
    assert "127.0.0.1:9" in ended.err


def test_nothing_is_listed_where_nothing_was_crawled(tmp_path):
    assert scrapy(["crawls", "--json"], tmp_path, environment()).out == '{"crawls": []}\n'
    assert scrapy(["crawls", "halt", "tourism"], tmp_path, environment()).exit_code == 2


def test_a_crawl_whose_own_queue_nobody_holds_is_broken_off_and_others_until_they_are_silent(tmp_path):
    fresh = {"state": "running", "at": time_now(), "process": 1}
    assert crawl_state(tmp_path, {**fresh, "is_locked": True}) == "broken off"
    assert crawl_state(tmp_path, {**fresh, "is_locked": False}) == "running"
