"""``scrapy recrawl``: the whole command, on a real server whose pages change."""

from __future__ import annotations

import json
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from support.crawling import crawl, environment, scrapy, start, stop_after
from support.recrawling import (
    CHANGED,
    DATED,
    GONE,
    HUB,
    MODIFIED,
    NEW,
    OFF,
    OVERDUE,
    PLAIN,
    SAME,
    a_while_later,
    crawled,
    recrawl,
    told,
    travel,
    travel_site,
)
from support.site import TRAVEL, Answer, page, small_web
from topicspider.commands import recrawl as command
from topicspider.errors import ConfigError
from topicspider.frontier.sqlite.frontier import SqliteFrontier
from topicspider.steering.control import read_status


def read(folder: Path, sql: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(folder / "data" / "tourism" / "pages.db") as database:
        return list(database.execute(sql))


def test_due_pages_are_asked_for_by_what_their_servers_said_and_what_came_is_stored(tmp_path):
    site = travel_site()
    with small_web(site.get) as web:
        first = crawl(tmp_path, web.proxy, seeds=HUB)
        a_while_later(site)
        web.asked.clear()
        again = recrawl(tmp_path, web.proxy, *OVERDUE)
        asked = {one.url: one.headers for one in web.asked if not one.url.endswith("robots.txt")}
        idle = recrawl(tmp_path, web.proxy, LC_ALL="zh_CN.UTF-8")
    assert (first.exit_code, again.exit_code, idle.exit_code) == (0, 0, 0), first.err + again.err + idle.err
    assert set(asked) == {HUB, SAME, DATED, PLAIN, CHANGED, GONE, OFF, NEW}
    assert "harvest rate" not in again.err  # its hits are not new
    assert (asked[SAME]["If-None-Match"], asked[DATED]["If-Modified-Since"]) == ('W/"shan-1"', MODIFIED)
    assert not {"If-None-Match", "If-Modified-Since"} & {*asked[PLAIN], *asked[NEW]}

    words = told(again.out)
    assert (words["fetched / budget"], words["not modified (304)"]) == ("8 / 1,000", "2")
    # links of a hub are no text
    assert (words["changed"], words["unchanged (with 304)"], words["gone"]) == ("1", "5", "1")
    assert (words["failed"], words["new pages"], words["new hits"]) == ("0", "1", "1")
    assert "7 pages are due, the most valuable 7" in again.out

    pages = {url: rest for url, *rest in read(tmp_path, "SELECT url, status, title, body FROM pages")}
    assert pages[GONE][0] == 404
    assert "客栈" in pages[GONE][1]
    assert "沿海步道" in pages[CHANGED][2]
    assert "345 次" in pages[PLAIN][2]  # what is shown is as it is now
    assert pages[NEW][0] == 200
    assert read(tmp_path, "SELECT COUNT(*) FROM changes") == [(7,)]
    ((totals,),) = read(tmp_path, "SELECT totals FROM crawls ORDER BY id DESC LIMIT 1")
    assert json.loads(str(totals))["pages"] == 5  # neither the two 304 nor the 404
    assert "没有到期的网页" in idle.out


@pytest.mark.parametrize(("number", "code", "asked"), [(signal.SIGINT, 130, 2), (signal.SIGKILL, -9, 4)])
def test_interrupted_or_killed_and_run_again_it_goes_on(tmp_path, number, code, asked):
    site = travel_site()
    crawled(tmp_path, site)
    with small_web(site.get) as web:
        rests = ("-s", "TOPICSPIDER_DELAY_MIN=1", "-s", "TOPICSPIDER_DELAY_FACTOR=0")
        slow = ["recrawl", "tourism", "--budget", "6", *OVERDUE, *rests]
        process = start(slow, tmp_path, environment(web.proxy))
        stopped = stop_after(process, lambda: len(web.pages()) >= asked, number)
        before = web.pages()
        rest = recrawl(tmp_path, web.proxy, "--budget", "5", *OVERDUE)
        after = web.pages()[len(before) :]
    assert (stopped.exit_code, rest.exit_code) == (code, 0), stopped.err + rest.err
    assert ("the same command goes on" in stopped.out) == (number is signal.SIGINT)
    assert "goes on with the round" in rest.out
    assert 0 < len(after) < 5
    assert len({*before, *after}) == 5
    in_work = 3 if number is signal.SIGKILL else 0  # asked for again
    assert len(before) + len(after) <= 5 + in_work
    assert "5 / 5" in rest.out


def test_a_round_counts_its_own_visits_and_leaves_the_status_to_the_crawl(tmp_path):
    folder, site = tmp_path / "data" / "tourism", travel_site()
    with small_web(site.get) as web:
        crawl(tmp_path, web.proxy, seeds=HUB)
        status = read_status(folder)
        recrawl(tmp_path, web.proxy, *OVERDUE)
        assert read_status(folder) == status
        slow = ["recrawl", "tourism", *OVERDUE, "-s", "TOPICSPIDER_DELAY_MIN=1", "-s", "TOPICSPIDER_DELAY_FACTOR=0"]
        process = start(slow, tmp_path, environment(web.proxy))
        stop_after(process, lambda: read_status(folder)["state"] == "running", signal.SIGKILL)
    assert (read_status(folder)["pages"] < 7, read_status(folder)["crawl"]) == (True, status)


def test_robots_and_errors_are_heeded_and_such_pages_wait_longer(tmp_path):
    site = travel_site()
    crawled(tmp_path, site)
    with small_web(site.get) as web:
        site["http://w1.example/robots.txt"] = Answer(
            "User-agent: *\nDisallow: /same", headers={"Content-Type": "text/plain"}
        )
        site[DATED] = Answer("", 500)
        again = recrawl(tmp_path, web.proxy, *OVERDUE, "-s", "TOPICSPIDER_ATTEMPTS=1")
    assert again.exit_code == 0, again.err
    assert SAME not in web.pages()
    (failed,) = (line for line in again.out.splitlines() if line.startswith("failed"))
    assert failed.split()[-1] == "2"
    statuses = dict(read(tmp_path, "SELECT url, status FROM pages"))
    assert (statuses[SAME], statuses[DATED]) == (200, 200)


def test_a_page_that_is_not_there_any_more_though_its_server_says_200_is_gone_and_one_that_moved_is_followed(tmp_path):
    site = travel_site()
    moved = "http://w2.example/moved"
    crawled(tmp_path, site)
    with small_web(site.get) as web:
        site[GONE] = page("404 页面不存在", "抱歉，您访问的页面不存在或已被删除。")
        site[CHANGED] = Answer("", 301, {"Location": moved})
        site[moved] = travel("海边，新址")
        again = recrawl(tmp_path, web.proxy, *OVERDUE)
    assert again.exit_code == 0, again.err
    statuses = dict(read(tmp_path, "SELECT url, status FROM pages"))
    assert statuses[GONE] == 404
    assert statuses[moved] == 200
    assert CHANGED in statuses


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["recrawl", "没有的主题"], "没有的主题"),
        (["recrawl", "tourism"], "scrapy crawl topic -a topic=tourism"),
        (["recrawl"], "/data yet"),
        (["recrawl", "tourism", "--budget", "0"], "--budget"),
    ],
)
def test_what_cannot_be_done_is_one_line(tmp_path, arguments, words):
    ended = scrapy(arguments, tmp_path)
    assert ended.exit_code == 2
    assert words in ended.err
    assert len(ended.err.splitlines()) == 1
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("text", ["7", "d", "7 d", "-7d", "７d", "7y", "9999999d"])
def test_an_age_has_a_unit(text):
    with pytest.raises(ConfigError, match="--older-than"):
        command.age_of(text)
    assert [command.age_of(age) for age in ("", "30m", "12h", "7d")] == [None, 1800.0, 43200.0, 604800.0]


def test_a_running_crawl_of_the_topic_is_not_disturbed(tmp_path):
    crawled(tmp_path, travel_site())
    with closing(SqliteFrontier(tmp_path / "data" / "tourism" / "frontier.db")), small_web({}) as web:
        ended = recrawl(tmp_path, web.proxy, *OVERDUE)
    assert ended.exit_code == 4, ended.err
    assert web.asked == []


def test_a_page_that_others_redirect_to_is_one_visit_and_one_row_of_its_changes(tmp_path):
    site = travel_site()
    crawled(tmp_path, site)
    with small_web(site.get) as web:
        site[CHANGED] = Answer("", 302, {"Location": SAME})
        site[PLAIN] = page("旅游", TRAVEL, head=f'<meta http-equiv="refresh" content="0; url={SAME}">')
        site[GONE] = page("404 页面不存在", "抱歉，您访问的页面不存在或已被删除。")
        again = recrawl(tmp_path, web.proxy, *OVERDUE)
    assert again.exit_code == 0, again.err
    rows = read(
        tmp_path, "SELECT url, COUNT(changes.id) FROM pages LEFT JOIN changes USING (topic, url_hash) GROUP BY url"
    )
    assert dict(rows) == {HUB: 1, SAME: 1, DATED: 1, PLAIN: 0, CHANGED: 0, GONE: 1, OFF: 1}
    assert web.pages().count(SAME) == 1


def test_a_round_whose_queue_forgot_what_was_done_writes_one_row_a_page(tmp_path):
    """As after kill -9 between the store and the queue, for all pages at once."""
    crawled(tmp_path, travel_site())
    queue = tmp_path / "data" / "tourism" / "recrawl.db"
    with small_web(travel_site().get) as web:
        process = start(
            ["recrawl", "tourism", *OVERDUE, "-s", "TOPICSPIDER_DELAY_MIN=2"], tmp_path, environment(web.proxy)
        )
        stop_after(process, lambda: len(web.pages()) >= 1, signal.SIGINT)
        before = queue.read_bytes()
        recrawl(tmp_path, web.proxy, *OVERDUE)
        queue.write_bytes(before)
        again = recrawl(tmp_path, web.proxy, *OVERDUE)
        asked = web.pages()
    assert "goes on with the round" in again.out, again.err
    assert len(asked) > len(set(asked))
    rows = read(tmp_path, "SELECT COUNT(*), COUNT(DISTINCT url_hash) FROM changes")
    assert rows == [(len(set(asked)),) * 2]
