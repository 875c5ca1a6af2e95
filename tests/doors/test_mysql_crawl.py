"""Whole crawls into a real MySQL: as with SQLite, and through the death of either side."""

from __future__ import annotations

import re
import signal
import time
from pathlib import Path

import pytest

from tests.crawling import NO_DELAYS, crawl, environment, items, start, stop_after, stored
from tests.servers import fresh_database, run_sql
from tests.site import small_web, travel_web
from topicspider.items import PageItem
from topicspider.store.open import open_store

SEED = "http://w0.example/p0.html"
PASSING = {"fetched_at", "date", "download_time"}  # differ from crawl to crawl


@pytest.fixture
def database(mysql_server):
    """An empty database on a server that the test may kill."""
    with fresh_database(mysql_server.url) as url:
        yield url
        if mysql_server._process is None:
            mysql_server.start()


def into(database: str) -> tuple[str, ...]:
    return ("-s", f"TOPICSPIDER_STORE={database}")


def begin(folder: Path, proxy: str, database: str):
    arguments = ["crawl", "topic", "-a", "topic=tourism", "-a", f"seeds={SEED}", *NO_DELAYS, *into(database)]
    return start([*arguments, "-s", "CONCURRENT_REQUESTS=4"], folder, environment(proxy))


def in_mysql(database: str) -> dict[str, bool]:
    """URL to on-topic; fails when a page is there twice."""
    rows = run_sql(database, "SELECT url, on_topic FROM pages")
    pages = {str(url): bool(on_topic) for url, on_topic in rows}
    assert len(pages) == len(rows)
    return pages


def on_topic(pages: int) -> dict[str, bool]:
    return {url: int(re.search(r"p(\d+)", url)[1]) % 3 == 0 for url in travel_web(pages)}


def test_a_crawl_with_jieba_into_mysql_is_the_same_as_into_sqlite(tmp_path, mysql_database):
    jieba = ("-s", "TOPICSPIDER_SEGMENTER=jieba", "-O", "hits.jsonl")
    for name in ("sqlite", "mysql"):
        (tmp_path / name).mkdir()
    with small_web(travel_web()) as web:
        first = crawl(tmp_path / "sqlite", web.proxy, *jieba, seeds=SEED)
        second = crawl(tmp_path / "mysql", web.proxy, *jieba, *into(mysql_database), seeds=SEED)
    assert (first.exit_code, second.exit_code) == (0, 0), first.err + second.err
    assert in_mysql(mysql_database) == stored(tmp_path / "sqlite") == on_topic(40)
    assert not (tmp_path / "mysql" / "data" / "tourism" / "pages.db").exists()
    assert mysql_database.split(":")[2].rpartition("@")[0] not in second.err

    def comparable(item):
        return {key: value for key, value in item.items() if key not in PASSING}

    by_url = {item["url"]: comparable(item) for item in items(tmp_path / "sqlite" / "hits.jsonl")}
    fed = {item["url"]: item for item in items(tmp_path / "mysql" / "hits.jsonl")}
    assert {url: comparable(item) for url, item in fed.items()} == by_url
    store = open_store(mysql_database, tmp_path / "unused.db")
    try:
        for url, item in fed.items():
            assert store.page("tourism", url).item == PageItem(**item)
    finally:
        store.close()


def test_mysql_killed_and_started_again_in_the_middle_loses_and_doubles_nothing(tmp_path, mysql_server, database):
    """S2, and the crawl ends by itself"""
    with small_web(travel_web(60), latency=0.03) as web:
        process = begin(tmp_path, web.proxy, database)
        while len(web.pages()) < 20:
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        mysql_server.kill()
        time.sleep(2)
        assert process.poll() is None
        mysql_server.start()
        _out, err = process.communicate(timeout=90)
    assert process.returncode == 0, err
    assert "the store is away" in err
    assert "the store is back" in err
    assert in_mysql(database) == on_topic(60)
    assert sorted(web.pages()) == sorted(travel_web(60))


def test_ctrl_c_while_mysql_is_away_ends_soon_and_the_pages_are_fetched_again(tmp_path, mysql_server, database):
    with small_web(travel_web(60), latency=0.03) as web:
        process = begin(tmp_path, web.proxy, database)
        while len(web.pages()) < 15:
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        mysql_server.kill()
        time.sleep(1)
        ended = stop_after(process, lambda: True, signal.SIGINT)
        assert ended.exit_code == 130, ended.err
        assert ended.seconds < 30
        assert "Traceback" not in ended.err
        mysql_server.start()
        again = crawl(tmp_path, web.proxy, *into(database), seeds=SEED)
    assert again.exit_code == 0, again.err
    assert in_mysql(database) == on_topic(60)


def test_a_crawl_killed_with_kill_9_goes_on_into_mysql(tmp_path, mysql_database):
    """F1, F3, S1"""
    with small_web(travel_web(60), latency=0.03) as web:
        process = begin(tmp_path, web.proxy, mysql_database)
        stop_after(process, lambda: len(web.pages()) >= 20, signal.SIGKILL)
        again = crawl(tmp_path, web.proxy, *into(mysql_database), seeds=SEED)
    assert again.exit_code == 0, again.err
    assert in_mysql(mysql_database) == on_topic(60)
    assert len(web.pages()) - len(set(web.pages())) <= 4
