"""Crawls started, watched and steered from the page, over a real socket and a web of the test's own."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

import pytest

from support import serving
from support.serving import ENDLESS_SEED, QUICK, endless_web, web_server
from support.site import small_web

CRAWL = "/crawl.json?crawl=tourism"


@pytest.fixture
def web():
    with small_web(endless_web) as served:
        yield served


@pytest.fixture
def server(web, tmp_path):
    """The page over an empty data folder; what was started from it is ended by its number."""
    with web_server(tmp_path, *QUICK, proxy=web.proxy) as server:
        server.log_in()
        yield server
        for crawl in server.json("/crawls.json").data["crawls"]:
            end(server.json(f"/crawl.json?crawl={crawl['name']}").data["status"].get("process"))


def end(process):
    if process:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def begin(server, **fields):
    got = server.tell("/start.json", {"topic": "旅游", "seeds": ENDLESS_SEED, **fields})
    assert got.status == 200, got.text
    return got.data["process"]


def wait(server, is_so, path=CRAWL):
    """The view once it is so."""
    return serving.wait(lambda: server.json(path).data, is_so)


def has_pages(number):
    return lambda data: data["status"].get("pages", 0) >= number


def test_a_crawl_is_started_watched_paused_resumed_and_stopped(server):
    process = begin(server)
    seen = wait(server, has_pages(20))
    assert (seen["state"], seen["status"]["process"], seen["status"]["topics"]) == ("running", process, ["tourism"])
    assert 0 < len([one for one in seen["status"]["found"] if one["verdict"] == "hit"]) <= seen["status"]["hits"]
    assert all(0 <= one["chance"] <= 1 for one in seen["status"]["decisions"] if one["chance"] is not None)

    server.tell("/crawl/order.json", {"crawl": "tourism", "do": "pause"})
    paused = wait(server, lambda data: data["state"] == "paused" and not data["status"]["fetching"])
    time.sleep(7)
    still = server.json(CRAWL).data
    assert (still["status"]["pages"], still["status"]["stall"]) == (paused["status"]["pages"], "")

    server.tell("/crawl/order.json", {"crawl": "tourism", "do": "resume"})
    wait(server, has_pages(paused["status"]["pages"] + 10))
    server.tell("/crawl/order.json", {"crawl": "tourism", "do": "stop"})
    ended = wait(server, lambda data: data["state"] == "ended")
    assert ended["reason"].startswith("stopped")
    assert ended["status"]["curve"][-1][0] == ended["status"]["pages"]
    refused = server.tell("/crawl/order.json", {"crawl": "tourism", "do": "stop"})
    assert (refused.status, "a crawl that is running" in refused.text) == (400, True)


def test_a_stopped_crawl_goes_on_with_its_curve_and_no_order_of_the_run_before_holds(server):
    begin(server, max_pages="30")
    first = wait(server, lambda data: data["state"] == "ended")
    assert (first["status"]["pages"], first["reason"]) == (30, "finished: the page limit is reached")
    begin(server, max_pages="60")
    second = wait(server, lambda data: data["state"] == "ended" and data["status"]["run"] != first["status"]["run"])
    assert second["status"]["pages"] == 60
    assert second["status"]["hits"] > first["status"]["hits"]
    assert second["status"]["curve"][: len(first["status"]["curve"])] == first["status"]["curve"]


def test_the_limit_of_pages_is_changed_while_it_runs_and_kept_exactly(server):
    begin(server, max_pages="5000")
    seen = wait(server, has_pages(10))
    most = seen["status"]["pages"] + 300  # it hears of that within a second or two
    got = server.tell("/crawl/limits.json", {"crawl": "tourism", "max_pages": most, "pace": "fast"})
    assert got.status == 200
    ended = wait(server, lambda data: data["state"] == "ended")
    assert (ended["status"]["pages"], ended["status"]["max_pages"], ended["status"]["pace"]) == (most, most, "fast")


def test_a_host_that_is_blocked_is_asked_no_more(server, web):
    begin(server)
    wait(server, has_pages(10))
    assert server.tell("/crawl/block.json", {"crawl": "tourism", "host": "e3.example"}).data["hosts"] == [
        "e3.example:80"
    ]
    hosts = server.json("/crawl/hosts.json?crawl=tourism&host=e3.").data["hosts"]
    assert [(host["host"], host["is_blocked"]) for host in hosts] == [("e3.example:80", True)]
    seen = wait(server, has_pages(server.json(CRAWL).data["status"]["pages"] + 20))
    asked = len([url for url in web.pages() if "//e3." in url])
    wait(server, has_pages(seen["status"]["pages"] + 60))
    assert len([url for url in web.pages() if "//e3." in url]) == asked
    server.tell("/crawl/block.json", {"crawl": "tourism", "host": "e3.example", "do": "unblock"})
    assert not server.json("/crawl/hosts.json?crawl=tourism&host=e3.").data["hosts"][0]["is_blocked"]


def test_the_crawl_goes_on_when_the_page_ends_and_the_next_page_steers_it(web, tmp_path):
    with web_server(tmp_path, *QUICK, proxy=web.proxy) as server:
        process = begin(server)
        pages = wait(server, has_pages(10))["status"]["pages"]
    with web_server(tmp_path) as server:
        seen = wait(server, has_pages(pages + 30))
        assert (seen["state"], seen["status"]["process"]) == ("running", process)
        assert any("Spider opened" in line for line in server.json("/crawl/log.json?crawl=tourism").data["lines"])
        refused = server.tell("/start.json", {"topic": "tourism", "seeds": ENDLESS_SEED})
        assert (refused.status, "running already" in refused.text) == (409, True)
        server.tell("/crawl/order.json", {"crawl": "tourism", "do": "stop"})
        wait(server, lambda data: data["state"] == "ended")


def test_a_crawl_that_is_killed_is_said_to_be(server):
    process = begin(server)
    wait(server, has_pages(5))
    end(process)
    assert wait(server, lambda data: not data["is_alive"])["state"] == "broken off"


def test_a_crawl_that_cannot_begin_says_why(tmp_path):
    nobody = ("-s", "TOPICSPIDER_FRONTIER=redis://127.0.0.1:1", "-s", "TOPICSPIDER_CONNECT_WAIT=0")
    with web_server(tmp_path, *nobody) as server:
        begin(server)
        failed = wait(server, lambda data: not data["is_alive"])
        server.log_in()
        shown = server.ask(CRAWL.replace(".json", "")).text
    assert (failed["state"], failed["said"][:28]) == ("did not begin", "frontier redis 127.0.0.1:1: ")
    said = ["No page was fetched" in shown, "The crawl begins" in shown, 'class="figures' in shown]
    assert said == [True, False, False]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"topic": ""}, "topic is missing"),
        ({"topic": "turism"}, "Did you mean tourism?"),
        ({"seeds": "ftp://a.example/"}, "seeds: 'ftp://a.example/' is not valid"),
        ({"max_pages": "0"}, "max_pages: '0' is not valid; allowed: a whole number from 1 to 1000000000"),
        ({"max_pages": "many"}, "max_pages: 'many' is not valid"),
        ({"depth": "-1"}, "depth: '-1' is not valid"),
        ({"pace": "quick"}, "pace: 'quick' is not valid; allowed: auto, thrifty, balanced, fast"),
        ({"topic": "my tea", "terms": "tea 0"}, "terms: tea: '0' is not valid"),
        ({"topic": "茶, /etc/passwd"}, "topic: '茶, /etc/passwd' is not valid; allowed: a topic's name"),
    ],
)
def test_what_cannot_be_started_is_said_in_one_line_and_what_was_typed_stays(server, fields, said):
    typed = {"topic": "旅游", "seeds": ENDLESS_SEED, "text": "", **fields}
    got = server.tell("/start.json", typed)
    assert (got.status in (400, 404), said in got.data["error"]) == (True, True), got.text
    page = server.post("/start", {"csrf": server.ask("/crawls").csrf, **typed})
    assert (page.status, "terms=turism" in page.text) == (got.status, typed["topic"] == "turism")  # as a new topic
    for value in (typed["seeds"], typed["topic"]):
        assert value in page.text
    assert server.json("/crawls.json").data["crawls"] == []


@pytest.mark.parametrize("path", ["/crawl", "/crawl/hosts", "/crawl/log"])
def test_no_name_leads_out_of_the_data_folder(server, path):
    for name in ("", "..", "../..", "/etc", "tourism", "%2e%2e"):
        assert server.json(f"{path}.json?crawl={name}").status == 400


def test_a_topic_is_written_on_the_page_and_its_near_words_are_struck_out(server):
    shown = server.json("/start.json?topic=my%20tea&terms=%E8%8C%B6%E5%8F%B6%2010%0A%E7%BB%BF%E8%8C%B6").data["preview"]
    assert [(one["word"], one["weight"]) for one in shown["words"]][:2] == [("茶叶", 1.0), ("绿茶", 0.1)]
    assert (shown["is_new"], shown["name"]) == (True, "my_tea")
    near = shown["near"][0]["word"]
    fields = {"topic": "my tea", "terms": "茶叶 10\n绿茶", f"drop.{near}": "1", "max_pages": "3"}
    begin(server, **fields)
    ended = wait(server, lambda data: data["state"] in ("ended", "did not begin"), "/crawl.json?crawl=my_tea")
    assert ended["status"].get("pages") == 3, ended
    again = server.json("/crawls.json").data["crawls"]
    assert [crawl["name"] for crawl in again] == ["my_tea"]
    assert server.json("/start.json?topic=turism").data["near"] == "tourism"
    assert server.json("/start.json?topic=turism&terms=turism").data["preview"]["is_new"]


def test_events_are_sent_when_something_changes_and_to_many_who_may_leave(server):
    begin(server)
    wait(server, has_pages(5))
    streams = [server.events("/crawl/events?crawl=tourism") for _one in range(20)]
    for stream in streams:
        first, second = next(stream), next(stream)
        assert 'data-part="figures"' in first
        assert first != second
        stream.close()
    later = server.events("/crawl/events?crawl=tourism")
    assert all(next(later) for _look in range(3))
    later.close()  # web_server() sees that the page has complained of nothing


def test_an_edit_is_tried_on_the_pages_of_the_topic_before_it_is_saved(server):
    begin(server, max_pages="12")
    wait(server, lambda data: data["state"] == "ended")
    fields = "topic=tourism&terms=%E8%81%94%E8%B5%9B%E6%88%98%E6%8A%A5&try=1"
    told = server.json(f"/start.json?{fields}").data
    assert told["preview"]["is_crawled"], told
    tried = told["tried"]
    assert tried["pages"] >= 12
    assert {one["change"] for one in tried["changed"]} == {"won", "lost"}
    assert "联赛战报" in server.ask(f"/start?{fields}").text
    left_out = server.json("/crawl.json?crawl=tourism").data["status"]["pruned"]
    assert ("Links left out" in server.ask("/crawl?crawl=tourism").text) is bool(left_out)
    assert "food" in server.json("/start.json?topic=food&try=1").data["error"]
