"""A crawl ends by itself when nothing that waits is worth a page, says so, and goes on when it is told to."""

from __future__ import annotations

import re
import sqlite3

from support.crawling import crawl
from support.site import Answer, small_web

PLACES = ("漓江", "阳朔", "龙脊", "象山", "银子岩", "遇龙河", "兴坪", "凤凰")
TRAVEL = [f"http://w.example/lvyou/{n}.html" for n in range(len(PLACES))]
OTHERS = [f"http://x.example/bianyiqi/{n}.html" for n in range(60)]


def page(title: str, links: list[tuple[str, str]]) -> Answer:
    shown = "".join(f"<p><a href='{url}'>{text}</a></p>" for url, text in links)
    text = "".join(
        f"{title}{n}的景点门票，{title}酒店{n}。" if "旅游" in title else f"{title}报错{n}。" for n in range(12)
    )
    return Answer(f"<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p>{shown}</body></html>")


ALL = [(url, f"{place}旅游景点") for place, url in zip(PLACES, TRAVEL, strict=True)] + [
    (url, "编译器") for url in OTHERS
]
WEB = {
    **{url: page(f"{place}旅游攻略", ALL) for place, url in zip(PLACES, TRAVEL, strict=True)},
    **{url: page(f"编译器{n}", []) for n, url in enumerate(OTHERS)},
}


def test_it_ends_says_why_and_goes_on(tmp_path):
    with small_web(WEB) as served:
        first = crawl(tmp_path, served.proxy, seeds=TRAVEL[0], TOPICSPIDER_LINK_THRESHOLD=0.2)
        pages = served.pages()
        again = crawl(tmp_path, served.proxy, seeds=TRAVEL[0], TOPICSPIDER_LINK_THRESHOLD=0)
    assert (first.exit_code, again.exit_code) == (0, 0), first.err
    assert set(TRAVEL) <= set(pages)
    left = len(WEB) - len(pages)
    assert left > 30
    assert re.search(
        rf"finished: the best of {left} waiting links has a chance of 0\.[01]\d*$", first.err, re.MULTILINE
    )
    assert re.search(rf"INFO: pruned links +low_chance ×{left}$", first.err, re.MULTILINE)
    assert re.search(r"INFO: next .*-s TOPICSPIDER_LINK_THRESHOLD=0 (?!.*LINK_THRESHOLD)", first.err, re.MULTILINE)
    assert sorted(served.pages()) == sorted(WEB)
    with sqlite3.connect(tmp_path / "data" / "tourism" / "pages.db") as database:
        reasons = [reason for (reason,) in database.execute("SELECT reason FROM crawls ORDER BY id")]
        sampled = database.execute("SELECT count(*) FROM links WHERE pruned = 'low_chance'").fetchone()
    assert reasons == ["finished", "finished"]
    assert sampled == (left,)
