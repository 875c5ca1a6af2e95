"""Lists of articles are told from articles: by what they declare, by their teasers, by their address."""

from __future__ import annotations

import json

import pytest

from tests.page.made import PARAGRAPHS, article
from topicspider.page.page import Page
from topicspider.page.page_type import is_listing_address

URL = "http://www.example.cn/blog/"


def teasers(count: int, more: str = "") -> str:
    """A blog's front page: headings that lead on, each with an excerpt."""
    return "".join(
        f"<article><h2><a href='/p/{n}.html'>第{n}篇游记</a></h2><p>{PARAGRAPHS[n % 3]}</p>{more.format(n=n)}</article>"
        for n in range(count)
    )


def kind(body: str, url: str = URL, head: str = "") -> str:
    html = f"<html><head><title>山水网</title>{head}</head><body><h1>山水网</h1>{body}</body></html>"
    return Page(url, html.encode(), "text/html").type


def test_teasers_make_a_list():
    assert kind(teasers(6)) == "list"
    assert kind(teasers(2)) != "list"
    assert kind(teasers(6), "http://www.example.cn/") == "hub"


def test_a_page_that_shows_another_in_a_frame_is_none_to_read():
    html = "<title>주말 산행</title><iframe id='mainFrame' src='/PostView?blogId=a&logNo=1'></iframe>"
    assert Page(URL, html.encode(), "text/html").type == "hub"
    assert kind("<iframe src='/map'></iframe>" + "".join(f"<p>{text}</p>" for text in PARAGRAPHS)) == "article"


@pytest.mark.parametrize("more", ["阅读全文", "阅读更多", "繼續閱讀", "Read more", "Continue reading 游记"])
def test_links_to_the_rest_make_a_list(more):
    plain = "".join(f"<div><b>游记{n}</b><p>{PARAGRAPHS[n % 3]}</p><a href='/p/{n}'>{more}</a></div>" for n in range(5))
    assert kind(plain) == "list"
    assert kind(plain.replace(more, "图片来源")) == "article"


def test_headings_beside_a_story_do_not_make_it_a_list():
    related = "".join(f"<h3><a href='/n/{n}.html'>相关的第{n}篇</a></h3>" for n in range(8))
    assert Page(URL, article(after=related).encode(), "text/html").type == "article"


def test_several_declared_articles_make_a_list_and_one_that_the_title_names_an_article():
    posts = [{"@type": "BlogPosting", "headline": f"第{n}篇游记"} for n in range(5)]
    script = '<script type="application/ld+json">{}</script>'
    assert kind(f"<p>{PARAGRAPHS[0]}</p>", head=script.format(json.dumps(posts))) == "list"
    menu = "".join(f"<a href='/m/{n}'>一个很长的栏目名称{n}</a>" for n in range(100))
    one = script.format(json.dumps({"@type": "NewsArticle", "headline": "云台山春季旅游指南"}))
    assert Page(URL, article(head=one, before=menu).encode(), "text/html").type == "article"


LISTS = "/tag/%E6%97%85%E6%B8%B8/ /category/news/page/3/ /archives/2020/ /2020/05/ /lvyou/list_2.html /lvyou/index_12.shtml /?paged=2 /news.asp?page=3"
OTHERS = "/archives/12345.html /archives/12345 /2020/05/01/post/ /lvyou/1.html /show.asp?id=3 / /news_show.asp?id=3&class=旅游&Page=2"


@pytest.mark.parametrize("path", [*LISTS.split(), "/show_list.asp?classid=3&Page=2"])
def test_addresses_of_lists(path):
    assert is_listing_address(f"http://e.cn{path}")


@pytest.mark.parametrize("path", OTHERS.split())
def test_addresses_of_others(path):
    assert not is_listing_address(f"http://e.cn{path}")


def test_an_address_of_a_list_needs_links():
    links = "".join(f"<a href='/p/{n}'>{n}</a> " for n in range(6))
    tagged = f"<p>{PARAGRAPHS[0]}</p><p>{PARAGRAPHS[1]}</p>{links}"
    assert kind(tagged, "http://e.cn/tag/lvyou/") == "hub"
    post = '<script type="application/ld+json">{"@type": "BlogPosting", "headline": "山水网"}</script>'
    assert kind(tagged, "http://e.cn/tag/lvyou/", head=post) == "article"
    named = f"{post}<meta property='og:site_name' content='山水网'>"
    assert kind(tagged, "http://e.cn/tag/lvyou/", head=named) == "hub"  # the article is the site
    assert kind(f"<p>{PARAGRAPHS[0]}</p><p>{PARAGRAPHS[1]}</p>", "http://e.cn/tag/lvyou/") == "article"
