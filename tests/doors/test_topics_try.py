"""``scrapy topics try``: an edited topic judges the pages of the crawl, hits or not, and changes nothing."""

from __future__ import annotations

import json

from support.crawling import crawl, environment, scrapy
from support.site import page, small_web

TEA = "茶叶按照发酵程度分为绿茶、红茶和乌龙茶。泡茶的水温不同，茶汤的滋味也不同。" * 3
COFFEE = "手冲咖啡先磨咖啡豆，咖啡馆的拿铁加牛奶，咖啡因使人清醒。" * 3
WEB = {
    "http://a.example/": page("茶叶", TEA, {"http://a.example/coffee": "咖啡", "http://a.example/code": "程序"}),
    "http://a.example/coffee": page("咖啡豆", COFFEE),
    "http://a.example/code": page("编译器", "指针数组内存函数返回类型报错。" * 9),
}
TOPIC = "title: 茶叶\nterms: {茶叶: 10, 绿茶: 8, 泡茶: 5}\n"
EDITED = "name: tea\ntitle: 咖啡\nterms: {咖啡: 10, 咖啡豆: 8, 手冲咖啡: 6, 咖啡馆: 5}\n"
BY_WORDS = ("-s", "TOPICSPIDER_PAGE_SCORER=bm25")


def test_hits_won_and_lost_are_shown_and_nothing_is_saved(tmp_path):
    (tmp_path / "tea.yaml").write_text(TOPIC, encoding="utf-8")
    (tmp_path / "edited.yaml").write_text(EDITED, encoding="utf-8")
    with small_web(WEB) as web:
        ended = crawl(
            tmp_path,
            web.proxy,
            "-a",
            "topic=tea.yaml",
            *BY_WORDS,
            "-s",
            "TOPICSPIDER_LINK_POLICY=bfs",
            seeds="http://a.example/",
        )
    assert ended.exit_code == 0, ended.err
    files = {path: path.read_bytes() for path in tmp_path.glob("*.yaml")}
    tried = ["topics", "try", "tea.yaml", "--edit", "edited.yaml", *BY_WORDS]
    shown = scrapy(tried, tmp_path, environment("http://127.0.0.1:1"))
    assert shown.exit_code == 0, shown.err
    assert "3 pages: 1 on topic before, 1 after" in shown.out
    assert "hits won: 1\n  0.00 → " in shown.out
    lines = scrapy([*tried, "--json"], tmp_path, environment("http://127.0.0.1:1")).out.splitlines()
    assert {(one["change"], one["url"]) for one in map(json.loads, lines)} == {
        ("won", "http://a.example/coffee"),
        ("lost", "http://a.example/"),
    }
    assert {path: path.read_bytes() for path in tmp_path.glob("*.yaml")} == files


def test_a_topic_that_was_not_crawled_is_one_line(tmp_path):
    (tmp_path / "edited.yaml").write_text(EDITED, encoding="utf-8")
    shown = scrapy(["topics", "try", "tourism", "--edit", "edited.yaml"], tmp_path, environment("http://127.0.0.1:1"))
    assert shown.exit_code == 2
    assert len(shown.err.splitlines()) == 1
    assert "tourism" in shown.err
