"""Addresses in scripts are found where they are plain literals, and nothing else is."""

from __future__ import annotations

import json

import pytest

from topicspider.page.page import Page
from topicspider.page.walk import scripted_target

URL = "http://www.example.com.cn/lvyou/list.html"


@pytest.mark.parametrize(
    ("attributes", "target"),
    [
        ({"onclick": "window.open('/a.html')"}, "/a.html"),
        ({"onclick": "location.href='/旅游/a.html'"}, "/旅游/a.html"),
        ({"onclick": 'location = "a.html"; return false'}, "a.html"),
        ({"onclick": "window.location.replace( 'a.html' )"}, "a.html"),
        ({"href": "#", "onclick": "window.open('a.html','_blank','width=600')"}, "a.html"),
        ({"href": "javascript:void(0)", "onclick": "location.href='a.html'"}, "a.html"),
        ({"href": "JavaScript:window.open('a.html')"}, "a.html"),
        ({"href": "javascript:;", "data-href": "/a.html"}, "/a.html"),
        ({"href": "/true.html", "onclick": "window.open('/a.html')"}, ""),
        ({"href": "#top", "onclick": "window.open('/a.html')"}, ""),
        ({"onclick": "window.open('/a?id=' + id)"}, ""),
        ({"onclick": "window.open('/a?id='+ id)"}, ""),
        ({"onclick": "window.open(this.href)"}, ""),
        ({"onclick": "show('/a.html')"}, ""),
        ({"href": "javascript:void(0)"}, ""),
        ({"name": "top"}, ""),
        ({"onclick": None, "href": None}, ""),
        ({"onclick": "open('" + "a" * 100_000}, ""),
    ],
)
def test_the_address_of_a_link_in_a_script(attributes, target):
    assert scripted_target(attributes) == target


def links(html):
    return Page(URL, html.encode(), "text/html").links


def test_links_of_scripts_are_links_of_the_page():
    html = "<a href='javascript:void(0)' onclick=\"location.href='yuntaishan.html'\">云台山</a><a onclick='x()'>甲</a>"
    assert [(link.url, link.anchor) for link in links(html)] == [
        ("http://www.example.com.cn/lvyou/yuntaishan.html", "云台山")
    ]


def test_cells_and_cards_that_lead_away_when_clicked_are_links_and_their_text_stays_text():
    html = """<table><td onclick="location.href='/a/'">旅游</td><td onclick="open('/b/')">美食</td></table>
        <div data-href=/c><h3>云台山</h3><p>一日游</p><a href=/tag>山</a>春天</div><div onclick="x()">甲</div>"""
    found = links(html)
    assert [(link.url[25:], link.anchor) for link in found] == [
        ("/a/", "旅游"), ("/b/", "美食"), ("/c", "云台山 一日游"), ("/tag", "山")
    ]  # fmt: skip
    text = "这一天我们走了很远的路，看了很多风景。" * 9
    assert Page(URL, f"<body onclick=\"open('/x')\"><p>{text}</p></body>".encode(), "text/html").body == text


def test_a_literal_is_judged_like_any_address():
    assert links("<a onclick=\"window.open('javascript:x')\">甲</a><a onclick=\"window.open('/a.jpg')\">乙</a>") == ()


def test_the_targets_of_forms_are_no_links():
    assert links("<form action='/search.asp'><input name=q><button>搜索</button></form>") == ()


def test_what_a_page_declares_to_list_are_links_where_no_others_lead():
    far = f"/{'a' * 600}/p/1.html"  # an address is not cut as texts are
    things = {"url": far, "name": "a"}, {"item": {"@id": "/p/2.html", "name": "b"}}, {"item": "/p/3.html"}, {}
    entries = [{"@type": "ListItem", **thing} for thing in things]
    declared = json.dumps({"@type": "ItemList", "itemListElement": entries})
    html = f"<a href='/p/3.html'>3</a><script type='application/ld+json'>{declared}</script>"
    found = [(link.url[-9:], link.anchor) for link in Page(URL, html.encode(), "text/html").links]
    assert found == [("/p/3.html", "3"), ("/p/1.html", "a"), ("/p/2.html", "b")]
