"""Links of one list belong together, and menus without a name are told from what a page is about."""

from __future__ import annotations

import pytest

from topicspider.page.page import Page

URL = "http://www.example.com.cn/lvyou/list.html"
TEXT = "<p>" + "云台山在河南省焦作市，春天有红石峡的瀑布，秋天有茱萸峰的红叶，门票和路线都可以预订。" * 8 + "</p>"
MENU = "<table><tr><td>" + " | ".join(f"<a href='/{n}/'>{n}</a>" for n in ("新闻", "旅游", "财经", "体育", "房产", "汽车")) + "</td></tr></table>"  # fmt: skip
FOOTER = "<center>" + " - ".join(f"<a href='/{n}.htm'>{n}</a>" for n in ("关于我们", "联系我们", "广告服务", "法律声明")) + "</center>"  # fmt: skip
LIST = "<table>" + "".join(f"<tr><td>·<a href='/lvyou/{n}.html'>第{n}条旅游新闻的标题很长</a></td><td>05-0{n}</td></tr>" for n in range(1, 9)) + "</table>"  # fmt: skip


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


def test_menus_of_tables_without_a_name_are_told_from_the_list():
    found = blocks(MENU + LIST + FOOTER)
    assert {found[name] for name in ("新闻", "旅游", "汽车")} == {"nav"}
    assert {found[name] for name in ("关于我们", "法律声明")} == {"footer"}
    assert {block for name, block in found.items() if name.startswith("第")} == {"main"}


def test_menus_above_a_text_are_found_and_its_own_links_are_main():
    found = blocks(MENU + TEXT + "<p>相关：<a href='/a.html'>云台山</a></p>" + FOOTER)
    assert (found["旅游"], found["云台山"], found["联系我们"]) == ("nav", "main", "footer")


@pytest.mark.parametrize(
    "html",
    [
        MENU,
        MENU * 3 + "<p>版权所有 未经书面授权，本站的一切内容不得转载，违者将被追究法律责任，谢谢合作。</p>",
        MENU.replace("/'>", "/'>河南省焦作市云台山景区的") + LIST,
        MENU.replace("财经", "<b>" + "很长的话" * 40 + "</b>") + LIST,
        LIST + "<p>" + "".join(f"<a href='list_{n}.html'>[{n}]</a>" for n in range(2, 9)) + "</p>",
        f"<article>{MENU}{TEXT}</article>",
    ],
)
def test_what_a_page_is_about_is_no_menu(html):
    assert set(blocks(html).values()) == {"main"}


def test_the_header_and_footer_of_an_article_are_main():
    article = f"<article><header><h2><a href=1.html>云台山春季旅游指南</a></h2></header>{TEXT}<footer><a href=tag>红石峡</a></footer></article>"
    found = blocks(
        f"<header><a href='/'>山水网</a></header>{article}{article.replace('1.html', '2.html')}<footer><a href='/us'>关于</a></footer>"
    )
    assert found == {"山水网": "header", "云台山春季旅游指南": "main", "红石峡": "main", "关于": "footer"}
