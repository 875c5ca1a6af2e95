"""What a page declares about itself is read, and checked where it often lies."""

from __future__ import annotations

import pytest

from tests.page.made import article
from topicspider.page.page import Page

URL = "http://www.example.com.cn/dir/a.html"


def page(head: str = "", body: str = "", url: str = URL) -> Page:
    return Page(url, f"<html><head>{head}</head><body>{body}</body></html>".encode(), "text/html")


@pytest.mark.parametrize(
    ("href", "canonical"),
    [
        ("http://www.example.com.cn/b", "http://www.example.com.cn/b"),
        ("/旅游", "http://www.example.com.cn/%E6%97%85%E6%B8%B8"),
        ("http://m.example.com.cn/b", "http://m.example.com.cn/b"),
        ("http://other.com.cn/b", ""),
        ("javascript:x", ""),
    ],
)
def test_canonical_is_believed_within_the_site_only(href, canonical):
    assert page(f"<link rel='canonical' href='{href}'>").canonical == canonical


@pytest.mark.parametrize(
    ("content", "robots"),
    [
        ("noindex,nofollow", {"noindex", "nofollow"}),
        ("NOFOLLOW", {"nofollow"}),
        ("none", {"noindex", "nofollow"}),
        ("index, follow", set()),
        ("", set()),
    ],
)
def test_meta_robots(content, robots):
    assert page(f"<meta name='ROBOTS' content='{content}'>").robots == robots


@pytest.mark.parametrize(
    ("head", "header", "robots"),
    [
        ("<meta name='topicspider' content='noindex'>", "", {"noindex"}),
        ("<meta name='googlebot' content='noindex'>", "", set()),
        ("", "noindex, nofollow", {"noindex", "nofollow"}),
        ("", "topicspider: nofollow", {"nofollow"}),
        ("", "otherbot: noindex, nofollow", set()),
        ("", "otherbot: noindex\nnofollow", {"nofollow"}),
        ("<meta name='robots' content='all'><meta name='robots' content='none'>", "", {"noindex", "nofollow"}),
        ("", "unavailable_after: 25 Jun 2010 15:00:00 GMT, noindex", {"noindex"}),
        ("<meta name='robots' content='noindex'>", "nofollow", {"noindex", "nofollow"}),
        ("", "\n" * 100_000 + "不收录：" * 1000, set()),
    ],
)
def test_robots_by_our_name_and_by_header(head, header, robots):
    read = Page(URL, f"<html><head>{head}</head></html>".encode(), "text/html", robots_header=header)
    assert read.robots == robots


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("<base href='/旅游/'>", "http://www.example.com.cn/%E6%97%85%E6%B8%B8/a.html"),
        ("<base href='http://static.example.net/x/'>", "http://static.example.net/x/a.html"),
        ("<base href='//static.example.net/x/y.html'>", "http://static.example.net/x/a.html"),
        ("<base target='_blank'>", "http://www.example.com.cn/dir/a.html"),
        ("<base target='_blank'><base href='/b/'>", "http://www.example.com.cn/b/a.html"),
        ("<base href='http://localhost/wwwroot/'>", "http://www.example.com.cn/dir/a.html"),
        ("<base href='file:///C:/web/'>", "http://www.example.com.cn/dir/a.html"),
    ],
)
def test_base(base, url):
    assert [link.url for link in page(base, "<a href='a.html'>甲</a>").links] == [url]


def test_a_base_of_the_own_host_is_obeyed_wherever_it_is():
    html = "<base href='/b/'><a href='a.html'>甲</a>"
    assert Page("http://localhost/x", html.encode(), "text/html").links[0].url == "http://localhost/b/a.html"


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0;url=/new.html", "http://www.example.com.cn/new.html"),
        ("5; URL='b.html'", "http://www.example.com.cn/dir/b.html"),
        ("0,URL=http://www.example.net/旅", "http://www.example.net/%E6%97%85"),
        ("30", ""),
        ("0;url=file:///etc/passwd", ""),
    ],
)
def test_meta_refresh(content, target):
    assert page(f'<meta http-equiv="Refresh" content="{content}">').refresh_url == target


@pytest.mark.parametrize(
    ("content_type", "body", "is_html"),
    [
        ("text/html, text/html; charset=gbk", b"", True),
        ("application/xhtml+xml", b"", True),
        ("application/pdf", b"%PDF-1.4 <html>", False),
        ("", b"<!DOCTYPE html><p>", True),
        ("", b"\x89PNG\r\n\x00\x00", False),
        ("text/plain", "<html><body>云台山".encode(), True),
        ("text/plain", "云台山".encode(), False),
        ("application/json", b'{"a": "<html>"}', False),
    ],
)
def test_markup_is_told_from_other_bytes(content_type, body, is_html):
    assert Page(URL, body, content_type).is_html is is_html


def _links(number: int) -> str:
    return "".join(f"<li><a href='/{i}.html'>第{i}条旅游新闻的标题</a></li>" for i in range(number))


@pytest.mark.parametrize(
    ("html", "url", "kind"),
    [
        (article(), URL, "article"),
        (f"<html><body><ul>{_links(60)}</ul></body></html>", URL, "list"),
        (article() + f"<ul>{_links(400)}</ul>", URL, "list"),
        ('<script type=\'application/ld+json\'>{"@type":"Product","name":"茶"}</script>', URL, "product"),
        (
            "<div class=post><p>楼主你好，请问怎么走？</p></div><div class=post><p>坐车去，很方便。</p></div>",
            "http://bbs.example.cn/thread-1.html",
            "forum",
        ),
        ("<p>短</p>", URL, "document"),
    ],
)
def test_the_kind_of_page(html, url, kind):
    assert Page(url, html.encode(), "text/html").type == kind


@pytest.mark.parametrize(
    ("html", "language"),
    [
        (article(), "zh"),
        ("<html lang='zh-CN'><p>The hills of the north are green and the walks are long.</p></html>", "en"),
        ("<p></p>", ""),
    ],
)
def test_language_is_that_of_the_text(html, language):
    assert Page(URL, html.encode(), "text/html").language == language


def test_feeds_are_those_that_say_so_canonical_and_few():
    link = '<link rel="{}" type="{}" href="{}">'
    head = "".join(
        link.format(*said)
        for said in (
            ("alternate", "application/rss+xml", "/旅游/feed"),
            ("ALTERNATE home", "Application/Atom+XML ", "atom.xml"),
            ("alternate", "application/rss+xml", "/旅游/feed"),
            ("alternate", "application/rss+xml", "javascript:alert(1)"),
            ("alternate", "application/json", "/json"),
            ("stylesheet", "application/rss+xml", "/css"),
        )
    )
    base = URL.rpartition("/")[0]
    origin = "/".join(URL.split("/")[:3])
    assert page(head).feeds == (f"{origin}/%E6%97%85%E6%B8%B8/feed", f"{base}/atom.xml")
    many = "".join(link.format("alternate", "application/rss+xml", f"/{number}") for number in range(500))
    assert len(page(many).feeds) == 10
    assert page().feeds == ()
