"""The rank of each page is stored with it, (a) Li 2002's intermediate record."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from support.crawling import crawl
from support.site import small_web, travel_web

SEED = "http://w0.example/p0.html"


def ranks(folder):
    with closing(sqlite3.connect(folder / "data" / "tourism" / "pages.db")) as file:
        return dict(file.execute("SELECT url, score_ipagerank FROM pages"))


def test_pages_have_the_rank_that_they_had_when_they_were_judged(tmp_path):
    with small_web(travel_web(12)) as web:
        ended = crawl(tmp_path, web.proxy, "-s", "TOPICSPIDER_LINK_POLICY=ipagerank", seeds=SEED)
    assert ended.exit_code == 0, ended.err
    found = ranks(tmp_path)
    assert len(found) > 1
    assert round(found.pop(SEED), 6) == 0.15  # 1 - d: nobody had linked to it yet
    assert min(found.values()) > 0.15


def test_without_that_policy_there_is_none(tmp_path):
    with small_web(travel_web(3)) as web:
        crawl(tmp_path, web.proxy, seeds=SEED)
    assert set(ranks(tmp_path).values()) == {None}
