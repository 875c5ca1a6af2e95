"""A whole crawl as a user runs it: what it fetches, keeps, writes, and says."""

from __future__ import annotations

import re
import signal
import threading
import time
from dataclasses import fields
from itertools import pairwise

import pytest

from support.crawling import LONGEST_RUN, begin, crawl, items, stop_after, stored, wait_until
from support.site import SPORT, TRAVEL, Answer, page, small_web, travel_web
from topicspider.items import PageItem

SEED = "http://w0.example/p0.html"


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """One crawl of the small web to its end, shared by the tests that only look at it."""
    folder = tmp_path_factory.mktemp("crawl")
    with small_web(travel_web(), latency=0.01) as web:
        ended = crawl(folder, web.proxy, "-O", "hits.jsonl", seeds=SEED)
        yield folder, web, ended


def test_every_reachable_page_is_fetched_once(finished):
    _folder, web, ended = finished
    assert ended.exit_code == 0, ended.err
    assert sorted(web.pages()) == sorted(travel_web())


def test_all_pages_are_stored_and_hits_are_those_on_topic(finished):
    folder, _web, _ended = finished
    expected = {url for url in travel_web() if int(re.search(r"p(\d+)", url).group(1)) % 3 == 0}
    assert {item["url"] for item in items(folder / "hits.jsonl")} == expected
    assert {url for url, on_topic in stored(folder).items() if on_topic} == expected
    assert set(stored(folder)) == set(travel_web())


def test_the_feed_is_utf8_and_has_every_field(finished):
    folder, _web, _ended = finished
    raw = (folder / "hits.jsonl").read_bytes()
    assert "旅游日记".encode() in raw
    for item in items(folder / "hits.jsonl"):
        assert set(item) == {field.name for field in fields(PageItem)}
        assert item["topic"] == "tourism"
        assert {"boolean", "vsm", "A", "B", "C"} <= set(item["parts"])
        assert item["title"].startswith("旅游日记")
        assert "石板路" in item["body"]
        assert item["summary"]
        assert 0 < len(item["keywords"]) <= 10
        assert (item["language"], item["encoding"], item["status"], item["port"]) == ("zh", "utf-8", 200, 80)
        assert item["download_time"] > 0
        assert item["content_length"] > 100


def test_one_connection_a_host_robots_included(finished):
    _folder, web, _ended = finished
    for host in {one.host for one in web.asked}:
        visits = sorted((one for one in web.asked if one.host == host), key=lambda one: one.start)
        assert visits[0].url.endswith("/robots.txt")
        assert all(before.end <= after.start for before, after in pairwise(visits))


def test_the_user_agent_names_the_project_and_a_contact(finished):
    _folder, web, _ended = finished
    (agent,) = {one.headers["User-Agent"] for one in web.asked}
    assert re.fullmatch(r"topicspider/\S+ \(\+https://\S+\)", agent)


def test_the_closing_table_says_what_was_found_and_what_to_type_without_a_warning(finished):
    _folder, _web, ended = finished
    told = [
        "pages         40",
        "hits          14 on topic (1 new, 13 copies)",
        "hosts         4",
        "data/tourism/pages.db",
    ]
    assert [words for words in [*told, "scrapy hits --topic tourism"] if words not in ended.err] == []
    assert not re.search("WARNING|ERROR|Traceback|Deprecat", ended.err)


def test_a_finished_crawl_says_so_and_fetches_nothing(finished):
    folder, web, _ended = finished
    before = len(web.asked)
    again = crawl(folder, web.proxy, seeds=SEED)
    assert again.exit_code == 0
    assert "finished before, with 40 pages" in again.out
    assert "fresh=1" in again.out
    assert "recrawl" in again.out
    assert len(web.asked) == before


def test_fresh_starts_anew_and_keeps_stored_pages(tmp_path):
    with small_web(travel_web(12)) as web:
        crawl(tmp_path, web.proxy, seeds=SEED)
        again = crawl(tmp_path, web.proxy, "-a", "fresh=1", seeds=SEED)
    assert again.exit_code == 0
    assert sorted(web.pages()) == sorted([*travel_web(12)] * 2)
    assert len(stored(tmp_path)) == 12


def odd_web():
    """Good pages among redirects, dead links, errors and a picture."""
    web = travel_web(60)
    for number in range(0, 60, 5):
        web[f"http://w{number % 4}.example/old{number}"] = Answer(
            "", 301, {"Location": f"http://w{number % 4}.example/p{number}.html"}
        )
    odd = {f"http://w{n % 4}.example/old{n}": f"旅游旧地址{n}" for n in range(0, 60, 5)}
    odd |= {f"http://w{n % 4}.example/dead{n}": f"旅游死链{n}" for n in range(6)}
    odd["http://w1.example/map"] = "旅游地图"
    web["http://w1.example/map"] = Answer(b"\x89PNG", 200, {"Content-Type": "image/png"})
    web[SEED] = page(
        "旅游日记第0篇", TRAVEL, {**odd, **{f"http://w{n % 4}.example/p{n}.html": f"旅游{n}" for n in (1, 2, 3)}}
    )
    return web


@pytest.mark.parametrize("connections", [1, 16])
def test_max_pages_is_exact_with_redirects_dead_links_and_resumption(tmp_path, connections):
    """Promise F8."""
    with small_web(odd_web(), latency=0.005) as web:
        for limit in (7, 23):
            limited = ("-a", f"max_pages={limit}")
            ended = crawl(tmp_path, web.proxy, *limited, seeds=SEED, CONCURRENT_REQUESTS=connections)
            assert ended.exit_code == 0, ended.err
            fetched = [url for url in web.pages() if re.search(r"/p\d+\.html$", url)]
            assert len(fetched) == len(set(fetched)) == limit
            assert len(stored(tmp_path)) == limit
        full = crawl(tmp_path, web.proxy, "-a", "max_pages=23", seeds=SEED)
    assert "has its 23 pages" in full.out
    assert full.exit_code == 0


def test_a_stopped_crawl_goes_on_and_fetches_no_page_twice(tmp_path):
    """Promises F1, F3, S1; for kill -9 see test_kills.py"""
    wanted = travel_web(60)
    with small_web(wanted, latency=0.03) as web:
        for pages in (8, 25):
            process = begin(tmp_path, web.proxy, seeds=SEED, CONCURRENT_REQUESTS=4)
            ended = stop_after(process, lambda pages=pages: len(web.pages()) >= pages, signal.SIGINT)
            assert ended.exit_code == 130
        last = crawl(tmp_path, web.proxy, seeds=SEED, CONCURRENT_REQUESTS=4)
    assert last.exit_code == 0, last.err
    assert set(stored(tmp_path)) == set(wanted)
    assert sorted(web.pages()) == sorted(set(web.pages()))


def test_ctrl_c_twice_ends_at_once_and_loses_nothing(tmp_path):
    wanted = travel_web(30)
    with small_web(wanted, latency=0.2) as web:
        process = begin(tmp_path, web.proxy, seeds=SEED)
        stop_after(process, lambda: len(web.pages()) >= 3 and process.send_signal(signal.SIGINT) is None, signal.SIGINT)
        last = crawl(tmp_path, web.proxy, seeds=SEED)
    assert last.exit_code == 0, last.err
    assert set(stored(tmp_path)) == set(wanted)


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_waits_for_no_slow_page_and_leaves_a_whole_feed(tmp_path, times):
    """Once: in order, without the slow page. Twice: at once, and the feed of the run before stays as it was."""
    wanted, is_asked, may_answer = travel_web(20, hosts=2), threading.Event(), threading.Event()

    def find(url):
        if url.endswith("/p4.html"):
            is_asked.set()
            may_answer.wait(LONGEST_RUN)
        return wanted.get(url)

    feed, old = tmp_path / "hits.jsonl", "old\n" * 3
    feed.write_text(old)
    with small_web(find) as web:
        settings = {"TOPICSPIDER_READ_TIMEOUT": 600, "TOPICSPIDER_DRAIN_SECONDS": 600}
        process = begin(tmp_path, web.proxy, "-O", str(feed), seeds=SEED, **settings)
        wait_until(is_asked.is_set, process)
        began = time.monotonic()
        for _ in range(times):
            process.send_signal(signal.SIGINT)
            time.sleep(0.3)
        said = process.communicate(timeout=LONGEST_RUN)[1]
        assert process.returncode == 130, said
        assert time.monotonic() - began < 60  # not the 600 s that the page would take
        assert (feed.read_text() == old) == (times == 2)
        may_answer.set()
        last = crawl(tmp_path, web.proxy, "-O", str(feed), seeds=SEED)
    assert last.exit_code == 0, last.err
    assert set(stored(tmp_path)) == set(wanted)
    assert sorted(one["url"] for one in items(feed)) == sorted(
        url for url, is_hit in stored(tmp_path).items() if is_hit
    )
    assert not feed.with_name("hits.jsonl.part").exists()


@pytest.mark.parametrize("policy", ["bfs", "dfs", "random"])
def test_unfocused_policies_prune_nothing(tmp_path, policy):
    web_of_sport = {
        SEED: page("首页", SPORT, {f"http://w1.example/{n}": f"联赛{n}" for n in range(5)}),
        **{f"http://w1.example/{n}": page(f"联赛{n}", SPORT) for n in range(5)},
    }
    with small_web(web_of_sport) as web:
        ended = crawl(tmp_path, web.proxy, "-s", f"TOPICSPIDER_LINK_POLICY={policy}", seeds=SEED)
    assert sorted(web.pages()) == sorted(web_of_sport)
    assert "pruned links  none" in ended.err


def test_links_off_topic_are_pruned_and_counted_by_reason(tmp_path):
    elsewhere = f"<h2>螺母</h2><p>{'螺丝、螺母、垫圈、铆钉。' * 9}<a href='http://w2.example/'>螺丝</a></p>"
    seed = str(page("旅游日记", TRAVEL, {"http://w1.example/a": "旅游攻略"}).body)
    pages = {SEED: Answer(seed.replace("</body>", f"{elsewhere}</body>")), "http://w1.example/a": page("旅游", TRAVEL)}
    with small_web(pages) as web:
        ended = crawl(tmp_path, web.proxy, "-s", "TOPICSPIDER_LINK_POLICY=ipagerank", seeds=SEED)
    assert sorted(web.pages()) == sorted(pages)
    assert re.search(r"pruned links +low_rw ×1", ended.err)


def test_several_topics_share_one_fetch_and_judge_apart(tmp_path):
    with small_web(travel_web(12)) as web:
        ended = crawl(tmp_path, web.proxy, "-a", "topic=tourism,sport", "-O", "hits.jsonl", seeds=SEED)
    assert ended.exit_code == 0, ended.err
    assert sorted(web.pages()) == sorted(travel_web(12))
    found = {(item["topic"], item["title"][:2]) for item in items(tmp_path / "hits.jsonl")}
    assert {("tourism", "旅游"), ("sport", "联赛")} <= found
    assert (tmp_path / "data" / "tourism+sport" / "pages.db").exists()


@pytest.mark.parametrize(("threshold", "warnings"), [("0.05", 1), ("{learned: 0.05}", 0)], ids=["plain", "by scorer"])
def test_a_threshold_that_was_set_for_another_scorer_is_one_warning_at_the_start(tmp_path, threshold, warnings):
    topic = tmp_path / "trip.yaml"
    topic.write_text(f"title: 旅游\nterms: [旅游, 门票]\nthresholds: {{page: {threshold}}}\n", encoding="utf-8")
    with small_web(travel_web(3)) as web:
        ended = crawl(tmp_path, web.proxy, "-a", f"topic={topic}", seeds=SEED)
    assert ended.exit_code == 0, ended.err
    assert ended.err.count("trip: thresholds.page: 0.05 is far from the 0.35 of the scorer learned") == warnings


def test_depth_is_a_limit(tmp_path):
    with small_web(travel_web(40)) as web:
        crawl(tmp_path, web.proxy, "-a", "depth=1", seeds=SEED)
    assert sorted(web.pages()) == sorted(f"http://w{n % 4}.example/p{n}.html" for n in range(4))


def test_a_failing_server_is_tried_again_and_then_given_up(tmp_path):
    """A dead letter after TOPICSPIDER_ATTEMPTS tries; the crawl ends by itself."""
    pages = {
        SEED: page("旅游日记", TRAVEL, {"http://w0.example/broken": "旅游攻略"}),
        "http://w0.example/broken": Answer("", 500),
    }
    with small_web(pages) as web:
        ended = crawl(tmp_path, web.proxy, "-s", "TOPICSPIDER_ATTEMPTS=3", seeds=SEED)
    assert ended.exit_code == 0
    assert web.pages().count("http://w0.example/broken") == 3
    assert "server_error ×3" in ended.err


def test_meta_robots_nofollow_is_obeyed(tmp_path):
    head = '<meta name="robots" content="nofollow">'
    with small_web({SEED: page("旅游日记", TRAVEL, {"http://w1.example/": "旅游"}, head)}) as web:
        ended = crawl(tmp_path, web.proxy, seeds=SEED)
    assert web.pages() == [SEED]
    assert "nofollow ×1" in ended.err


LIMITED = """name: limited
title: 旅游
terms: {旅游: 1, 攻略: 1}
limits:
  deny_hosts: [denied.example]
"""


def test_a_redirect_leads_nowhere_that_a_link_may_not(tmp_path):
    """Neither by Location nor by meta refresh; the reason is counted as for links."""
    (tmp_path / "limited.yaml").write_text(LIMITED, encoding="utf-8")
    refresh = '<meta http-equiv="refresh" content="0;url=http://denied.example/2">'
    pages = {
        "http://w0.example/": page(
            "旅游", TRAVEL, {"http://w1.example/": "旅游攻略", "http://w2.example/": "旅游攻略"}
        ),
        "http://w1.example/": Answer("", 302, {"Location": "http://www.denied.example/1"}),
        "http://w2.example/": page("旅游", TRAVEL, head=refresh),
    }
    with small_web(pages) as web:
        ended = crawl(tmp_path, web.proxy, "-a", "topic=limited.yaml", seeds="http://w0.example/")
    assert ended.exit_code == 0, ended.err
    assert sorted(web.pages()) == sorted(pages)
    assert "host_denied ×2" in ended.err
