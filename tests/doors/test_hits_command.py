"""``scrapy hits`` and ``scrapy export``: what was crawled is found, in a terminal of 80 columns, and written to files."""

from __future__ import annotations

import csv
import io
import json
from contextlib import closing

import pytest

from support.crawling import crawl, environment, items, scrapy
from support.site import small_web, travel_web
from tests.search.conftest import hit
from topicspider.store.location import open_store
from topicspider.store.rows import Batch, NoPageResponse
from topicspider.text.terminal import width

SEED = "http://w0.example/p0.html"


def run(folder, *arguments, env=None):
    ended = scrapy(list(arguments), folder, env or environment("", COLUMNS="80"))
    assert "Traceback" not in ended.err
    return ended


def store(folder, topic="tourism", url=""):
    rows = [
        hit("1", "桂林山水甲天下，漓江竹筏一日游攻略与门票价格表全解，最新", "漓江两岸坐竹筏最好。" * 9, topic=topic),
        hit("2", "臺灣旅遊", "\x1b[31m ＡＢＣ高鐵", topic=topic, relevance=0.9),
        hit("3", "A hotel near the lake", "=1+1 boats", topic=topic, published="2025-01-01"),
    ]
    with closing(open_store(url, folder / "data" / topic / "pages.db", 0)) as made:
        made.write(Batch(pages=rows))


@pytest.fixture
def library(tmp_path):
    store(tmp_path)
    return tmp_path


def test_hits_in_a_terminal(library):
    ended = run(library, "hits", "漓江竹筏", "--facets")
    assert (ended.exit_code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[0] == "1 hit"
    assert lines[2].startswith(" 1. 桂林山水甲天下")
    assert lines[2].endswith("0.30  2026-05-01")
    assert [line for line in lines if width(line) > 80] == []
    assert "site      a.example 1" in ended.out
    assert "\x1b" not in run(library, "hits").out


def test_a_hit_that_is_gone_is_marked(library):
    with closing(open_store("", library / "data/tourism/pages.db", 0)) as made:
        made.write(Batch(visits=[NoPageResponse("tourism", "http://a.example/1", "2026-11-22T05:00:00Z", 410)]))
    marked = [line.split()[-1] for line in run(library, "hits").out.splitlines() if "http" in line]
    assert sorted(marked) == ["gone", "http://a.example/2", "http://a.example/3"]


def test_hits_for_programs(library):
    told = json.loads(run(library, "hits", "旅由", "--json").out)
    assert told["total"] == 0
    told = json.loads(run(library, "hits", "ＡＢＣ", "min:0.5", "--json", "--facets").out)
    assert [one["title"] for one in told["hits"]] == ["臺灣旅遊"]
    assert told["hits"][0]["snippet_html"].endswith("<mark>ＡＢＣ</mark>高鐵")
    assert told["facets"]["year"] == {"2026": 1}
    table = run(library, "hits", "--csv", "--sort", "date").out
    assert table.startswith("\ufeff")
    rows = list(csv.DictReader(io.StringIO(table.removeprefix("\ufeff"))))
    assert [row["published"] for row in rows] == ["2026-05-01", "2026-05-01", "2025-01-01"]
    assert rows[2]["snippet"].startswith("'=1+1")
    (names,) = run(library, "hits", "火星", "--csv").out.splitlines()
    assert names == table.splitlines()[0]


def test_the_answer_speaks_chinese(library):
    ended = run(library, "hits", "桂林", "火星", env=environment("", COLUMNS="60", LC_ALL="zh_CN.UTF-8"))
    assert "没有同时含有所有词的网页" in ended.out
    assert [line for line in ended.out.splitlines() if width(line) > 60] == []


def test_without_a_topic_the_hits_of_all_crawls_are_searched_the_best_first(library):
    store(library, "food")
    shown = run(library, "hits", "桂林").out.splitlines()
    assert sorted(line.split()[-1] for line in shown if "http" in line) == ["food", "tourism"]
    ended = run(library, "hits", "桂林", "--facets", "--json")
    found = json.loads(ended.out)
    assert (found["total"], found["facets"]["topic"]) == (2, {"tourism": 1, "food": 1})
    assert sorted(hit["topic"] for hit in found["hits"]) == ["food", "tourism"]
    days = [hit["published"] for hit in json.loads(run(library, "hits", "--sort", "date", "--json").out)["hits"]]
    assert (len(days), days) == (6, sorted(days, reverse=True))
    assert "--topic is missing" in run(library, "export", "-o", "hits.csv").err


def test_a_query_calls_a_topic_as_a_crawl_does(library):
    store(library, "food")
    store(library, "D33_37")
    meant = {"旅游": "tourism", "旅遊": "tourism", "food": "food", "d33/37": "D33_37"}
    for name, topic in meant.items():
        found = json.loads(run(library, "hits", f"topic:{name}", "--json").out)["hits"]
        assert {hit["topic"] for hit in found} == {topic}, name
    assert "0 hits" in run(library, "hits", "topic:topics/tourism.yaml").out


def test_a_crawl_whose_topic_file_is_gone_is_found_by_its_name(library):
    store(library, "钓鱼")
    assert run(library, "hits", "--topic", "钓鱼", "桂林").out.startswith("1 hit\n")
    assert run(library, "export", "--topic", "钓鱼", "-o", "hits.csv").out == "hits.csv: 3 hits\n"


def test_where_nothing_was_crawled_the_hits_of_the_demo_are_searched(tmp_path):
    store(tmp_path, "demo/focused/tourism")
    assert run(tmp_path, "hits", "火星").out == f"0 hits\nlooked in {tmp_path}/data/demo/focused/tourism\n"
    store(tmp_path)
    assert run(tmp_path, "hits", "火星").out == f"0 hits\nlooked in {tmp_path}/data/tourism\n"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("hits", "--topic", "food"), 2, "/data): tourism"),
        (("hits", "--sort", "random"), 2, "best, score, date, priority"),
        (("hits", "--limit", "0"), 2, "1 to 10000"),
        (("hits", "-s", "TOPICSPIDER_STORE=memory:"), 2, "gone with"),
        (("hits", "-s", "TOPICSPIDER_DATA=none"), 2, "scrapy crawl topic"),
        (("hits", "type:", "news"), 2, "type: '' is not valid; allowed: a word behind the colon"),
        (("hits", "min:2"), 2, "min: '2' is not valid; allowed: a number from 0 to 1"),
        (("export", "after:2026-99", "-o", "hits.csv"), 2, "after: '2026-99' is not valid; allowed: a year"),
        (("hits", "--limt", "3"), 2, "Did you mean --limit?"),
        (("export", "桂林"), 2, "-o is missing; needed: a file to write"),
        (("export", "-o", "hits.doc"), 2, ".parquet"),
        (("export", "-o", "none/hits.csv"), 2, "a folder that exists"),
    ],
)
def test_what_is_wrong_is_one_line_and_an_exit_code(library, arguments, code, words):
    ended = run(library, *arguments)
    assert (ended.exit_code, ended.out) == (code, ""), ended.err
    (line,) = ended.err.splitlines()
    assert words in line


def test_export_writes_exactly_the_query(library):
    ended = run(library, "export", "桂林", "-o", "some.jsonl")
    assert (ended.exit_code, ended.out, ended.err) == (0, "some.jsonl: 1 hit\n", "")
    assert [one["url"][-1] for one in items(library / "some.jsonl")] == ["1"]
    again = run(library, "export", "-o", "some.jsonl")
    assert (again.exit_code, "--force" in again.err) == (2, True)
    assert run(library, "export", "--force", "-o", "some.jsonl").out == "some.jsonl: 3 hits\n"
    assert run(library, "export").exit_code == 2


def test_hits_in_mysql(tmp_path, mysql_database):
    for topic in ("tourism", "food"):
        store(tmp_path, topic, mysql_database)
    named = ("-s", f"TOPICSPIDER_STORE={mysql_database}")
    assert run(tmp_path, "hits", "桂林", *named).out.startswith("2 hits")
    assert run(tmp_path, "hits", "桂林", "--topic", "food", *named).out.startswith("1 hit\n")
    assert (tmp_path / "data" / "food" / "search.db").exists()


def test_what_a_crawl_found_is_found(tmp_path):
    with small_web(travel_web()) as web:
        assert crawl(tmp_path, web.proxy, "-a", "max_pages=15", "-O", "feed.jsonl", seeds=SEED).exit_code == 0
    assert run(tmp_path, "export", "--copies", "-o", "all.jsonl").exit_code == 0
    feed = {one["url"]: one for one in items(tmp_path / "feed.jsonl")}
    exported = {one["url"]: one for one in items(tmp_path / "all.jsonl")}
    assert exported == feed
    assert json.loads(run(tmp_path, "hits", "旅游", "--json", "--copies").out)["total"] == len(feed)
