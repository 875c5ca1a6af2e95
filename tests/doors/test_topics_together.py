"""Two topics in one crawl with the learned policy: each URL once, hits of each, and what one prunes is kept for the other."""

from __future__ import annotations

import sqlite3
from collections import Counter

from support.crawling import crawl
from support.replaying import replay_server, write_warc
from support.site import SPORT, TRAVEL

SIDES = {
    "tour": ("旅游攻略", TRAVEL),
    "game": ("足球比赛", SPORT),
    "code": ("编译器", "指针数组内存函数返回类型报错。" * 9),
}
PAGES = 14


def page(side: str, number: int) -> tuple[str, bytes]:
    title, text = SIDES[side]
    links = "".join(
        f"<li><a href='http://{other}{n}.example/'>{words}第{n}篇</a></li>"
        for other, (words, _) in SIDES.items()
        for n in (2 * number + 1, 2 * number + 2, number // 2)
        if n < PAGES
    )
    own = "".join(f"<p>{title}{number * 31 + n}之{n * number}：{text[n:]}</p>" for n in range(4))
    html = f"<html lang='zh'><head><meta charset='utf-8'><title>{title}第{number}篇</title></head><body><h1>{title}</h1>{own}<ul>{links}</ul></body></html>"
    return "text/html; charset=utf-8", html.encode()


def test_each_page_is_fetched_once_and_both_topics_find_theirs(tmp_path):
    web = {f"http://{side}{n}.example/": page(side, n) for side in SIDES for n in range(PAGES)}
    warc = write_warc(tmp_path / "web.warc", web)
    with replay_server(warc) as served:
        both = ("-a", "topic=tourism,sport", "-s", "TOPICSPIDER_PAGE_SCORER=bm25")
        ended = crawl(tmp_path, served.proxy_url, *both, seeds="http://tour0.example/")
        asked = Counter(line["host"] for line in served.log() if line["path"] == "/")
    assert ended.exit_code == 0, ended.err
    assert max(asked.values()) == 1
    with sqlite3.connect(tmp_path / "data" / "tourism+sport" / "pages.db") as database:
        hits = set(database.execute("SELECT topic, substr(url, 8, 4) FROM pages WHERE on_topic = 1"))
        models = database.execute("SELECT crawl, number FROM models").fetchall()
    assert hits == {("tourism", "tour"), ("sport", "game")}
    sides = Counter(host[:4] for host in asked)
    assert sides["tour"] == sides["game"] == PAGES
    assert [name for name, _number in models] == ["tourism+sport"]  # kept once, and again while a slow crawl runs
