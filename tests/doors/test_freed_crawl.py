"""The pages of a crawl are gone as soon as they are stored, hits and misses, without the garbage collector: a page is a megabyte."""

from __future__ import annotations

import os

from support.crawling import ROOT, environment, order, scrapy
from support.site import SPORT, page, small_web, travel_web

COUNT = """
import gc

from scrapy import signals
from topicspider.crawled_page import CrawledPage


class Count:
    @classmethod
    def from_crawler(cls, crawler):
        crawler.signals.connect(cls.begin, signals.headers_received)
        crawler.signals.connect(cls.count, signals.spider_closed)
        return cls()

    @staticmethod
    def begin():
        gc.disable()

    @staticmethod
    def count():
        print("pages", sum(type(found) is CrawledPage for found in gc.get_objects()))
"""


def test_pages_are_freed_without_the_garbage_collector(tmp_path):
    (tmp_path / "counting.py").write_text(COUNT, encoding="utf-8")
    seed, *others = pages = travel_web(30)
    off_topic = {url: page("联赛战报", SPORT) for url in others[15:]}
    with small_web({**pages, **off_topic}) as web:
        env = environment(web.proxy, PYTHONPATH=os.pathsep.join([str(ROOT), str(tmp_path)]))
        ended = scrapy(order(seeds=seed, EXTENSIONS='{"counting.Count": 900}', TOPICSPIDER_PROCESSES=0), tmp_path, env)
    assert ended.exit_code == 0, ended.err
    assert int(ended.out.split("pages ")[-1].split()[0]) <= 2
