"""Promise P1: no input raises out of Page, every field is bounded, and what is rewritten keeps what it says."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.page.asking import check
from tests.page.made import article
from topicspider.page.page import Page
from topicspider.page.rewriting import MAX_ATTRIBUTES, bounded

PIECES = [
    "<div class='nav comment'>", "</div>", "<p>", "</p>", "<a href='/旅游'>", "<a href=", "</a>", "<h1>", "</h1>", "<title>", "</title>",
    "<meta name=keywords content='", "'>", "<meta http-equiv=refresh content='0;url=", "<base href='", "<script type='application/ld+json'>",
    '{"@type":"NewsArticle","headline":', '"\\ud800"', "}</script>", "</script>", "<table>", "<tr>", "<td>", "<svg>", "<math>", "<template>",
    "<frameset>", "<frame src=x>", "<select>", "<textarea>", "<plaintext>", "<!--", "-->", "<![CDATA[", "<?php", "<noscript>", "&#x110000;", "&nbsp;",
    "\0", "\ufeff", "\u202e", "相关新闻", "2024年5月1日", "云台山，旅游。", "作者：李四 ", "<time datetime='2024-13-99'>", "<br>", "<b><i>", "</b></i>",
    "<link rel='canonical next' href='//", "http://[", "x" * 300, "<pre>\n", "<img alt='图'>", "<li>", "<ul>", '"', "'", ">", "<", "=", "/",
]  # fmt: skip


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_the_rewriting_is_read_like_anything_else(pieces):
    absurd = "<div " + " ".join(f"a{i}=1" for i in range(100)) + ">"
    text = bounded("".join(pieces) + absurd)
    assert bounded(text) == text
    check(Page("http://www.example.cn/", text.encode("utf-8", "ignore"), "text/html"))


def test_links_after_an_absurd_tag_are_still_read():
    absurd = "<div " + " ".join(f"a{i}=1" for i in range(MAX_ATTRIBUTES + 1)) + ">"
    page = Page("http://www.example.cn/", (absurd + "<a href='/旅游' title='\"好\"'>云台山</a>").encode(), "text/html")
    assert [(link.anchor, link.title) for link in page.links] == [("云台山", '"好"')]


def test_a_rewritten_page_has_references_and_declarations_as_others_do():
    absurd = "<div " + " ".join(f"a{i}=1" for i in range(MAX_ATTRIBUTES + 1)) + "></div>"
    html = "<!DOCTYPE html><?xml version='1.0'?><a href='?id=1&section=2&amp;copy=3&reg'>云台山</a><![if !IE]>"
    plain, rewritten = (Page("http://a.example/", (html + more).encode(), "text/html") for more in ("", absurd))
    assert bounded(rewritten.html) != rewritten.html
    assert rewritten.reading.text.strip() == plain.reading.text.strip() == "云台山"
    assert rewritten.links == plain.links


def test_links_below_a_hundred_thousand_divs_are_still_read():
    page = Page("http://www.example.cn/", ("<div>" * 20_000 + "<a href='/旅游'>云台山</a>").encode(), "text/html")
    assert [link.anchor for link in page.links] == ["云台山"]


def test_a_rewritten_article_reads_as_the_article_does():
    absurd = "<span " + " ".join(f"a{i}=1" for i in range(MAX_ATTRIBUTES + 1)) + "></span>"
    plain, rewritten = (
        Page("http://www.example.cn/", html.encode(), "text/html") for html in (article(), article(after=absurd))
    )
    assert bounded(rewritten.html) != rewritten.html
    assert (rewritten.title, rewritten.body, rewritten.links) == (plain.title, plain.body, plain.links)


def test_an_ordinary_page_is_not_rewritten():
    html = article()
    assert bounded(html) is html
