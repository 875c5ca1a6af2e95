"""A host whose robots.txt does not come holds one of the connections, and costs the other hosts nothing more."""

from __future__ import annotations

import threading

from support.crawling import crawl
from support.site import TRAVEL, page, small_web

PAGES = 12
GOOD = [f"http://good.example/p{number}.html" for number in range(PAGES)]
STALLED = "http://stalled.example/"


def test_a_stalled_robots_txt_takes_one_connection_of_two_and_the_good_host_gives_all(tmp_path):
    fetched, all_there, fetched_meanwhile = set(), threading.Event(), []

    def find(url):
        if url == f"{STALLED}robots.txt":
            all_there.wait(20)
            fetched_meanwhile.append(len(fetched))
        if url not in GOOD:
            return page("旅游日记", TRAVEL) if url == STALLED else None
        fetched.add(url)
        if len(fetched) == PAGES:
            all_there.set()
        number = GOOD.index(url)
        return page(
            f"旅游日记{number}", f"第{number}天，{TRAVEL}", dict.fromkeys(GOOD[number + 1 : number + 3], "旅游攻略")
        )

    with small_web(find) as web:
        ended = crawl(
            tmp_path,
            web.proxy,
            seeds=f"{STALLED},{GOOD[0]}",
            CONCURRENT_REQUESTS=2,
            TOPICSPIDER_LINK_THRESHOLD=0,
            TOPICSPIDER_LINK_POLICY="bfs",
            TOPICSPIDER_READ_TIMEOUT=60,
        )
    assert ended.exit_code == 0, ended.err
    assert fetched_meanwhile == [PAGES]
    assert STALLED in web.pages()
