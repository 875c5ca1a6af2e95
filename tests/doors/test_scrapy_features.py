"""What Scrapy can do, it still does: shell, parse, cache, feeds, settings, help."""

from __future__ import annotations

import csv
import json
import sqlite3
from dataclasses import fields
from xml.etree import ElementTree

import pytest

from support.crawling import NO_DELAYS, crawl, environment, items, scrapy
from support.site import small_web, travel_web
from topicspider.items import PageItem

SEED = "http://w0.example/p0.html"
FIELDS = {field.name for field in fields(PageItem)}
TITLE = 'response.css("h1::text").get()'


@pytest.mark.parametrize("more", [[], ["-s", "TOPICSPIDER_TOPIC=tourism"], ["--spider=topic"]])
def test_the_shell_fetches_politely_with_and_without_a_topic(tmp_path, more):
    with small_web(travel_web(3)) as web:
        ended = scrapy(["shell", *more, "-c", TITLE, SEED], tmp_path, environment(web.proxy), timeout=30)
    assert ended.exit_code == 0, ended.err
    assert ended.out.strip() == "旅游日记第0篇"
    assert [one.url for one in web.asked] == ["http://w0.example/robots.txt", SEED]
    assert not (tmp_path / "data").exists()


def test_fetch_shows_a_page_twice_if_asked_twice(tmp_path):
    with small_web(travel_web(3)) as web:
        command = ["fetch", "--nolog", "-s", "TOPICSPIDER_TOPIC=tourism", SEED]
        shown = [scrapy(command, tmp_path, environment(web.proxy), timeout=30).out for _ in range(2)]
    assert all("旅游日记第0篇" in text for text in shown)
    assert not (tmp_path / "data").exists()


def kept(folder):
    """All rows of the crawl's frontier and store."""
    rows = {}
    for name in ("frontier.db", "pages.db", "crawl.db"):
        with sqlite3.connect(folder / "data" / "tourism" / name) as database:
            tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            rows[name] = {table: sorted(map(repr, database.execute(f"SELECT * FROM {table}"))) for table in tables}
    return rows


def parse(folder, web):
    return scrapy(
        ["parse", "--spider=topic", "-a", "topic=tourism", "--nocolour", SEED, *NO_DELAYS],
        folder,
        environment(web.proxy),
        timeout=40,
    )


def test_parse_shows_the_item_and_the_judged_links_and_touches_no_crawl(tmp_path):
    with small_web(travel_web(12)) as web:
        crawl(tmp_path, web.proxy, "-a", "max_pages=4", seeds=SEED)
        before = kept(tmp_path)
        status = (tmp_path / "data/tourism/status.json").read_bytes()
        ended = parse(tmp_path, web)
    assert ended.exit_code == 0, ended.err
    for words in ("'title': '旅游日记第0篇'", "石板路", "'vsm': 0.", "<GET http://w3.example/p3.html>"):
        assert words in ended.out
    assert kept(tmp_path) == before
    assert (tmp_path / "data/tourism/status.json").read_bytes() == status


def test_the_http_cache_serves_a_second_crawl_without_a_request(tmp_path):
    cached = ["-s", "HTTPCACHE_ENABLED=1"]
    with small_web(travel_web(15)) as web:
        first = crawl(tmp_path, web.proxy, *cached, "-O", "first.jsonl", seeds=SEED)
        asked = len(web.asked)
        second = crawl(tmp_path, web.proxy, *cached, "-a", "fresh=1", "-O", "second.jsonl", seeds=SEED)
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert len(web.asked) == asked
    found = [{item["url"] for item in items(tmp_path / name)} for name in ("first.jsonl", "second.jsonl")]
    assert found[0] == found[1] != set()


def test_feeds_are_read_back_in_every_format_with_every_field(tmp_path):
    outputs = [part for kind in ("json", "jsonl", "csv", "xml") for part in ("-O", f"hits.{kind}")]
    with small_web(travel_web(8)) as web:
        ended = crawl(tmp_path, web.proxy, *outputs, seeds=SEED)
    assert ended.exit_code == 0, ended.err
    lines = items(tmp_path / "hits.jsonl")
    as_json = json.loads((tmp_path / "hits.json").read_text(encoding="utf-8"))
    with (tmp_path / "hits.csv").open(encoding="utf-8", newline="") as file:
        as_csv = list(csv.DictReader(file))
    as_xml = ElementTree.parse(tmp_path / "hits.xml").getroot().findall("item")
    assert as_json == lines
    assert set(as_csv[0]) == {field.tag for field in as_xml[0]} == set(lines[0]) == FIELDS
    for name in ("url", "title", "body"):
        values = [item[name] for item in lines]
        assert [row[name] for row in as_csv] == [row.findtext(name) for row in as_xml] == values
    assert any("旅游" in row["title"] for row in as_csv)


def test_an_unknown_spider_is_one_clear_line(tmp_path):
    ended = scrapy(["crawl", "tourism"], tmp_path, timeout=30)
    assert ended.exit_code == 2
    (line,) = [line for line in ended.err.splitlines() if "topicspider:" in line]
    assert "spider: 'tourism' is not valid; allowed: topic" in line
    assert "scrapy crawl topic -a topic=tourism" in line
    assert "Traceback" not in ended.err


def test_a_limit_of_scrapy_that_is_reached_is_no_failure(tmp_path):
    with small_web(travel_web(900, hosts=2), latency=0.05) as web:
        ended = crawl(tmp_path, web.proxy, "-s", "CLOSESPIDER_TIMEOUT=2", seeds=SEED)
    assert ended.exit_code == 0, ended.err
    assert "closespider_timeout" in ended.err
