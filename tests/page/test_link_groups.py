"""Links of one list belong together; the header of an article is no menu."""

from __future__ import annotations

import pytest

from topicspider.page.page import Page

URL = "http://www.example.com.cn/lvyou/list.html"
TEXT = "<p>" + "云台山在河南省焦作市，春天有红石峡的瀑布，秋天有茱萸峰的红叶，门票和路线都可以预订。" * 8 + "</p>"


def links(html, url=URL):
    return Page(url, f"<html><body>{html}</body></html>".encode(), "text/html").links


def groups(html):
    return [link.group for link in links(html)]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ul><li><a href=1>甲</a><li><a href=2>乙</a><li><a href=3>丙</a></ul>", [0, 0, 0]),
        ("<p><a href=1>甲</a>、<a href=2>乙</a>、<a href=3>丙</a></p>" + "<p><a href=4>丁</a><a href=5>戊</a><a href=6>己</a></p>", [0, 0, 0, 1, 1, 1]),
        ("".join(f"<li><a href={n}><img alt=图{n}></a><a href={n}>景点{n}</a></li>" for n in range(4)), [0] * 8),
        ("".join(f"<li><a href={n}>景点{n}</a><a href=city{n}>城市</a></li>" for n in range(4)), [0] * 8),
        ("<table><tr><td><a href=1>甲</a></td><td>05-01</td></tr><tr><td><a href=2>乙</a></td></tr><tr><td><a href=3>丙</a></td></tr></table>", [0, 0, 0]),
        ("<div><a href=0>甲</a><ul><li><a href=1>乙</a><li><a href=2>丙</a><li><a href=3>丁</a></ul></div>", [0, 1, 1, 1]),
        ("<a href=1>甲</a>", [0]),
    ],
)  # fmt: skip
def test_links_of_one_list_share_a_group(html, expected):
    assert groups(html) == expected


def test_groups_are_numbered_in_the_order_of_the_links():
    html = "".join(f"<ul>{''.join(f'<li><a href={n}-{m}>景点</a>' for m in range(3))}</ul>" for n in range(5))
    assert groups(html) == [n for n in range(5) for _ in range(3)]


def blocks(html):
    return {link.anchor: link.block for link in links(html)}


def test_the_header_and_footer_of_an_article_are_main():
    article = f"<article><header><h2><a href=1.html>云台山春季旅游指南</a></h2></header>{TEXT}<footer><a href=tag>红石峡</a></footer></article>"
    found = blocks(
        f"<header><a href='/'>山水网</a></header>{article}{article.replace('1.html', '2.html')}<footer><a href='/us'>关于</a></footer>"
    )
    assert found == {"山水网": "header", "云台山春季旅游指南": "main", "红石峡": "main", "关于": "footer"}
