"""What a host said of its rest holds for the next run of the crawl, and on another machine: Retry-After, Crawl-delay, robots.txt."""

from __future__ import annotations

import json
import re
import signal

import pytest

from support.crawling import begin, environment, scrapy, stop_after
from support.site import TRAVEL, Answer, page, small_web

BUSY, CALM = "http://w0.example/", "http://w1.example/"
SAYS = {"Content-Type": "text/html", "Retry-After": "500"}
ROBOTS = Answer("User-agent: *\nCrawl-delay: 300\nDisallow: /private", headers={"Content-Type": "text/plain"})


def web_of(robots):
    """w0 answers 429, or asks for a long delay, and has more links; of w1 there is one page."""
    links = {f"{BUSY}{number}": "旅游攻略" for number in range(5)}
    pages = {CALM: page("旅游", TRAVEL, links), **{url: page("旅游", TRAVEL) for url in links}}
    pages[BUSY] = page("旅游", TRAVEL, links) if robots else Answer("busy", 429, SAYS)
    return pages | ({f"{BUSY}robots.txt": ROBOTS} if robots else {})


def stopped(folder, web, *arguments):
    """A crawl that is stopped when it has said that it stands still, which it does after some seconds without a page."""
    log = folder / f"{len(web.asked)}.log"
    said = {"LOG_FILE": log, "TOPICSPIDER_LANGUAGE": "en", "TOPICSPIDER_DELAY_MAX": 400}
    process = begin(folder, web.proxy, *arguments, seeds=f"{BUSY},{CALM}", **said)
    waits = re.compile(r"all hosts with links rest until|are on one host")
    stop_after(process, lambda: log.exists() and waits.search(log.read_text(encoding="utf-8")), signal.SIGINT)
    return [one for one in web.asked if one.host == "w0.example"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shared", "robots"), [(False, True), (True, False)], ids=["Crawl-delay, next run", "Retry-After, other node"]
)
def test_f2_a_long_rest_holds_for_the_next_run_and_for_other_nodes(tmp_path, client, redis_url, shared, robots):
    where = ("-s", f"TOPICSPIDER_FRONTIER={redis_url}") if shared else ()
    with small_web(web_of(robots)) as web:
        before = stopped(tmp_path / "one", web, *where)
        after = stopped(tmp_path / ("two" if shared else "one"), web, *where)
    asked = [f"{BUSY}robots.txt"] if robots else [f"{BUSY}robots.txt", BUSY]  # the delay holds after robots.txt, too
    assert [one.url for one in before] == asked
    assert after == before, "not even its robots.txt"
    place = [redis_url, "--topic", "tourism"] if shared else ["--topic", "tourism"]
    told = scrapy(["frontier", *place, "hosts", "--json"], tmp_path / "one", environment())
    (rests,) = [one["rest_seconds"] for one in json.loads(told.out) if one["host"] == "w0.example:80"]
    assert 150 < rests <= (300 if robots else 500)
