"""The title is the page's own, without the names of the site."""

from __future__ import annotations

import pytest

from topicspider.page.page import Page


def title(head: str, body: str = "") -> str:
    return Page(
        "http://www.example.cn/a.html", f"<html><head>{head}</head><body>{body}</body></html>".encode(), "text/html"
    ).title


@pytest.mark.parametrize(
    ("declared", "wanted"),
    [
        ("云台山春季旅游指南", "云台山春季旅游指南"),
        ("云台山春季旅游指南_旅游频道_山水网", "云台山春季旅游指南"),
        ("云台山春季旅游指南-山水网", "云台山春季旅游指南"),
        ("云台山春季旅游指南 - 旅游 - 山水网", "云台山春季旅游指南"),
        ("云台山春季旅游指南｜山水网", "云台山春季旅游指南"),
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


def test_a_heading_that_the_declared_title_contains_wins():
    assert (
        title("<title>2024年5月：云台山旅游指南全文，山水网</title>", "<h1>云台山旅游指南全文</h1>")
        == "云台山旅游指南全文"
    )


def test_the_longest_of_such_headings_wins():
    body = "<h1>订票电话</h1><h2>订票电话加价遭质疑</h2>"
    assert title("<title>订票电话加价遭质疑,山水网</title>", body) == "订票电话加价遭质疑"


def test_a_logo_in_h1_is_not_the_title():
    head = "<title>云台山春季旅游指南_山水旅游网</title><meta property='og:site_name' content='山水旅游网'>"
    assert title(head, "<h1>山水旅游网</h1>") == "云台山春季旅游指南"


def test_a_lone_heading_stands_in_for_a_title_that_only_names_the_site():
    assert title("<title>山水网-新闻</title>", "<h1>云台山春季旅游指南发布</h1>") == "云台山春季旅游指南发布"


def test_og_title_decides_what_belongs_to_the_title():
    head = "<title>山水网旅游频道官方网站_云台山</title><meta property='og:title' content='云台山'>"
    assert title(head) == "云台山"


def test_json_ld_headline_is_heard():
    head = """<script type="application/ld+json">{"@type":"NewsArticle","headline":"云台山春季旅游指南"}</script>"""
    assert title(head) == "云台山春季旅游指南"


def test_a_huge_title_is_cut():
    assert len(title(f"<title>{'标题' * 100_000}</title>")) == 300


def test_control_characters_and_marks_of_direction_are_dropped():
    assert title("<title>云台山&#27;[31m旅游&#8238;指南</title>") == "云台山[31m旅游指南"
