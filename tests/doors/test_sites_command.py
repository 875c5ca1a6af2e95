"""``scrapy sites``: what each site has given, in a terminal of 80 columns, as JSON and CSV, from either store."""

from __future__ import annotations

import csv
import io
import json
from contextlib import closing
from functools import partial

import pytest

from support.crawling import crawl, in_80_columns
from support.site import small_web, travel_web
from support.store_rows import page
from topicspider.store.location import open_store
from topicspider.store.rows import Batch

CHINESE = "xn--zfvz1q.example"  # 旅游.example
LONG = "a-very-long-name-of-a-site-that-does-not-fit.and-then-some-more.example"
POOR = "b.example"


run = partial(in_80_columns, "sites")


def told(folder, *arguments):
    """What it says as JSON of the only topic."""
    ended = run(folder, *arguments, "--json", wide=True)
    assert (ended.exit_code, ended.err) == (0, ""), ended.err
    (topic,) = json.loads(ended.out)
    return topic


def fill(store):
    """30 hits of a Chinese host, 100 misses of another, a page of one with a long name."""
    rows = [
        page(f"http://{CHINESE}/页{n}", host=CHINESE, duplicate_of="", download_time=0.25, referrer="")
        for n in range(30)
    ]
    rows += [page(f"http://{POOR}/{n}", False, host=POOR, relevance=0.1, duplicate_of="") for n in range(100)]
    rows.append(page(f"https://{LONG}/", host=LONG, port=443, duplicate_of="", referrer=f"http://{POOR}/1"))
    store.write(Batch(pages=rows))


@pytest.fixture
def sites(tmp_path):
    """The folder of a crawl of tourism that has ended."""
    with closing(open_store("", tmp_path / "data" / "tourism" / "pages.db")) as store:
        fill(store)
    return tmp_path


def test_a_table_for_the_terminal(sites):
    ended = run(sites, "tourism")
    assert (ended.exit_code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[0] == "tourism: 3 sites, 131 pages, 31 hits (24%)"
    assert lines[2].split() == ["site", "pages", "hits", "rate", "score", "hub", "auth", "sec", "advice"]
    assert lines[3].split() == ["旅游.example", "30", "30", "100%", "0.30", "0.00", "0.00", "0.25", "raise"]
    assert lines[4].split()[1:] == ["1", "1", "100%", "0.30", "0.00", "1.00", "0.12", "keep"]
    assert lines[5].split() == ["b.example", "100", "0", "0%", "0.10", "1.00", "0.00", "0.12", "drop"]


def test_as_json_and_csv_with_everything(sites):
    topic = told(sites)
    assert (topic["topic"], topic["pages"], topic["hits"]) == ("tourism", 131, 31)
    assert [one["site"] for one in topic["sites"]] == ["旅游.example", LONG, POOR]
    poor = topic["sites"][-1]
    assert (poor["host"], poor["leads"], poor["hit_rate"], poor["advice"]) == (POOR, 1, 0.0, "drop")
    table = run(sites, "--csv", "--sort", "pages", "--limit", "1", wide=True).out.removeprefix("\ufeff")
    (row,) = csv.DictReader(io.StringIO(table))
    assert row == {"topic": "tourism", **{name: str(value) for name, value in poor.items()}}


def test_out_of_mysql_the_topics_apart(tmp_path, mysql_database):
    into = ("-s", f"TOPICSPIDER_STORE={mysql_database}")
    with closing(open_store(mysql_database, tmp_path)) as store:
        fill(store)
        store.write(Batch(pages=[page("http://c.example/", host="c.example", topic="美食", duplicate_of="")]))
    assert len(told(tmp_path, *into, "tourism")["sites"]) == 3
    both = json.loads(run(tmp_path, *into, "--json", wide=True).out)
    assert [(one["topic"], len(one["sites"])) for one in both] == [("tourism", 3), ("美食", 1)]
    assert "Crawled there: tourism, 美食" in run(tmp_path, *into, "food", wide=True).err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("food",), "/data yet. To begin: `scrapy crawl topic -a topic=food`. Hits here ("),
        (("--sort", "random"), "hits, pages, rate"),
        (("--limit", "0"), "above 0"),
        (("tourism", "food"), "say one topic"),
    ],
)
def test_what_is_wrong_is_one_line(sites, arguments, words):
    ended = run(sites, *arguments, wide=True)
    assert ended.exit_code == 2
    assert words in ended.err + ended.out


def test_of_a_crawl_as_it_was(tmp_path):
    with small_web(travel_web()) as web:
        assert crawl(tmp_path, web.proxy, seeds="http://w0.example/p0.html").exit_code == 0
    topic = told(tmp_path)
    assert (topic["pages"], sum(one["pages"] for one in topic["sites"])) == (40, 40)
    assert topic["hits"] + sum(one["copies"] for one in topic["sites"]) == 14
    assert all(one["response_seconds"] > 0 for one in topic["sites"])
