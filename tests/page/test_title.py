"""The title is the page's own, without the names of the site."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.page.page import Page
from topicspider.page.site_titles import SiteTitles


def title(head: str, body: str = "") -> str:
    return Page(
        "http://www.example.cn/a.html", f"<html><head>{head}</head><body>{body}</body></html>".encode(), "text/html"
    ).title


@pytest.mark.parametrize(
    ("declared", "wanted"),
    [
        ("云台山春季旅游指南", "云台山春季旅游指南"),
        ("云台山春季旅游指南_旅游频道_山水网", "云台山春季旅游指南"),
        ("云台山春季旅游指南 - 旅游 - 山水网", "云台山春季旅游指南"),
        ("云台山春季旅游指南 | 山水网 | 首页", "云台山春季旅游指南"),
        ("焦作：云台山春季旅游指南 - 山水网", "焦作：云台山春季旅游指南"),
        ("某公司净利1900万-2900万-财经频道-山水网", "某公司净利1900万-2900万"),
        ("云台山１２３，全角标题_山水网", "云台山１２３，全角标题"),
        ("雲臺山旅遊攻略——山水網", "雲臺山旅遊攻略"),
        ("Ten walks in the hills of the north | Walkers", "Ten walks in the hills of the north"),
        ("Walk &amp; talk in the hills - The Walker", "Walk & talk in the hills"),
        ("  云台山\n  春季 旅游 ", "云台山 春季 旅游"),
        ("", ""),
    ],
)
def test_site_names_are_cut_off_the_declared_title(declared, wanted):
    assert title(f"<title>{declared}</title>") == wanted


NAMED = "<title>山水旅游网</title><meta property='og:site_name' content='山水旅游网'>"


@pytest.mark.parametrize(
    ("head", "body", "wanted"),
    [
        ("<title>2024年5月：云台山旅游指南全文，山水网</title>", "<h1>云台山旅游指南全文</h1>", "云台山旅游指南全文"),
        (
            "<title>订票电话加价遭质疑,山水网</title>",
            "<h1>订票电话</h1><h2>订票电话加价遭质疑</h2>",
            "订票电话加价遭质疑",
        ),
        (NAMED.replace("<title>", "<title>云台山春季旅游指南_"), "<h1>山水旅游网</h1>", "云台山春季旅游指南"),
        ("<title>山水网-新闻</title>", "<h1>云台山春季旅游指南发布</h1>", "云台山春季旅游指南发布"),
        (
            "<title>归档 | 山水旅游网</title>",
            "<p><a href='/'>山水旅游网</a></p><h1>山水旅游网</h1><h2>2019</h2>",
            "归档",
        ),
        ("<title>Archive | Example</title>", "<h1>Example</h1>", "Archive"),  # as the host is called
        (NAMED, "<h1>云台山</h1>", "云台山"),
        (NAMED, "<h1><a href='/2.html'>云台山春季旅游指南</a></h1>", "山水旅游网"),  # an item of a list
        (NAMED, "<h1><a href='/a.html#top'>云台山春季旅游指南</a></h1>", "云台山春季旅游指南"),
        (
            "<title>云台山春季旅游：红石峡篇_山水网</title>",
            "<h1>云台山春季旅游：<br>红石峡篇</h1>",
            "云台山春季旅游：红石峡篇",
        ),
        ("<title>云台山指南 — 山水网</title>", "<h1>云台山指南<a href='#a'>¶</a></h1>", "云台山指南"),
        (
            "<title>红石峡开放了，云台山春季旅游 - 山水网</title><meta property='og:title' content='云台山里的春天'>",
            "<h3>红石峡开放了，云台山春季旅游</h3><h1>云台山里的春天</h1>",
            "云台山里的春天",
        ),
        ("<title>云台山&#27;[31m旅游&#8238;指南</title>", "", "云台山[31m旅游指南"),
    ],
)
def test_title_and_headings_are_weighed_against_the_name_of_the_site(head, body, wanted):
    page = Page(
        "http://www.example.cn/a.html", f"<html><head>{head}</head><body>{body}</body></html>".encode(), "text/html"
    )
    assert page.title == wanted
    assert page.title_why


@pytest.mark.parametrize(
    ("head", "html", "wanted"),
    [
        ("留灯 - 现代诗 - 诗歌库", "<h1>留灯</h1>", "留灯"),
        (
            "渔村记 - 乡村 - 山水网",
            "<h1>渔村记<br><span>2013-05-06 11:21:36 来源：山水日报 评论：0 点击：3</span></h1>",
            "渔村记",
        ),
        (
            "My Shed: Ten years of bread",
            "<h1><a href='/'>My Shed</a></h1><h3>Ten years of bread</h3>",
            "Ten years of bread",
        ),
        ("青山登山记 - 户外 - 山水论坛", "<h1><a href='/f'>[游记]</a> <span>青山登山记</span></h1>", "青山登山记"),
    ],
    ids=["short heading", "date in the heading", "logo in h1, title in h3", "part of a forum"],
)
def test_headings_as_templates_write_them(head, html, wanted):
    assert title(f"<title>{head}</title>", html) == wanted


def test_json_ld_headline_is_heard():
    head = """<script type="application/ld+json">{"@type":"NewsArticle","headline":"云台山春季旅游指南"}</script>"""
    assert title(head) == "云台山春季旅游指南"


def test_a_huge_title_is_cut():
    assert len(title(f"<title>{'标题' * 100_000}</title>")) == 300


def test_a_short_heading_that_the_address_names_wins_over_a_title_of_the_site():
    page = Page(
        "http://www.example.cn/hills/yuntai-hill.html",
        b"<title>Tips for trips in the north and in the south</title><h1>Yuntai Hill</h1>",
    )
    assert page.title == "Yuntai Hill"


def test_parts_that_stand_in_the_page_as_one_text_are_the_title():
    assert title("<title>提示 - 云台山春季旅游指南</title>") == "云台山春季旅游指南"
    body = "<p>提示 - 云台山春季旅游指南</p>"
    assert title("<title>提示 - 云台山春季旅游指南</title>", body) == "提示 - 云台山春季旅游指南"


def test_the_rule_that_found_the_title_is_named():
    page = Page(
        "http://www.example.cn/a.html", "<title>云台山旅游指南全文，山水网</title><h1>云台山旅游指南全文</h1>".encode()
    )
    assert (page.title, page.title_why) == ("云台山旅游指南全文", "a heading that <title> contains")
    assert Page("http://www.example.cn/a.html", b"<p>x</p>").title_why == ""


PIECES = [
    "<title>", "</title>", "云台山 - ", "_山水网", "<h1>", "</h1>", "<br>", "<a href='/2.html'>", "<a href='http://['>", "</a>", "<center>",
    "<font size=+9 color=red>", "</font>", "<b>", "</b>", "<style>h1,.a #b > p{font:bold 2em x;color:", "}</style>", "<p class='a b'>",
    "春天的云台山，山花开遍，溪水清澈。" * 6, "<meta property=og:title content='云台山_", "<meta property=og:site_name content='山水网'>", "'>",
    "<script type='application/ld+json'>{\"headline\":\"云台山\"}</script>", "\ufdfa", "\u202e", "¶", "<div style='font-size:1e9em'>",
]  # fmt: skip


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=25), max_size=6), st.sampled_from(["default", "published"]))
def test_no_markup_and_no_order_of_pages_breaks_a_title(pages, extraction):
    titles = SiteTitles()
    for number, pieces in enumerate(pages):
        page = Page(
            f"http://www.example.cn/{number}", "".join(pieces).encode(), extraction=extraction, site_titles=titles
        )
        assert len(page.title) <= 300
        assert page.title == page.title.strip()
        assert "\n" not in page.title
        assert bool(page.title) >= bool(page.title_why) or extraction == "published"


@pytest.mark.parametrize(
    "declared", ["无标题文档", "新建网页 1", "Untitled Document", "欢迎光临山水旅游网", "Welcome to Walkers"]
)
def test_what_an_editor_or_a_greeting_filled_in_is_not_the_title(declared):
    assert title(f"<title>{declared}</title>", "<h1>云台山</h1>") == "云台山"
    assert title(f"<title>{declared}</title>", "<p>文</p>") == declared
