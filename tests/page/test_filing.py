"""A page is filed under its tags and categories, and under the sections that its trail of links names."""

from __future__ import annotations

import pytest

from topicspider.page.page import Page

URL = "http://www.example.cn/p/1.html"


def page(html: str, url: str = URL) -> Page:
    return Page(url, f"<title>大理古城</title>{html}".encode(), "text/html; charset=utf-8")


FILED = (
    "<p>岭南的骑楼。</p><p>分类：<a href='/category/%s/'>旅游攻略</a> <a href='/xyz/' rel='tag'>Guangzhou</a>"
    " <a href='/tag/%E7%BE%8E%E9%A3%9F'>美食</a> <a href='/?cat=7'>街区</a> <a href='/p/2.html'>下一篇</a></p>"
)


def test_categories_are_what_tags_and_category_links_of_the_main_part_say():
    html = FILED + "<nav><a href='/tag/%E8%82%A1%E7%A5%A8'>股票</a></nav>"
    read = page(html, URL)
    assert read.categories == ("旅游攻略", "Guangzhou", "美食", "街区")
    assert read.subject_words == ("大理", "古城", "旅游", "攻略", "guangzhou", "美食", "街区")


def test_a_short_list_beside_the_main_part_and_what_the_head_declares_are_categories_too():
    meta = "<aside class='post-meta'><a href='/categories/%E6%97%85%E8%A1%8C/'># 旅行</a><a href='/categories/1/'>未分类</a></aside>"
    cloud = "".join(f"<a href='/tag/{n}'>标签{n}</a> " for n in range(7))
    teaser = "<a href='/p/9.html'>另一篇</a> <a href='/categories/food/'>美食</a>"
    head = "<meta property='article:section' content='游记'><meta property='article:tag' content='岭南'><meta property='article:tag' content='旅行'>"
    text = "<p><a href='/p/8.html'>西关</a></p>" + "".join(
        f"<p>岭南的骑楼第{n}段，写的是西关大屋、趟栊门和满洲窗，也写一路上的风雨。</p>" for n in range(9)
    )
    read = page(f"{head}{meta}<article>{text}</article><aside>{cloud}{teaser}</aside>", URL)
    assert read.categories == ("旅行", "游记", "岭南")
    assert read.filed_under == ("旅行", "游记", "岭南")


def test_a_cloud_of_tags_files_a_page_under_nothing():
    cloud = "".join(f"<a href='/tag/{n}'>标签{n}</a> " for n in range(13))
    assert page(FILED + cloud).categories == ()


LINKS = "<a href='/'>首页</a> &gt; <a href='/ly/'>旅游</a> &gt; <a href='/ly/yn/'>云南</a>"
DECLARED = """<script type="application/ld+json">{"@context": "https://schema.org", "@graph": [{"@type": "BreadcrumbList", "itemListElement": [
{"@type": "ListItem", "position": 1, "name": "山水网", "item": "http://www.example.cn"},
{"@type": "ListItem", "position": 2, "item": {"@id": "http://www.example.cn/ly/", "name": "旅游"}},
{"@type": "ListItem", "position": 3, "name": "大理古城"}]}]}</script>"""


@pytest.mark.parametrize(
    ("trail", "sections"),
    [
        (f"<ol class='breadcrumb'>{LINKS} &gt; 大理古城</ol>", ("旅游", "云南")),
        (f"<div id='breadCrumbs'><span>{LINKS} / <a href='/p/1.html'>大理古城</a></span></div>", ("旅游", "云南")),
        (f"<p>您的位置：{LINKS} &gt; 正文 <a href='/top/'>排行</a></p>", ("旅游", "云南")),
        ("<div>You are here: <a href='/'>Home</a> » <a href='/guides'>Travel guides</a> » Dali</div>", ("Travel guides",)),
        (f"{DECLARED}<ol class='breadcrumb'><a href='/shop/'>商店</a></ol>", ("旅游",)),
        ("<p>» <a href='/ly/'>旅游</a></p><p>» <a href='/gj/'>股票</a></p>", ()),
        ("<p><a href='/'>首页</a> | <a href='/ly/'>旅游</a></p>", ()),
        (f"<div class='crumbs'>{LINKS} <a href='/x'>{'很长' * 13}</a></div>", ()),
        ("<div class='breadcrumb'>" + "".join(f"<a href='/{n}'>栏目{n}</a>" for n in range(7)) + "</div>", ()),
        ("<script type='application/ld+json'>{\"@type\": \"BreadcrumbList\", \"itemListElement\": 7}</script>", ()),
    ],
)  # fmt: skip
def test_the_trail_that_leads_to_a_page_names_its_sections(trail, sections):
    read = page(f"{trail}<p>古城在苍山脚下。</p>")
    assert read.breadcrumbs == sections
    assert "".join(read.sections) == "".join(sections).lower()
    assert read.subject_words == ("大理", "古城")
