"""Whole crawls into a real MySQL: as with SQLite, and through the death of the crawl (test_mysql_outage_crawl: of MySQL)."""

from __future__ import annotations

import re
import signal

from support.crawling import begin, crawl, items, stop_after, stored
from support.servers import run_sql
from support.site import small_web, travel_web
from topicspider.items import PageItem
from topicspider.store.location import open_store

SEED = "http://w0.example/p0.html"
PASSING = {"fetched_at", "date", "download_time"}  # differ from crawl to crawl


def into(database: str) -> tuple[str, ...]:
    return ("-s", f"TOPICSPIDER_STORE={database}")


def in_mysql(database: str) -> dict[str, bool]:
    """URL to on-topic; fails when a page is there twice."""
    rows = run_sql(database, "SELECT url, on_topic FROM pages")
    pages = {str(url): bool(on_topic) for url, on_topic in rows}
    assert len(pages) == len(rows)
    return pages


def on_topic(pages: int) -> dict[str, bool]:
    return {url: int(re.search(r"p(\d+)", url)[1]) % 3 == 0 for url in travel_web(pages)}


def test_a_crawl_into_mysql_is_the_same_as_into_sqlite(tmp_path, mysql_database):
    hits = ("-O", "hits.jsonl")
    for name in ("sqlite", "mysql"):
        (tmp_path / name).mkdir()
    with small_web(travel_web()) as web:
        first = crawl(tmp_path / "sqlite", web.proxy, *hits, seeds=SEED)
        second = crawl(tmp_path / "mysql", web.proxy, *hits, *into(mysql_database), seeds=SEED)
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


def test_a_crawl_killed_with_kill_9_goes_on_into_mysql(tmp_path, mysql_database):
    """Promises F1, F3, S1."""
    with small_web(travel_web(60), latency=0.03) as web:
        process = begin(tmp_path, web.proxy, *into(mysql_database), seeds=SEED, CONCURRENT_REQUESTS=4)
        stop_after(process, lambda: len(web.pages()) >= 20, signal.SIGKILL)
        again = crawl(tmp_path, web.proxy, *into(mysql_database), seeds=SEED)
    assert again.exit_code == 0, again.err
    assert in_mysql(mysql_database) == on_topic(60)
    assert len(web.pages()) - len(set(web.pages())) <= 4
