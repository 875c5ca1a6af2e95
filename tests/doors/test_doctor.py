"""``scrapy doctor``: what works and what does not, in a terminal of 80 columns, with an honest exit code."""

from __future__ import annotations

import re

import pytest

from support.crawling import begin, crawl, environment, in_80_columns, scrapy, wait_until
from support.site import Answer, small_web, travel_web
from topicspider.cli.doctor import _disk_row as disk_row
from topicspider.crawl_config import CrawlConfig

SEED = "http://w0.example/p0.html"
ROBOTS = "http://w1.example/robots.txt"
PRIVATE, GONE = "http://w1.example/private/", "http://w1.example/gone"
SECRET = "geheim7"


def doctor(folder, proxy, *arguments, seeds=SEED, **env):
    given = ["-a", "topic=tourism", "-a", f"seeds={seeds}", *arguments]
    return in_80_columns("doctor", folder, *given, env=environment(proxy, COLUMNS="80", **env))


def row(ended, what):
    """Mark and words of a row, its wrapped lines joined."""
    rows = re.split(r"\n(?=\S\S  )", ended.out.strip().rpartition("\n")[0])
    (found,) = [text for text in rows if text[4:].startswith(what)]
    return found[:2], " ".join(found[4 + len(what) :].split())


@pytest.fixture(scope="module")
def web():
    pages = {**travel_web(), ROBOTS: Answer("User-agent: *\nDisallow: /private", 200, {"Content-Type": "text/plain"})}
    with small_web(pages) as served:
        yield served


def test_before_the_first_crawl_all_is_well_and_nothing_is_made(tmp_path, web):
    proxy = web.proxy.replace("//", f"//me:{SECRET}@")
    ended = doctor(tmp_path, proxy, seeds=f"{SEED},http://w1.example/p1.html")
    assert ended.exit_code == 0, ended.out
    mark, words = row(ended, SEED)
    assert mark == "ok"
    assert re.fullmatch(r"resolve \d+ ms connect \d+ ms robots.txt 404 first byte \d+ ms via 127\.0\.0\.1:\d+", words)
    assert "robots.txt 200" in row(ended, "http://w1.example/p1.html")[1]
    assert ended.out.endswith("\nAll is well.\n")
    for what in ("store", "frontier"):
        assert "the first crawl makes it" in row(ended, what)[1]
    assert "GB" in row(ended, "disk")[1]
    assert SECRET not in ended.out + ended.err
    own = doctor(tmp_path, web.proxy, "-a", "topic=茶叶", "-s", f"TOPICSPIDER_TOPICS_DIR={tmp_path}")
    assert own.exit_code == 0, own.err
    assert list(tmp_path.iterdir()) == []


def test_a_seed_that_no_crawl_can_use_is_said_to_be_none(tmp_path, web):
    some = doctor(tmp_path, web.proxy, seeds=f"{SEED},{PRIVATE},{GONE}")
    assert (some.exit_code, row(some, SEED)[0]) == (3, "ok")
    assert row(some, PRIVATE) == ("!!", "robots.txt: it forbids this page")
    assert row(some, GONE) == ("!!", "page: 404 Not Found")
    assert some.out.endswith("1 of 3 seeds can be fetched: a crawl can begin there.\n")
    none = doctor(tmp_path, web.proxy, seeds=PRIVATE)
    assert none.out.endswith("No seed can be fetched: a crawl needs another.\n")
    inside = doctor(tmp_path, web.proxy, seeds="http://10.1.2.3/").out.rpartition("  ")[2]
    assert "network" not in inside
    assert "a crawl needs another. Private addresses need TOPICSPIDER_ALLOW_PRIVATE=1" in " ".join(inside.split())
    ended = crawl(tmp_path, web.proxy, "-s", "LOG_LEVEL=WARNING", "-s", "TOPICSPIDER_DATA=out", seeds=PRIVATE)
    hint = f"`scrapy doctor -a topic=tourism -a seeds={PRIVATE} -s TOPICSPIDER_DATA=out` shows each step"
    assert f"robots ×1. {hint}" in ended.err


def test_a_folder_that_cannot_be_written_is_the_disks_trouble(tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)
    config = CrawlConfig.read({"TOPICSPIDER_TOPIC": "tourism", "TOPICSPIDER_DATA": str(tmp_path)})
    assert disk_row(config)[::2] == ("!!", f"{tmp_path} cannot be written; choose another with -s TOPICSPIDER_DATA=DIR")


def test_what_does_not_work_is_marked_with_its_step_and_the_exit_code_is_3(tmp_path):
    seeds = f"{SEED},http://127.0.0.1:1/,http://nothing.invalid/"
    store = f"TOPICSPIDER_STORE=mysql://spider:{SECRET}@127.0.0.1:1/pages"
    frontier = f"TOPICSPIDER_FRONTIER=redis://:{SECRET}@127.0.0.1:1/0"
    ended = doctor(tmp_path, "", "-s", store, "-s", frontier, "-s", "TOPICSPIDER_ALLOW_PRIVATE=1", seeds=seeds)
    assert ended.exit_code == 3
    assert row(ended, "http://127.0.0.1:1/") == ("!!", "connect: Connection refused")
    assert row(ended, "http://nothing.invalid/")[1].startswith("resolve: ")
    assert row(ended, "store")[0] == row(ended, "frontier")[0] == "!!"
    assert "Connection refused" in row(ended, "store")[1]
    assert "Connection refused" in row(ended, "frontier")[1]
    assert SECRET not in ended.out + ended.err


def test_a_closed_proxy_and_a_private_seed_are_named_in_chinese(tmp_path):
    chinese = {"LC_ALL": "zh_CN.UTF-8"}
    ended = doctor(tmp_path, "http://127.0.0.1:1", seeds=f"{SEED},http://10.1.2.3/", **chinese)
    assert ended.exit_code == 3
    assert ended.out.splitlines()[-1].startswith("没有种子应答：网络通吗？")
    assert row(ended, SEED) == ("!!", "代理：连接被拒绝")
    assert row(ended, "http://10.1.2.3/")[1].startswith("拒绝连接：")
    for what in ("存储", "网址队列", "磁盘"):
        assert row(ended, what)[0] == "ok"


@pytest.mark.slow
def test_beside_a_running_crawl_it_disturbs_nothing(tmp_path):
    with small_web(travel_web(240), latency=0.2) as slow:
        crawling = begin(tmp_path, slow.proxy, seeds=SEED)
        wait_until(lambda: len(slow.pages()) >= 3, crawling)
        ended = doctor(tmp_path, slow.proxy)
        assert crawling.poll() is None
        _out, err = crawling.communicate(timeout=90)
    assert ended.exit_code == 0, ended.out
    assert re.search(r"\d+ queued, \d+ pages fetched", row(ended, "frontier")[1])
    assert re.search(r"\d+ pages, \d+ hits?", row(ended, "store")[1])
    assert crawling.returncode == 0, err


def test_after_a_crawl_it_counts_and_a_damaged_file_is_named(tmp_path, web):
    crawl(tmp_path, web.proxy, "-a", "max_pages=7", seeds=SEED)
    # of the only crawl
    ended = scrapy(["doctor", "-a", f"seeds={SEED}"], tmp_path, environment(web.proxy, COLUMNS="80"))
    assert re.fullmatch(r"7 pages, \d hits?", row(ended, "store")[1])
    assert re.fullmatch(r"\d+ queued, 7 pages fetched, 0 given up", row(ended, "frontier")[1])
    for name in ("pages.db", "frontier.db"):
        (tmp_path / "data" / "tourism" / name).write_bytes(b"no database " * 1000)
    ended = doctor(tmp_path, web.proxy)
    assert ended.exit_code == 3
    assert [row(ended, what)[0] for what in ("store", "frontier")] == ["!!", "!!"]
    assert "not a database" in row(ended, "frontier")[1]
