"""Which text of a page is its body: beside the title rather than in lists of teasers, all posts of a thread, nothing in overlays."""

from __future__ import annotations

import pytest

from tests.page.made import PARAGRAPHS
from topicspider.page.bodies.thread import is_thread
from topicspider.page.page import Page

FIRST, SECOND, THIRD = PARAGRAPHS
TEASERS = "".join(
    f"<li><a href='/{n}.html'>第{n}条新闻的标题写在这里</a><p>这是第{n}条新闻的摘要，它说的是另一件事情，和本文没有任何关系，读者点击标题可以看到全文。</p></li>"
    for n in range(1, 13)
)


def body(inner: str, url: str = "http://www.example.cn/a.html", head: str = "") -> str:
    html = f"<html><head><title>云台山春季旅游指南</title>{head}</head><body>{inner}</body></html>"
    return Page(url, html.encode(), "text/html").body


def test_a_short_text_beside_the_title_outweighs_a_long_list_of_teasers():
    text = f"<div class='a'><h1>云台山春季旅游指南</h1><p>{FIRST}{THIRD}</p><p>{SECOND}</p></div>"
    assert body(f"{text}<div class='b'><ul>{TEASERS}</ul></div>") == f"{FIRST}{THIRD}\n{SECOND}"


def test_an_introduction_beside_the_title_does_not_outweigh_the_text():
    text = f"<div class='a'><h1>云台山春季旅游指南</h1><p>{THIRD}</p></div><div class='b'>{f'<p>{FIRST}</p><p>{SECOND}</p>' * 4}</div>"
    found = body(text)
    assert FIRST in found
    assert SECOND in found


def test_the_title_is_no_part_of_the_body():
    assert body(f"<div><p>{THIRD}</p><h1>云台山春季旅游指南</h1><p>{FIRST}</p><p>{SECOND}</p></div>").count("指南") == 0


@pytest.mark.parametrize("name", ["cookie-notice", "onetrust-consent", "modal"])
def test_a_long_overlay_does_not_hide_what_class_names_call_a_sidebar(name):
    notice = "本站使用缓存文件，以便改进服务，了解您的喜好，并向您展示合适的内容，请您仔细阅读以下条款。"
    page = f"<div class='{name}'>{f'<p>{notice}</p>' * 12}</div><div class='side-page'><p>{FIRST}</p><p>{SECOND}</p><p>{THIRD}{FIRST}</p></div>"
    assert body(page) == f"{FIRST}\n{SECOND}\n{THIRD}{FIRST}"


def test_a_word_in_the_names_of_many_containers_that_hold_the_text_together_says_nothing():
    posts = "".join(f"<div class='row userRank-{n}'><div><p>{p}</p></div></div>" for n, p in enumerate(PARAGRAPHS))
    assert body(f"<div id='top'><p>欢迎来到本站，请先登录，再发言。</p></div>{posts}").endswith("\n".join(PARAGRAPHS))


def test_an_article_within_an_article_is_another_page_s_teaser():
    nested = "".join(f"<article><h2>别的文章{n}</h2><p>{THIRD}{THIRD}</p></article>" for n in range(3))
    assert (
        body(f"<article><h1>云台山春季旅游指南</h1><p>{FIRST}</p><p>{SECOND}</p>{nested}</article>")
        == f"{FIRST}\n{SECOND}"
    )


POSTS = "".join(
    f"<div class='reply'><div class='user-info'>用户{n} 注册于二〇二〇年，发帖三百篇。</div><p>{p}</p></div>"
    for n, p in enumerate(PARAGRAPHS)
)


def test_all_posts_of_a_thread_are_its_body_and_what_it_says_of_users_is_not():
    page = f"<h1>云台山春季旅游指南</h1><div class='first'><p>{SECOND}{SECOND}</p></div>{POSTS}"
    found = body(page, "http://bbs.example.cn/thread-12-1-1.html").split("\n")
    assert found == [SECOND * 2, *PARAGRAPHS]


def test_the_replies_to_an_article_are_not_its_body():
    page = f"<h1>云台山春季旅游指南</h1><div class='first'><p>{SECOND}{THIRD}</p><p>{FIRST}{THIRD}</p></div>{POSTS}"
    assert body(page).split("\n") == [SECOND + THIRD, FIRST + THIRD]


@pytest.mark.parametrize(
    ("url", "generator", "expected"),
    [
        ("http://bbs.example.cn/a.html", "", True),
        ("http://www.example.com/forum/viewtopic.php?t=5", "", True),
        ("http://www.example.com/questions/12/how", "", True),
        ("http://www.example.com/t/how-it-goes/12", "", True),
        ("http://www.example.com/a.html", "Discuz! X3.4", True),
        ("http://www.example.com/news/12.html", "WordPress 6.4", False),
        ("http://www.example.com/threading/topical.html", "", False),
        ("", "", False),
    ],
)
def test_a_thread_is_told_by_its_address_or_its_software(url, generator, expected):
    assert is_thread(url, {"generator": generator}, "") is expected


def test_a_thread_is_told_by_what_it_declares():
    assert is_thread("http://www.example.com/a.html", {}, "forum")


def test_short_lines_of_the_text_s_own_kind_go_with_its_first_and_last_paragraph():
    assert body(f"<div><p>春天到了。</p><p>{FIRST}</p><p>{SECOND}</p><p>欢迎光临。</p></div>").split("\n")[::3] == [
        "春天到了。",
        "欢迎光临。",
    ]


@pytest.mark.parametrize("words", ["相关阅读", "延伸閱讀", "Leggi anche", "Read more", "Читайте также"])
def test_a_line_that_points_elsewhere_within_a_text_does_not_end_it(words):
    page = f"<div><p>{FIRST}</p><p>{words}</p><h2><a href='/b'>另一篇文章的标题</a></h2><p>{SECOND}{SECOND}</p><p>{THIRD}</p></div>"
    assert body(page).split("\n") == [FIRST, SECOND * 2, THIRD]


@pytest.mark.parametrize(
    "words", ["相关新闻", "猜你喜欢", "Related stories", "Mehr zum Thema", "関連記事", "관련 기사"]
)
def test_a_box_of_teasers_behind_the_text_is_cut_off(words):
    page = f"<div><div><p>{FIRST}</p><p>{SECOND}</p><p>{THIRD}</p></div><div><h3>{words}</h3><p>太行山的春天来了，漫山遍野都是花，游人如织。</p></div></div>"
    assert body(page).split("\n") == list(PARAGRAPHS)
