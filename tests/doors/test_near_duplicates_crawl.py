"""Copies of a page on other hosts are stored as hits that name the first copy, in the store and in the feed."""

from __future__ import annotations

import sqlite3
from itertools import product

from support.crawling import crawl, items
from support.site import Answer, small_web

PLACES = ("漓江", "阳朔", "龙脊梯田", "象鼻山", "银子岩", "遇龙河", "兴坪古镇", "世外桃源")
THINGS = ("门票便宜，旅游的人不多", "早上有竹筏，游客可以拍照", "客栈的老板很热情，风景让人难忘")


def guide(sentences: list[str], tail: str = "") -> Answer:
    """A travel diary of these sentences."""
    text = "".join(f"<p>{sentence}。</p>" for sentence in sentences)
    return Answer(
        f"<html><head><title>桂林旅游日记</title></head><body><h1>桂林旅游日记</h1>{text}{tail}</body></html>"
    )


def test_the_first_copy_is_named_and_counted(tmp_path):
    urls = [f"http://w{n}.example/guilin.html" for n in range(3)]
    links = "".join(f"<p><a href='{url}'>桂林旅游日记</a></p>" for url in urls[1:])
    sentences = [f"第{n}天我们去{place}，{thing}" for n, (place, thing) in enumerate(product(PLACES, THINGS), 1)]
    others = [f"{place}的旅游攻略说，酒店和景区之间有班车，{thing}" for thing, place in product(THINGS, PLACES)]
    web = {urls[0]: guide(sentences, links), urls[1]: guide([*sentences, "本文由网友转载"]), urls[2]: guide(others)}
    with small_web(web) as served:
        ended = crawl(tmp_path, served.proxy, "-O", "hits.jsonl", seeds=urls[0])
    assert ended.exit_code == 0, ended.err
    told = {item["url"]: item["duplicate_of"] for item in items(tmp_path / "hits.jsonl")}
    assert told == {urls[0]: "", urls[1]: urls[0], urls[2]: ""}
    database = sqlite3.connect(tmp_path / "data" / "tourism" / "pages.db")
    rows = dict(database.execute("SELECT url, duplicate_of FROM pages WHERE on_topic = 1"))
    database.close()
    assert rows == told
    assert "3 on topic (2 new, 1 copy)" in ended.out + ended.err
