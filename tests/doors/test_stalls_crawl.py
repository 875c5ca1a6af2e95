"""A crawl that stands still says why, once, and when that is over: real crawls, and the extension on its own."""

from __future__ import annotations

import re
import signal
import threading
import time

import pytest

from support.crawling import begin, crawl, stop_after
from support.site import TRAVEL, Answer, page, small_web

LOG = "crawl.log"
SIX = [f"http://w{number}.example/" for number in range(6)]


def begin_with_log(folder, proxy, seeds, **settings):
    """A crawl of the tourism topic with its log in a file."""
    return begin(folder, proxy, seeds=",".join(seeds), LOG_FILE=LOG, **settings)


def log_until(folder, proxy, words, seeds, **settings):
    """The log of a crawl that was stopped once it had said ``words``."""
    path = folder / LOG
    process = begin_with_log(folder, proxy, seeds, **settings)
    stop_after(process, lambda: path.exists() and words in path.read_text(encoding="utf-8"), signal.SIGINT)
    return path.read_text(encoding="utf-8")


def test_a_host_that_asks_for_a_long_delay_is_named_once(tmp_path):
    """The delay is long enough for several looks, short enough for several pages: still one line, and it is never over."""
    links = {f"http://w0.example/{number}": f"旅游攻略{number}" for number in range(9)}
    web_pages = {url: page("旅游", TRAVEL) for url in links} | {
        "http://w0.example/": page("旅游", TRAVEL, links),
        "http://w0.example/robots.txt": Answer("User-agent: *\nCrawl-delay: 7"),
    }
    path = tmp_path / LOG
    with small_web(web_pages) as web:
        process = begin_with_log(tmp_path, web.proxy, ["http://w0.example/"])
        stop_after(process, lambda: len(web.pages()) >= 3, signal.SIGINT)
    log = path.read_text(encoding="utf-8")
    assert len(re.findall(r"INFO: all \d+ link\(s\) in the queue are on one host", log)) == 1
    assert re.search(r"one host, w0\.example: politeness allows about 51[0-9] pages an hour, .*\(Crawl-delay\)\n", log)
    assert "goes on as usual" not in log


def test_robots_txt_that_forbids_hosts_is_named(tmp_path):
    def answer(url):
        time.sleep(2.0)
        return Answer("User-agent: *\nDisallow: /") if url.endswith("/robots.txt") else page("旅游", TRAVEL)

    with small_web(answer) as web:
        words = "robots.txt 禁止抓取"
        log = log_until(tmp_path, web.proxy, words, SIX, CONCURRENT_REQUESTS=1, TOPICSPIDER_LANGUAGE="zh")
    assert re.search(r"robots\.txt 禁止抓取 \d 个主机上的链接：w\d\.example, w\d\.example", log)
    assert log.count(words) == 1


def test_names_that_nobody_can_resolve_are_dns(tmp_path, monkeypatch):
    """No name below ``.invalid`` exists; a resolver that is not there is not waited for long."""
    links = {f"http://w{number}.invalid/": f"旅游攻略{number}" for number in range(3)}
    words = "names cannot be resolved"
    with small_web({"/": page("旅游", TRAVEL, links)}) as web:
        monkeypatch.setenv("RES_OPTIONS", "timeout:1 attempts:1")
        own = {"TOPICSPIDER_ATTEMPTS": 20, "TOPICSPIDER_ALLOW_PRIVATE": 1}
        log = log_until(tmp_path, "", words, [f"{web.proxy}/"], **own)
    assert log.count(words) == 1
    assert re.search(r"(\d+) of the last \1 downloads failed in DNS \(w\d\.invalid", log)


@pytest.mark.slow
def test_downloads_that_hang_are_named_and_that_they_are_over(tmp_path):
    is_named, path = threading.Event(), tmp_path / LOG

    def answer(url):
        if url.endswith("/robots.txt"):
            return None
        is_named.wait(60)
        time.sleep(0.3)
        number = int(url.rpartition("/")[2] or 0)
        return page("旅游", TRAVEL, {f"http://w1.example/{number + n}": "旅游攻略" for n in (1, 2)})

    def is_over():
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if "have taken more than 5 s" in text:
            is_named.set()
        return "the crawl goes on as usual" in text

    with small_web(answer) as web:
        patience = {"TOPICSPIDER_READ_TIMEOUT": 90, "TOPICSPIDER_PAGE_TIMEOUT": 90}
        process = begin_with_log(tmp_path, web.proxy, ["http://w1.example/"], **patience)
        stop_after(process, is_over, signal.SIGINT)
    log = path.read_text(encoding="utf-8")
    assert log.count("have taken more than 5 s") == 1
    assert re.search(r"WARNING: 1 download\(s\) have taken more than 5 s, longest for w1\.example: \d+ s", log)
    assert re.search(r"INFO: the crawl goes on as usual after \d+ s$", log, re.MULTILINE)


LIMITED = """name: limited
title: 旅游
terms: {旅游: 1, 攻略: 1}
seeds: ["http://w0.example/"]
limits: {pages_per_host: 2}
"""


def test_a_crawl_that_leaves_links_on_hosts_that_gave_all_they_may_says_so(tmp_path):
    (tmp_path / "limited.yaml").write_text(LIMITED, encoding="utf-8")
    links = {f"http://w0.example/{number}": "旅游攻略" for number in range(5)}
    web_pages = {url: page("旅游", TRAVEL) for url in links} | {"http://w0.example/": page("旅游", TRAVEL, links)}
    with small_web(web_pages) as web:
        ended = crawl(tmp_path, web.proxy, "-a", "topic=limited.yaml", seeds="http://w0.example/")
    assert ended.exit_code == 0, ended.err
    assert "all 4 link(s) in the queue are on hosts that gave all they may (pages_per_host)" in ended.err
