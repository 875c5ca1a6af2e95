"""The page beside a crawl, beside the demo, over nodes in Redis, and over reports of rehearsals."""

from __future__ import annotations

import signal
from contextlib import closing

import pytest
import redis

from support.crawling import begin, environment, start
from support.serving import ENDLESS_SEED, QUICK, WebServer, endless_web, wait, web_server
from support.site import small_web
from topicspider.cli.crawl_data import DEMO
from topicspider.steering.control import read_status


def greeted(stream):
    """The page whose link and token a process prints, among other lines."""
    lines = iter(stream.readline, "")
    return WebServer(*(next(line for line in lines if sign in line).split()[-1] for sign in ("?token=", "Token for")))


def test_a_crawl_opens_the_page_beside_it_when_a_setting_says_so_and_takes_it_along_when_it_ends(tmp_path):
    with small_web(endless_web) as web:
        process = begin(tmp_path, web.proxy, seeds=ENDLESS_SEED, TOPICSPIDER_SERVE=1, TOPICSPIDER_DELAY_MIN=0.05)
        server = greeted(process.stderr)
        look = lambda: server.json("/crawl.json?crawl=tourism").data  # noqa: E731
        assert wait(look, lambda data: data["status"].get("pages", 0) > 5)["status"]["process"] == process.pid
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        with pytest.raises(OSError, match=r"refused|reset"):
            server.json("/crawls.json")


def test_the_demo_shows_both_its_crawls_and_the_curve_of_the_other_beside_the_focused_one(tmp_path):
    process = start(["demo", "--serve", "--pages", "40", "--made", "pages=900,hosts=12"], tmp_path, environment())
    server = greeted(process.stderr)
    states = lambda: {one["name"]: one["state"] for one in server.json("/crawls.json").data["crawls"]}  # noqa: E731
    names = ("demo/focused/tourism", "demo/breadth-first/tourism")
    wait(states, lambda found: all(found.get(name) == "ended" for name in names))
    shown = server.json(f"/crawl.json?crawl={names[0]}").data
    assert (shown["status"]["pages"], shown["baseline"][-1][0]) == (40, 40)
    lines = iter(process.stdout.readline, "")
    assert any("The page goes on until Ctrl-C" in line for line in lines)

    # what is started from it goes to the simulated web, beside the demo's, and ends with it
    server.log_in()
    assert "simulated web, and begin at http://start.made.example/" in server.ask("/start").text
    begun = server.tell("/start.json", {"topic": "hiking", "terms": "旅游"}).data
    assert begun["crawl"] == f"{DEMO}/hiking"
    look = lambda: server.json(f"/crawl.json?crawl={DEMO}/hiking").data["status"]  # noqa: E731
    assert "dns" not in wait(look, lambda status: status.get("pages", 0) > 5)["errors"]
    process.send_signal(signal.SIGTERM)
    assert (process.communicate(timeout=60), process.returncode)[1] == 128 + signal.SIGTERM
    assert read_status(tmp_path / "data" / DEMO / "hiking")["state"] == "ended"
    with pytest.raises(OSError, match=r"refused|reset"):
        server.json("/crawls.json")


def test_nodes_on_a_queue_in_redis_are_shown_and_asked_to_end(tmp_path, redis_url):
    with closing(redis.Redis.from_url(redis_url)) as client, small_web(endless_web) as web:
        client.delete(*client.scan_iter("topicspider:{*"), "none")
        queue = ("-s", f"TOPICSPIDER_FRONTIER={redis_url}")
        with web_server(tmp_path, *QUICK, *queue, proxy=web.proxy) as server:
            assert server.tell("/start.json", {"topic": "tourism", "seeds": ENDLESS_SEED}).status == 200
            look = lambda: server.json("/crawl/nodes.json?crawl=tourism").data  # noqa: E731
            (node,) = wait(look, lambda data: data.get("pages", 0) > 5)["nodes"]
            refused = server.tell("/crawl/limits.json", {"crawl": "tourism", "max_pages": "9"})
            assert (refused.status, "queue is its own" in refused.text) == (400, True)
            server.log_in()
            assert node["name"] in server.ask("/crawl/nodes?crawl=tourism").text
            asked = server.tell("/crawl/ask.json", {"crawl": "tourism", "node": node["name"], "do": "stop"})
            assert asked.data["nodes"] == [node["name"]]
            ended = lambda: server.json("/crawl.json?crawl=tourism").data  # noqa: E731
            assert "nodes" in wait(ended, lambda data: data["state"] == "ended")["reason"]
        client.delete(*client.scan_iter("topicspider:{*"), "none")


def test_reports_of_rehearsals_are_listed_and_opened_in_an_origin_of_their_own(tmp_path):
    folder = tmp_path / "data" / "rehearsals" / "tourism-网络"
    folder.mkdir(parents=True)
    (folder / "report.html").write_text("<p>报告", encoding="utf-8")
    with web_server(tmp_path) as server:
        server.log_in()
        (found,) = server.json("/rehearsals.json").data["rehearsals"]
        assert found["name"] == "tourism-网络"
        assert found["name"] in server.ask("/rehearsals").text
        got = server.ask("/rehearsals.report?name=tourism-%E7%BD%91%E7%BB%9C")
        assert (got.text, "sandbox allow-scripts;" in got.headers["Content-Security-Policy"]) == ("<p>报告", True)
        assert "allow-same-origin" not in got.headers["Content-Security-Policy"]
        for name in ("", "..", "../rehearsals/tourism-%E7%BD%91%E7%BB%9C"):
            assert server.ask(f"/rehearsals.report?name={name}").status == 400
