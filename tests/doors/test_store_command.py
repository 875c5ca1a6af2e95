"""``scrapy store``, as a user types it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from support.crawling import crawl, scrapy, stored
from support.site import small_web, travel_web
from support.store_rows import page
from topicspider.frontier.sqlite.file import FileLock
from topicspider.store.location import open_store
from topicspider.store.outbox import Outbox
from topicspider.store.rows import Batch

SEED = "http://w0.example/p0.html"


@pytest.fixture
def folder(tmp_path):
    """The folder of a crawl that was made: pages of tourism in data/tourism/pages.db."""
    path = tmp_path / "data" / "tourism" / "pages.db"
    with closing(open_store("", path)) as store:
        store.write(
            Batch([page(f"http://a.example/页{number}", number % 3 == 0, duplicate_of="") for number in range(30)])
        )
    return tmp_path


def run(folder, *words):
    return scrapy(["store", *words], folder)


def test_check_counts_and_says_that_all_is_well(folder):
    ended = run(folder, "--topic", "tourism")
    assert ended.exit_code == 0, ended.err
    assert "tourism: 30 pages, 10 hits" in ended.out
    assert "all is well" in ended.out
    frontier = folder / "data" / "tourism" / "frontier.db"
    frontier.write_bytes(b"no database " * 1000)
    assert run(folder, "--topic", "tourism").out == ended.out
    frontier.unlink()
    with closing(Outbox(folder / "data" / "tourism" / "outbox.db")) as outbox:
        outbox.append([Batch([page()])])
    told = json.loads(run(folder, "--topic", "tourism", "check", "--json").out)
    assert (told["rows_in_outbox"], told["findings"]) == (1, [])
    assert told["topics"] == [{"topic": "tourism", "pages": 30, "hits": 10}]


def test_copy_into_mysql_and_back(folder, mysql_database):
    there, back = run(folder, "copy", "tourism", mysql_database), folder / "back.db"
    assert there.exit_code == 0, there.err
    assert "pages 30" in there.out
    assert run(folder, "copy", mysql_database, f"sqlite:///{back}").exit_code == 0
    newest = run(folder, f"sqlite:///{back}", "migrate")
    assert (newest.exit_code, "version 10 now" in newest.out) == (0, True), newest.err
    with closing(open_store(f"sqlite:///{back}", back)) as store:
        assert store.totals("tourism").hits == 10


def test_backup_and_vacuum_with_a_quota(folder):
    assert run(folder, "--topic", "tourism", "backup", "pages.bak").exit_code == 0
    ended = run(folder, "--topic", "tourism", "vacuum", "-s", "TOPICSPIDER_QUOTA_PAGES=5")
    assert (ended.exit_code, "25 pages beyond" in ended.out) == (0, True), ended.err
    assert (
        stored(folder) == {f"http://a.example/页{number}": True for number in range(0, 30, 3)[-5:]}
        or len(stored(folder)) == 5
    )
    with closing(open_store(f"sqlite:///{folder / 'pages.bak'}", folder)) as store:
        assert store.totals("tourism").pages == 30


@pytest.mark.parametrize("words", [("--topic", "tourism"), ("sqlite:///data/tourism/pages.db",)])
def test_vacuum_is_refused_while_the_crawl_runs(folder, words):
    lock = FileLock(folder / "data" / "tourism" / "frontier.db")
    refused = run(folder, *words, "vacuum", "-s", "TOPICSPIDER_QUOTA_PAGES=5")
    assert (refused.exit_code, "crawls into" in refused.err, len(stored(folder))) == (4, True, 30), refused.err
    assert run(folder, *words, "check").exit_code == 0
    lock.release()
    assert run(folder, *words, "vacuum").exit_code == 0


def test_a_crawl_keeps_to_its_quota(tmp_path):
    with small_web(travel_web()) as web:
        ended = crawl(tmp_path, web.proxy, "-s", "TOPICSPIDER_QUOTA_PAGES=20", seeds=SEED)
    assert ended.exit_code == 0, ended.err
    kept = stored(tmp_path)
    assert (len(kept), sum(kept.values())) == (20, 14)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--topic", "tourism", "nothing"), "--help` says more"),
        (("--topic", "tourism", "migrate", "4"), "--help` says more"),
        (("mariadb://me:geheim7@127.0.0.1/db", "check"), "--help` says more"),
        (("sqlite:////nowhere/pages.db", "check"), "a store that exists"),
        (("--topic", "food"), "food: nothing was crawled for it in data/food yet"),
        (("--topic", "tourism", "backup", "nowhere/b.db"), "a file in a folder that exists"),
        (("copy", "tourism", "tourism"), "another store"),
        (("copy", "mysql://me:geheim7@127.0.0.1:1/db", "tourism", "-s", "TOPICSPIDER_CONNECT_WAIT=0"), "127.0.0.1"),
    ],
)
def test_what_cannot_be_done_is_one_line_without_a_password(folder, words, expected):
    ended = run(folder, *words)
    assert ended.exit_code != 0
    assert expected in ended.err + ended.out
    assert "Traceback" not in ended.err
    assert "geheim7" not in ended.err + ended.out


@pytest.mark.parametrize(("policy", "rank_of_the_seed"), [("ipagerank", 0.15), ("learned", None)])
def test_pages_have_the_rank_that_they_had_when_they_were_judged(tmp_path, policy, rank_of_the_seed):
    """(a) Li 2002's intermediate record: 1 - d, for nobody had linked to the seed yet."""
    with small_web(travel_web(3)) as web:
        crawl(tmp_path, web.proxy, "-s", f"TOPICSPIDER_LINK_POLICY={policy}", seeds=SEED)
    with closing(sqlite3.connect(tmp_path / "data" / "tourism" / "pages.db")) as file:
        ranks = dict(file.execute("SELECT url, ROUND(score_ipagerank, 6) FROM pages"))
    assert ranks[SEED] == rank_of_the_seed
