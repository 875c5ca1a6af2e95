"""Candidates for seeds out of search results: whose links count, where they lead, what they score."""

from __future__ import annotations

import pytest

from topicspider.cli.judge import load_judge
from topicspider.cli.topics_seeds import MOST, of_results, scored
from topicspider.options import Options
from topicspider.page.page import Page

RESULTS = """<html><head><title>古镇 - 搜索</title></head><body>
<nav><a href="http://search.example/images?q=x">图片</a><a href="http://search.example/news?q=x">新闻</a></nav>
<div id="main">
<div><h3><a href="{wrapper}?q=http%3A%2F%2Ftrip.example.com%2F%E5%8F%A4%E9%95%87&sa=U">江南古镇旅游攻略</a></h3><p>门票、民宿和自驾游路线，一篇讲清楚，适合第一次去的游客。</p></div>
<div><h3><a href="http://cars.example.net/used">二手车报价</a></h3><p>今日二手车报价，车况与过户手续一览，附近的车商。</p></div>
<div><a href="http://search.example/cache?id=7">快照</a> <a href="http://trip.example.com/%E5%8F%A4%E9%95%87">trip.example.com</a></div>
<div><h3><a href="http://travel.example.org/lvyou/">Travel itinerary</a></h3><p>Sightseeing for a weekend in the old town by the river.</p></div>
</div>
<footer><a href="http://search.example/about">关于</a><a href="http://help.search.example/">帮助</a></footer></body></html>"""

TARGETS = [
    "http://trip.example.com/%E5%8F%A4%E9%95%87",
    "http://cars.example.net/used",
    "http://travel.example.org/lvyou/",
]


def candidates(html, address="http://search.example/s?wd=x"):
    page = Page(address, html.encode(), "text/html; charset=utf-8")
    return of_results(page.url, page.links)


@pytest.mark.parametrize("wrapper", ["/url", "http://search.example/url", "http://search.example/link"])
def test_results_are_the_links_away_from_the_search_engine_redirects_unwrapped(wrapper):
    found = candidates(RESULTS.format(wrapper=wrapper))
    assert [one.url for one in found] == TARGETS
    assert found[0].title == "江南古镇旅游攻略"
    assert "门票" in found[0].snippet


def test_a_page_without_results_gives_none():
    assert candidates("<title>没有</title><a href='/more'>下一页</a>") == []
    assert candidates("") == []


def test_no_more_than_fifty_are_taken_the_first_ones():
    links = "".join(f"<p><a href='http://s{i}.example.com/'>第 {i} 个结果的标题</a></p>" for i in range(80))
    found = candidates(f"<title>结果</title><div>{links}</div>")
    assert [one.url for one in found] == [f"http://s{i}.example.com/" for i in range(MOST)]


def test_chinese_and_english_results_on_the_topic_come_first():
    found = scored(candidates(RESULTS.format(wrapper="/url")), load_judge("tourism", Options(page_scorer="bm25")))
    assert [one.url for one in found] == [TARGETS[0], TARGETS[2], TARGETS[1]]
    assert found[1].score > 0 == found[2].score
