"""The page's own day is chosen among all the days of a page, and what is known of the visit is used."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.page.page import Page


def _page(
    head: str, body: str = "", url: str = "http://e.cn/a.html", fetched_on: date | None = None, lang: str = "zh"
) -> Page:
    html = f"<html lang='{lang}'><head><meta charset=utf-8>{head}</head><body>{body}</body></html>"
    return Page(url, html.encode(), "text/html", fetched_on=fetched_on)


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("发布时间：2024-05-01 08:30", "2024-05-01"),
        ("2024年5月1日 来源：山水网", "2024-05-01"),
        ("發佈日期：2024年05月01日", "2024-05-01"),
        ("二〇二四年五月一日 发布", "2024-05-01"),
        ("发表于 ２０２４／０５／０１", "2024-05-01"),
        ("作者：张三 时间：2024.05.01", "2024-05-01"),
        ("Posted on May 1, 2024 by Jane", "2024-05-01"),
        ("Published 1st May 2024", "2024-05-01"),
        ("Veröffentlicht am 1. Mai 2024", "2024-05-01"),
        *(
            (text, "2024-05-01")
            for text in ("1 mei 2024", "1 травня 2024", "1 Μαΐου 2024", "1 مايو 2024", "٠١/٠٥/٢٠٢٤", "1 במאי 2024")
        ),
        *((text, "2024-05-01") for text in ("1 मई 2024", "1 พฤษภาคม 2567", "Ngày 1 tháng 5, 2024")),
        ("12 มีนาคม 2567", "2024-03-12"),
        ("3 Ocak 2024", "2024-01-03"),
        ("活动截止 2024-05-01", ""),
        ("版权所有 2024-01-01", ""),
    ],
)
def test_a_line_near_the_title_says_the_day(line, day):
    page = _page("<title>云台山的春天</title>", f"<h1>云台山的春天</h1><p>{line}</p>", fetched_on=date(2024, 5, 2))
    assert page.published == day


@pytest.mark.parametrize(
    ("head", "body", "url", "why"),
    [
        (
            '<script type=\'application/ld+json\'>{"@type":"NewsArticle","datePublished":"2024-05-01T08:00:00+08:00"}</script>',
            "<p>2020年1月1日</p>",
            "",
            "json-ld",
        ),
        (
            "<meta property='article:published_time' content='2024-05-01'>",
            "<time datetime='2020-01-01'></time>",
            "",
            "meta article:published_time",
        ),
        ("<meta name='PubDate' content='2024-05-01 10:00:00'>", "", "", "meta pubdate"),
        ("", "<span itemprop='datePublished' content='2024-05-01'>五一</span>", "", "datePublished"),
        ("", "<time datetime='2024-05-01T10:00'>昨天</time>", "", "time"),
        ("", "<time>2024年5月1日</time>", "", "time"),
        ("", "<p>文章</p>", "http://e.cn/2024/05/01/a.html", "url"),
        ("", "<div>来源：山水日报 2024年5月1日</div>", "", "text"),
        (
            "<meta property='article:modified_time' content='2024-05-01'>",
            "<p>云台山</p>",
            "",
            "meta article:modified_time",
        ),
        ("", "", "http://e.cn/yuntai-2024-05-01.html", "url"),
    ],
)
def test_the_most_trusted_source_wins_and_says_so(head, body, url, why):
    page = _page(head, body, url or "http://e.cn/a.html")
    assert (page.published, page.published_why) == ("2024-05-01", why)


def test_json_ld_of_comments_and_of_the_site_says_nothing_of_the_page():
    things = '[{"@type":"WebSite","datePublished":"2001-01-01"},{"@type":"Comment","dateCreated":"2024-06-01"},{"@type":"WebPage","datePublished":"2024-05-01"}]'
    assert _page(f"<script type='application/ld+json'>{things}</script>").published == "2024-05-01"


def test_modified_is_read_apart_from_published():
    read = _page(
        "<meta property='article:modified_time' content='2024-06-02'><meta property='article:published_time' content='2024-05-01'>"
    )
    assert (read.published, read.modified, read.modified_why) == (
        "2024-05-01",
        "2024-06-02",
        "meta article:modified_time",
    )


def test_days_after_tomorrow_are_refused_and_others_looked_for():
    head = "<meta property='article:published_time' content='2034-05-01'><meta name='date' content='2024-05-01'>"
    assert _page(head, fetched_on=date(2024, 5, 3)).published == "2024-05-01"


@pytest.mark.parametrize(
    ("text", "lang", "url", "day"),
    [
        ("Posted on 05/01/2024", "en-US", "http://e.com/", "2024-05-01"),
        ("Posted on 01/05/2024", "en-GB", "http://e.com/", "2024-05-01"),
        ("Publié le 01/05/2024", "fr", "http://e.fr/", "2024-05-01"),
        ("Pressemitteilung vom 1. Mai 2024 | Berlin", "de", "http://e.de/", "2024-05-01"),
    ],
)
def test_days_of_other_countries(text, lang, url, day):
    body = f"<h1>Walks</h1><p>{text}</p><p>The hills of the north are green and the walks are long, they said.</p>"
    assert _page("<title>Walks</title>", body, url, lang=lang).published == day


@given(st.text(alphabet="0123456789年月日-/.〇 :\n昨天前<>pdivtime", max_size=120))
def test_any_body_gives_days_or_none(text):
    page = _page("", text, fetched_on=date(2024, 5, 3))
    assert {len(page.published), len(page.modified)} <= {0, 10}
    assert bool(page.published) == bool(page.published_why)


HEADLINES = [
    "桂林旅游节开幕", "高铁新线开通", "春季招聘会报名", "大熊猫基地开放", "新规今日施行", "古镇夜市开业", "马拉松开始报名", "图书馆成立", "秋季运动会开幕", "夏令营活动", "全国人大会议",
    "高考开始", "电影节结束", "博览会今日开幕", "地铁4号线开始", "新公司成立", "研讨会活动", "市民中心开业", "公园免费至", "游客客流高峰", "灯会有效", "名人故居出生", "院士逝世",
    "期刊创刊", "平台注册", "志愿者加入", "优惠到期", "条例实施", "展览截止", "景区门票自", "索道维修到", "讲座报名", "峰会会议", "培训班考试", "汉服活动", "摄影展开幕",
    "音乐季开始", "龙舟赛开始", "农家乐开业", "科技馆成立",
]  # fmt: skip


@pytest.mark.parametrize("headline", HEADLINES)
def test_a_headline_that_ends_in_the_word_of_an_event_is_no_label_of_the_day_below_it(headline):
    for above in ("", f"<p>首页 &gt; 新闻 &gt; {headline}</p>"):
        below = "<p>2026-05-01 09:30 来源：桂林日报 作者：张三</p>"
        text = f"<p>{'昨天上午，市里举行了仪式，来自各地的客人参加了活动，场面热闹。' * 6}</p>"
        html = f"<title>{headline}_桂林日报</title>{'' if above else f'<h1>{headline}</h1>'}{above}{below}{text}"
        read = Page("http://www.example.cn/a/b.html", html.encode(), "text/html", fetched_on=date(2026, 6, 1))
        assert read.published == "2026-05-01"


def test_the_label_of_an_event_in_its_own_line_counts():
    html = (
        f"<title>招聘会</title><h1>招聘会</h1><p>报名截止</p><p>2026-05-01</p><p>{'报名的人很多，场面热闹。' * 20}</p>"
    )
    assert not Page("http://www.example.cn/a/b.html", html.encode(), "text/html", fetched_on=date(2026, 6, 1)).published
