"""A store or a frontier that was moved, emptied or lost is noticed before the next run, and nothing is overwritten."""

from __future__ import annotations

import sqlite3

import pytest
import redis

from support.crawling import begin, crawl, items, scrapy, stored, wait_until
from support.site import small_web, travel_web

SEED = "http://w0.example/p0.html"
INTO = ("-O", "hits.jsonl")
HALF = ("-s", "TOPICSPIDER_MAX_PAGES=15")


@pytest.fixture
def begun(tmp_path):
    """A crawl that has 15 of 40 pages, its web, and how to go on."""
    with small_web(travel_web()) as web:

        def go_on(*more):
            return crawl(tmp_path, web.proxy, *INTO, *more, seeds=SEED)

        assert go_on(*HALF).exit_code == 0
        web.asked.clear()
        yield tmp_path, web, go_on


def lose(folder, name):
    for path in (folder / "data/tourism").glob(f"{name}*"):
        path.unlink()


def empty(folder, _name):
    with sqlite3.connect(folder / "data/tourism/pages.db") as database:
        database.execute("DELETE FROM pages WHERE id > 3")


@pytest.mark.parametrize("damage", [lose, empty])
def test_a_store_that_lost_its_pages_is_refused_with_both_numbers_and_the_feed_stays(begun, damage):
    folder, web, go_on = begun
    fed = items(folder / "hits.jsonl")
    damage(folder, "pages.db")
    ended = go_on()
    (line,) = ended.err.strip().splitlines()[-1:]
    assert ended.exit_code == 3, ended.err
    assert "15 were fetched" in line
    assert "-a fresh=1" in line
    assert "-a accept_loss=1" in line
    assert (web.pages(), items(folder / "hits.jsonl")) == ([], fed)


def test_a_loss_that_is_accepted_is_asked_about_once(begun):
    folder, web, go_on = begun
    lose(folder, "pages.db")
    accepted = go_on("-a", "accept_loss=1", "-s", "TOPICSPIDER_MAX_PAGES=17")  # two pages more: the first had five hits
    again = go_on()
    assert (accepted.exit_code, again.exit_code) == (0, 0), accepted.err + again.err
    assert "15 pages that were fetched are not in the store" in accepted.err
    assert "has fewer items" in accepted.err  # the feed, than the one that it takes the place of
    assert len(stored(folder)) == 25
    assert len(web.pages()) == 25


def test_a_frontier_that_is_gone_is_made_again_of_the_store(begun):
    folder, web, go_on = begun
    before = stored(folder)
    lose(folder, "frontier.db")
    refused = go_on()
    assert refused.exit_code == 3, refused.err
    assert "15 pages of earlier runs" in refused.err
    assert "`scrapy frontier rebuild --topic tourism`" in refused.err
    assert web.pages() == []
    rebuilt = scrapy(["frontier", "rebuild", "--topic", "tourism"], folder)
    assert rebuilt.exit_code == 0, rebuilt.err
    assert "knows 15 pages" in rebuilt.out
    assert go_on().exit_code == 0
    assert not set(web.pages()) & set(before)
    assert len(stored(folder)) == 40


def test_the_check_of_a_store_sees_the_loss_too(begun):
    folder, _web, _go_on = begun
    assert scrapy(["store", "--topic", "tourism"], folder).exit_code == 0
    empty(folder, "")
    checked = scrapy(["store", "--topic", "tourism"], folder)
    assert checked.exit_code == 1
    assert "all is well" not in checked.out
    assert "15" in checked.out


def test_a_node_of_a_shared_crawl_misses_the_store_of_its_own_and_the_queue_of_all(tmp_path, redis_url):
    with small_web(travel_web()) as web, redis.Redis.from_url(redis_url) as client:
        client.flushdb()

        def go_on(*more):
            return crawl(tmp_path, web.proxy, *INTO, *more, "-s", f"TOPICSPIDER_FRONTIER={redis_url}", seeds=SEED)

        assert go_on(*HALF).exit_code == 0
        path = tmp_path / "data/tourism/pages.db"
        path.rename(path.with_name("kept.db"))
        refused = go_on()
        assert refused.exit_code == 3, refused.err
        assert "it has 0 pages, but 15 were fetched" in refused.err
        path.with_name("kept.db").replace(path)
        assert go_on("-s", "TOPICSPIDER_MAX_PAGES=20").exit_code == 0
        client.flushdb()
        refused = go_on()
        assert refused.exit_code == 3, refused.err
        assert "it knows no URL, but the store has 20 pages" in refused.err
        assert len(web.pages()) == 20


@pytest.mark.parametrize("name", ["pages.db", "frontier.db"])
def test_a_file_that_is_deleted_while_it_is_open_ends_the_crawl_with_a_line(tmp_path, name):
    with small_web(travel_web()) as web:
        crawling = begin(tmp_path, web.proxy, seeds=SEED, TOPICSPIDER_DELAY_MIN=1)
        wait_until(lambda: len(web.pages()) > 3, crawling)
        lose(tmp_path, name)
        _out, err = crawling.communicate(timeout=240)
    assert crawling.returncode == 3, err
    assert "the file was moved or deleted while it was open" in err
    assert "Traceback" not in err
