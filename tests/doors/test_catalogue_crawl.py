"""A crawl of the whole catalogue: a page is kept by the classes that stand out on it, and the map shows them."""

from __future__ import annotations

import json
import sqlite3
from random import Random

from support.crawling import crawl, environment, scrapy
from support.replaying import replay_server, write_warc
from topicspider.topic.class_topics import class_topic, class_topics

NUMBERS = ["G8", "F8", "J9", "U4", "R5", "K87", "P1", "S6", "TP", "B84", "TS", "V4"]


def web() -> dict[str, tuple[str, bytes]]:
    """A page of three sentences for each class, in a ring of links, and a hub that links to the first three."""
    pages = {}
    rng = Random(7)
    for place, number in enumerate(NUMBERS):
        topic = class_topic(number)
        after = [NUMBERS[(place + step) % len(NUMBERS)] for step in (1, 2, 3)]
        words = list(topic.terms)
        body = "".join(f"<p>{text}{'，'.join(rng.sample(words, 5))}。</p>" for text in topic.texts)
        links = "".join(f"<a href='http://c{one.lower()}.example/'>{class_topic(one).title['zh']}</a>" for one in after)
        html = f"<html lang='zh'><head><meta charset='utf-8'><title>{topic.title['zh']}：{words[1]}与{words[2]}</title></head><body><article>{body}</article><p>{links}</p></body></html>"
        pages[f"http://c{number.lower()}.example/"] = "text/html; charset=utf-8", html.encode()
    return pages


def test_a_crawl_of_all_classes_keeps_each_page_under_its_class_and_shows_the_map(tmp_path):
    warc = write_warc(tmp_path / "web.warc", web())
    with replay_server(warc) as served:
        ended = crawl(tmp_path, served.proxy_url, "-a", "topic=clc", "-a", "balance=even", seeds="http://cg8.example/")
    assert ended.exit_code == 0, ended.err
    with sqlite3.connect(tmp_path / "data" / "clc" / "pages.db") as database:
        rows = database.execute("SELECT topic, url FROM pages WHERE on_topic = 1").fetchall()
        stored = database.execute("SELECT COUNT(DISTINCT url), COUNT(*) FROM pages").fetchone()
    kept = {topic for topic, url in rows if url == f"http://c{topic.lower()}.example/"}
    assert kept == set(NUMBERS)
    assert stored[0] == len(NUMBERS)
    assert stored[1] <= 3 * len(NUMBERS)
    shown = scrapy(["topics", "coverage", "clc", "--json"], tmp_path, environment("http://127.0.0.1:1"))
    counts = {one["topic"]: one["hits"] for one in map(json.loads, shown.out.splitlines())}
    assert len(counts) == len(class_topics())
    assert {number for number in NUMBERS if counts[number]} == set(NUMBERS)
    table = scrapy(["topics", "coverage", "clc"], tmp_path, environment("http://127.0.0.1:1"))
    assert f"of {len(counts)} topics have hits" in table.out
    assert "天文学" in table.out or "Astronomy" in table.out
