"""Days are found in every form that Chinese and other pages write them in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.page.dates import day_in_text, day_in_url, day_of
from topicspider.page.page import Page


@pytest.mark.parametrize(
    "text",
    [
        "2024年5月1日",
        "2024 年 5 月 1 日",
        "2024年05月01日 10:20",
        "２０２４年５月１日",
        "二〇二四年五月一日",
        "二零二四年五月一号",
        "二○二四年五月一日",
        "2024-05-01",
        "2024-5-1",
        "2024/05/01 08:00:00",
        "2024.5.1",
        "2024．05．01",
        "20240501",
        "2024-05-01T10:20:30+08:00",
        "2024-05-01T02:20:30Z",
        "发布时间：2024-05-01 来源：山水日报",
        "May 1, 2024",
        "1 May 2024",
        "Wed, 1st May 2024 10:00",
        "01.05.2024",
        "13月32日, 2024-13-45, 2024年5月1日",
    ],
)
def test_first_of_may(text):
    assert day_of(text) == "2024-05-01"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("二〇二三年十二月三十一日", "2023-12-31"),
        ("二〇二三年十月二十日", "2023-10-20"),
        ("一九九八年十一月十日", "1998-11-10"),
    ],
)
def test_chinese_numerals(text, day):
    assert day_of(text) == day


@pytest.mark.parametrize(
    "text", ["", "2024年", "5月1日", "2024-02-30", "1812-05-01", "电话 20240599", "12345678901", "２０２４"]
)
def test_what_is_no_day_gives_none(text):
    assert day_of(text) == ""


@pytest.mark.parametrize(
    ("url", "day"),
    [
        ("http://e.cn/2024/05/01/a.html", "2024-05-01"),
        ("http://e.cn/2024-05/01/a.html", "2024-05-01"),
        ("http://e.cn/20240501/a.html", "2024-05-01"),
        ("http://e.cn/n/2024/0501/c1.html", "2024-05-01"),
        ("http://e.cn/2024/13/01/a.html", ""),
        ("http://e.cn/id/123456789", ""),
        ("http://e.cn/", ""),
    ],
)
def test_days_in_urls(url, day):
    assert day_in_url(url) == day


def test_a_line_that_says_published_goes_before_an_earlier_day():
    assert day_in_text("2023年1月1日 星期日\n云台山旅游\n发布时间：2024年5月1日") == "2024-05-01"


def _page(head: str, body: str = "", url: str = "http://e.cn/a.html") -> Page:
    return Page(url, f"<html><head>{head}</head><body>{body}</body></html>".encode(), "text/html")


@pytest.mark.parametrize(
    ("head", "body", "url"),
    [
        (
            '<script type=\'application/ld+json\'>{"@type":"NewsArticle","datePublished":"2024-05-01T08:00:00+08:00"}</script>',
            "<p>2020年1月1日</p>",
            "",
        ),
        ("<meta property='article:published_time' content='2024-05-01'>", "<time datetime='2020-01-01'></time>", ""),
        ("<meta name='PubDate' content='2024-05-01 10:00:00'>", "", ""),
        ("", "<time datetime='2024-05-01T10:00'>昨天</time>", ""),
        ("", "<time>2024年5月1日</time>", ""),
        ("", "<p>文章</p>", "http://e.cn/2024/05/01/a.html"),
        ("", "<div>来源：山水日报 2024年5月1日</div>", ""),
    ],
)
def test_the_most_trusted_source_wins(head, body, url):
    assert _page(head, body, url or "http://e.cn/a.html").published == "2024-05-01"


def test_modified_is_read_apart_from_published():
    read = _page(
        "<meta property='article:modified_time' content='2024-06-02'><meta property='article:published_time' content='2024-05-01'>"
    )
    assert (read.published, read.modified) == ("2024-05-01", "2024-06-02")


@given(st.text(alphabet="0123456789年月日-/.〇一二十 :T", max_size=60))
def test_any_text_gives_a_day_or_none(text):
    assert len(day_of(text)) in (0, 10)
