"""A crawl that finds nothing more stops by its rule, says so in one line, and goes on when the command is given again."""

from __future__ import annotations

import sqlite3

from support.crawling import crawl
from support.site import Answer, small_web

LINKS = 400
HITS = 12
PLACES = ("漓江", "阳朔", "龙脊", "象山", "银子岩", "遇龙河", "兴坪", "凤凰", "平遥", "大理", "丽江", "敦煌", "泰山")


def page(number: int) -> Answer:
    """The first few are about travel, each of another place; all name the next ones alike."""
    place = PLACES[number % len(PLACES)]
    text = (
        "".join(f"{place}{n}旅游景点的门票{place}酒店攻略{number}{n}。" for n in range(12))
        if number < HITS
        else "编译器报错，指针数组。" * 12
    )
    links = "".join(
        f"<p><a href='http://w{n}.example/'>旅游景点</a></p>" for n in range(number + 1, min(number + 8, LINKS))
    )
    title = f"{place}旅游攻略" if number < HITS else f"程序{number}"
    return Answer(f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p>{links}</body></html>")


WEB = {f"http://w{number}.example/": page(number) for number in range(LINKS)}
RULE = ("-s", "TOPICSPIDER_STOP_YIELD=10", "-s", "CONCURRENT_REQUESTS=1")
BFS = ("-s", "TOPICSPIDER_LINK_POLICY=bfs")


def test_it_stops_says_why_and_goes_on(tmp_path):
    with small_web(WEB) as served:
        first = crawl(tmp_path, served.proxy, *RULE, *BFS, seeds="http://w0.example/")
        pages = len(served.pages())
        again = crawl(tmp_path, served.proxy, *BFS, seeds="http://w0.example/")
    assert (first.exit_code, again.exit_code) == (0, 0), first.err
    assert 300 <= pages < 330
    assert first.err.count("finished: 12 new hits on the last 300 pages; ") == 1
    assert "low_yield ×" in first.err
    assert "scrapy crawl topic -a topic=tourism -s TOPICSPIDER_STOP_YIELD=0" in first.err
    assert len(set(served.pages())) == len(served.pages()) == LINKS
    with sqlite3.connect(tmp_path / "data" / "tourism" / "pages.db") as database:
        assert [reason for (reason,) in database.execute("SELECT reason FROM crawls ORDER BY id")] == [
            "low_yield",
            "finished",
        ]
