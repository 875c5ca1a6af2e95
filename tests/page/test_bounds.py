"""P1: no input raises out of Page, every field is bounded, and hostile markup costs little."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.page.made import PARAGRAPHS, article
from topicspider.page.page import Page
from topicspider.page.parse import MAX_ATTRIBUTES, bounded

FIELDS = (
    "encoding html base_url canonical title body summary keywords title_words body_words links link_count language published modified "
    "author site_name type data robots refresh_url is_html is_readable document skipped_links"
)
GENEROUS_SECONDS = 5
"""Hostile pages cost 0.05 to 0.3 s here; without bounds, the first two cost 5 and 21 s, and grow with the square."""

PIECES = [
    "<div class='nav comment'>", "</div>", "<p>", "</p>", "<a href='/旅游'>", "<a href=", "</a>", "<h1>", "</h1>", "<title>", "</title>",
    "<meta name=keywords content='", "'>", "<meta http-equiv=refresh content='0;url=", "<base href='", "<script type='application/ld+json'>",
    '{"@type":"NewsArticle","headline":', '"\\ud800"', "}</script>", "</script>", "<table>", "<tr>", "<td>", "<svg>", "<math>", "<template>",
    "<frameset>", "<frame src=x>", "<select>", "<textarea>", "<plaintext>", "<!--", "-->", "<![CDATA[", "<?php", "<noscript>", "&#x110000;", "&nbsp;",
    "\0", "\ufeff", "\u202e", "相关新闻", "2024年5月1日", "云台山，旅游。", "作者：李四 ", "<time datetime='2024-13-99'>", "<br>", "<b><i>", "</b></i>",
    "<link rel='canonical next' href='//", "http://[", "x" * 300, "<pre>\n", "<img alt='图'>", "<li>", "<ul>", '"', "'", ">", "<", "=", "/",
]  # fmt: skip


def check_every_field(page: Page) -> None:
    for name in FIELDS.split():
        value = getattr(page, name)
        assert size_of(value) <= 4_500_000
        str(value).encode("utf-8")
    assert len(page.title) <= 300
    assert len(page.body) <= 200_000
    assert len(page.summary) <= 300
    assert len(page.keywords) <= 10
    for link in page.links:
        assert len(link.url) <= 2083
        assert max(len(link.anchor), len(link.title), len(link.heading)) <= 300
        assert max(len(link.before), len(link.after)) <= 40
        assert link.block in ("main", "nav", "aside", "footer", "header")
        assert "\n" not in link.anchor + link.before + link.after + link.heading


def size_of(value: object) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, (list, tuple, frozenset, dict)):
        return sum(size_of(part) for part in value)
    return 8


@given(
    st.binary(max_size=400), st.sampled_from(["", "text/html", "text/html; charset=gbk", "text/html; charset=utf-7"])
)
def test_any_bytes_are_read(body, content_type):
    check_every_field(Page("http://www.example.cn/", b"<html>" + body, content_type))


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=40), st.sampled_from(["utf-8", "gbk", "big5", "utf-16"]))
def test_any_markup_is_read(pieces, encoding):
    check_every_field(Page("http://www.example.cn/旅游/", "".join(pieces).encode(encoding, "ignore"), "text/html"))


@given(st.text(max_size=50), st.text(max_size=50))
def test_any_url_and_content_type_are_taken(url, content_type):
    check_every_field(Page(url, article().encode(), content_type))


@settings(max_examples=300)
@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_the_rewriting_is_read_like_anything_else(pieces):
    absurd = "<div " + " ".join(f"a{i}=1" for i in range(100)) + ">"
    text = bounded("".join(pieces) + absurd)
    assert bounded(text) == text
    check_every_field(Page("http://www.example.cn/", text.encode("utf-8", "ignore"), "text/html"))


HOSTILE = {
    "attributes in one tag": "<div " + " ".join(f"a{i}=1" for i in range(40_000)) + ">x</div>",
    "nested divs": "<div>" * 100_000,
    "links": "".join(f"<a href='/p/{i}'>链接{i}</a>" for i in range(100_000)),
    "open tags": "<a " * 300_000,
    "quotes that hide tags": "<a x=\"<b y='<c " * 70_000,
    "tags of many attributes": ("<a " * 127 + ">") * 3_000,
    "attributes behind a long value": "<p a='" + "x" * 9_000 + "' " + "b c d " * 100_000 + ">",
    "attributes that begin with =": "<p " + "=a " * 100_000 + ">",
    "attributes without space": "<p " + 'a="1"' * 100_000 + ">",
    "less-than signs": "<" * 1_000_000,
    "comments": "<!--" * 200_000,
    "title": "<title>" + "标题" * 3_000_000,
    "headings": "<h1>标题啊标题</h1>" * 50_000,
    "endings": f"<p>{PARAGRAPHS[0]}</p>" + "<p>相关新闻</p><div>相关阅读</div>" * 7_000,
    "meta": "<meta name=x content=y>" * 60_000,
    "json": "<script type='application/ld+json'>" + "[" * 100_000 + "</script>",
    "dates": "2024年13月45日 " * 50_000,
    "spaces": "<p>" + " " * 3_000_000,
    "dots in a path": "<a href='" + "/.." * 500_000 + "'>x</a>",
    "separators in a title": "<title>" + "_ - " * 100_000 + "</title>",
    "misnested formatting": "<b><i><p>" * 20_000,
    "raw text in svg": "<svg><style><div " + "a " * 200_000,
}


@pytest.mark.parametrize("markup", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_pages_cost_little(markup):
    started = time.process_time()
    check_every_field(Page("http://www.example.cn/", markup.encode(), "text/html"))
    assert time.process_time() - started < GENEROUS_SECONDS


def test_links_after_an_absurd_tag_are_still_read():
    absurd = "<div " + " ".join(f"a{i}=1" for i in range(MAX_ATTRIBUTES + 1)) + ">"
    page = Page("http://www.example.cn/", (absurd + "<a href='/旅游' title='\"好\"'>云台山</a>").encode(), "text/html")
    assert [(link.anchor, link.title) for link in page.links] == [("云台山", '"好"')]


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
