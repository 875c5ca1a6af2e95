"""What a crawl says at its start about what politeness allows."""

from __future__ import annotations

import pytest

from support.crawling import crawl
from support.site import small_web, travel_web
from topicspider.extensions.forecast import forecast_of, warning_of
from topicspider.i18n import use_language
from topicspider.politeness.planning import Allowance, HostBudget

NINE = Allowance([HostBudget(20.0)] * 9)
SEED = "http://w0.example/p0.html"


def test_a_budget_that_the_time_does_not_allow_is_named_with_what_would():
    assert warning_of(NINE, 5000, 7200) == (
        "5,000 pages will not come in 2:00:00: the 9 host(s) known so far allow 3,240 (hosts x seconds / rest); "
        "it needs more hosts, or CLOSESPIDER_TIMEOUT=11120"
    )
    use_language("zh")
    assert "2:00:00 内抓不到 5,000 页：目前所知的 9 个主机按礼貌规则最多给 3,240 页" in warning_of(NINE, 5000, 7200)


@pytest.mark.parametrize(("pages", "seconds"), [(3240, 7200), (5000, 0), (1, 20)])
def test_a_budget_that_is_allowed_or_has_no_end_is_no_trouble(pages, seconds):
    assert warning_of(NINE, pages, seconds) == ""


def test_what_takes_long_is_told():
    assert "3,240 pages of the 9 host(s) known so far take 2:00:00 at least" in forecast_of(NINE, 3240)
    use_language("zh")
    assert "至少需要 2:00:00" in forecast_of(NINE, 3240)
    assert forecast_of(NINE, 9) == ""


def test_a_crawl_says_so_once_at_its_start(tmp_path):
    """One seed, one second between its pages: 500 pages are no matter of 20 seconds. The web has more hosts, and ends at once."""
    more = ("-a", "max_pages=500", "-s", "CLOSESPIDER_TIMEOUT=20", "-s", "TOPICSPIDER_DELAY_MIN=1")
    with small_web(travel_web(3, hosts=3)) as web:
        ended = crawl(tmp_path, web.proxy, *more, seeds=SEED)
    assert ended.exit_code == 0
    assert ended.err.count("500 pages will not come in 0:20: the 1 host(s) known so far allow 20") == 1


def test_a_limit_of_scrapy_that_is_reached_is_no_failure(tmp_path):
    with small_web(travel_web(900, hosts=2), latency=0.05) as web:
        ended = crawl(tmp_path, web.proxy, "-s", "CLOSESPIDER_TIMEOUT=2", seeds=SEED)
    assert ended.exit_code == 0, ended.err
    assert "closespider_timeout" in ended.err
