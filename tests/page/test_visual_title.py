"""(a) Li 2002: the title is what looks most like one above the first long paragraph."""

from __future__ import annotations

import pytest

from topicspider.page.page import Page

TEXT = "春天的云台山，山花开遍，溪水清澈，游人沿着石阶慢慢走上山去，" * 4


def by_looks(body: str, head: str = "<title>山水网</title>") -> str:
    page = Page("http://www.example.cn/a.html", f"{head}<body>{body}".encode(), extraction="published")
    return page.title


@pytest.mark.parametrize(
    "line",
    [
        "<td align=center><font size=5 color=red><b>云台山春季旅游指南</b></font></td>",
        "<td><font size=+2>云台山春季旅游指南</font></td>",
        "<td align=center><b>云台山春季旅游指南</b></td>",
        "<td><span style='font-size:22px'>云台山春季旅游指南</span></td>",
        "<td><center><font color=#ff0000>云台山春季旅游指南</font></center></td>",
    ],
)
def test_li2002_size_centring_and_colour_make_a_title(line):
    head = "<title>山水网</title>"
    body = f"<table><tr><td>山水网旅游频道</td></tr><tr>{line}</tr><tr><td>来源：山水网</td></tr></table><p>{TEXT}</p>"
    assert by_looks(body, head) == "云台山春季旅游指南"


def test_li2002_what_looks_like_a_title_below_the_first_paragraph_is_none():
    body = f"<p><b>云台山春季旅游指南</b></p><p>{TEXT}</p><h1>相关的文章</h1><p>其他</p>"
    assert by_looks(body) == "云台山春季旅游指南"


def test_li2002_of_lines_that_look_the_same_the_nearest_is_the_title():
    body = f"<p><b>山水旅游</b></p><p><b>云台山春季旅游指南</b></p><p>{TEXT}</p>"
    assert by_looks(body) == "云台山春季旅游指南"


def test_li2002_the_neighbour_that_looks_the_same_is_appended():
    body = f"<center><font size=5>云台山春季旅游指南<br>红石峡篇</font></center><p>{TEXT}</p>"
    assert by_looks(body) == "云台山春季旅游指南红石峡篇"
    body = f"<h1>Ten walks<br>in the hills</h1><p>{TEXT}</p>"
    assert by_looks(body) == "Ten walks in the hills"


def test_li2002_declared_titles_are_not_heard():
    body = f"<h1>云台山春季旅游指南</h1><p>{TEXT}</p>"
    assert by_looks(body, "<title>另外一个标题，山水网</title>") == "云台山春季旅游指南"


def test_li2002_where_no_line_is_styled_the_usual_rule_finds_the_title():
    head = "<title>云台山春季旅游指南</title>"
    for body in ("<p>短</p>", f"<p>首页</p><p>来源：山水网</p><p>{TEXT}</p>", f"<p>{TEXT}</p>"):
        assert by_looks(body, head) == "云台山春季旅游指南"


def test_links_and_menus_are_passed_over():
    body = (
        f"<div class=nav><h1>旅游频道</h1></div><h2>云台山春季旅游指南</h2><h1><a href=/>山水网</a></h1><p>{TEXT}</p>"
    )
    assert by_looks(body) == "云台山春季旅游指南"


def test_the_vote_takes_no_line_of_a_list_for_the_title():
    rows = "".join(f"<h2>云台山第{n}篇</h2><p>{TEXT}</p>" for n in range(4))
    page = Page("http://www.example.cn/p/2", f"<title>Example</title>{rows}".encode(), "text/html")
    assert page.title == "Example"
