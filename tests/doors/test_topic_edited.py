"""Editing the topic's file while its crawl runs changes what is fetched after; a broken edit changes nothing."""

from __future__ import annotations

import sqlite3

from support.crawling import begin, wait_until
from support.site import Answer, small_web
from topicspider.store.sqlite import SqliteDatabase
from topicspider.store.store import Store
from topicspider.store.topics import StoredTopics

SIDES = 40
TOURISM = "title: 旅行\nterms: {旅游: 1, 景点: 0.9, 门票: 0.7}\n"
FOOD = "title: 旅行\nterms: {菜谱: 1, 川菜: 0.9, 小炒: 0.7}\n"
WORDS = {"tour": "旅游景点门票", "food": "川菜菜谱小炒"}


def page(side: str, number: int) -> Answer:
    """Of the tourism or of the food side; each names the next few of both."""
    words = WORDS[side]
    links = "".join(
        f"<p><a href='http://{other}{n}.example/'>{text}第{n}页</a></p>"
        for other, text in WORDS.items()
        for n in range(number + 1, min(number + 9, SIDES))
    )
    body = f"<p>{(words + '，今天的') * 12}第{number}篇。</p>"
    return Answer(f"<html><head><title>{words}第{number}页</title></head><body>{body}{links}</body></html>")


WEB = {f"http://{side}{n}.example/": page(side, n) for side in WORDS for n in range(SIDES)}


def sides(pages):
    return [url.split("//")[1][:4] for url in pages]


def edited_crawl(folder, served, text):
    """Crawl; after eight pages the topic file is written anew. Returns exit code and log."""
    file = folder / "travel.yaml"
    file.write_text(TOURISM, encoding="utf-8")
    (folder / "new").write_text(text, encoding="utf-8")
    return crawl_with_edit(folder, served, lambda: (folder / "new").replace(file), f"topic={file}")


def crawl_with_edit(folder, served, edit, topic, pages=45):
    """Crawl; ``edit`` after eight pages. Returns exit code and log."""
    own = {"TOPICSPIDER_STORE": f"sqlite:///{folder / 'all.db'}", "CONCURRENT_REQUESTS": 1, "LOG_LEVEL": "INFO"}
    given = ("-a", topic, "-a", f"max_pages={pages}")
    process = begin(folder, served.proxy, *given, seeds="http://tour0.example/", **own)
    wait_until(lambda: len(served.pages()) >= 8, process)
    edit()
    _, err = process.communicate(timeout=90)
    return process.returncode, err


def test_a_topic_that_only_the_store_has_is_crawled_and_followed(tmp_path):
    store = Store(SqliteDatabase(tmp_path / "all.db"))
    shelf = StoredTopics(store.database)

    def put(text):
        shelf.put(text.encode(), "travel", "travel")

    put(TOURISM)
    with small_web(WEB, latency=0.25) as served:
        exit_code, err = crawl_with_edit(tmp_path, served, lambda: put(FOOD), "topic=travel", 54)
    store.close()
    assert exit_code == 0, err
    fetched = sides(served.pages())
    assert set(fetched[:8]) == {"tour"}
    assert "food" * 8 in "".join(fetched), fetched
    assert err.count("the topic has changed") == 1


def test_what_is_fetched_follows_the_new_topic(tmp_path):
    with small_web(WEB, latency=0.25) as served:
        exit_code, err = edited_crawl(tmp_path, served, FOOD)
    assert exit_code == 0, err
    fetched = sides(served.pages())
    assert set(fetched[:8]) == {"tour"}
    assert fetched[-15:].count("food") >= 14, fetched
    assert err.count("the topic has changed") == 1
    with sqlite3.connect(tmp_path / "all.db") as database:
        hits = [url for (url,) in database.execute("SELECT url FROM pages WHERE on_topic = 1 ORDER BY id")]
        ((digest,),) = database.execute("SELECT topic_digest FROM crawls")
    assert {"tour", "food"} == set(sides(hits))
    assert set(sides(hits)[-10:]) == {"food"}
    assert digest in err


def test_a_broken_edit_is_one_line_and_the_old_topic_stays(tmp_path):
    with small_web(WEB, latency=0.15) as served:
        exit_code, err = edited_crawl(tmp_path, served, "terms: [旅游\n")
    assert exit_code == 0, err
    assert err.count("the topic stays as it was: ") == 1
    assert "Traceback" not in err
    assert sides(served.pages())[:SIDES].count("tour") == SIDES
