"""Limits of Scrapy's own end a crawl in good order."""

from __future__ import annotations

from support.crawling import crawl
from support.site import small_web, travel_web


def test_a_limit_of_scrapy_that_is_reached_is_no_failure(tmp_path):
    with small_web(travel_web(900, hosts=2), latency=0.05) as web:
        ended = crawl(tmp_path, web.proxy, "-s", "CLOSESPIDER_TIMEOUT=2", seeds="http://w0.example/p0.html")
    assert ended.exit_code == 0, ended.err
    assert "closespider_timeout" in ended.err
