"""Links come with where they go, what they say and where they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.page.made import article
from topicspider.page.links import links_of
from topicspider.page.page import Page
from topicspider.page.parsed_page import Anchor, Reading
from topicspider.url import canonicalize

if TYPE_CHECKING:
    from topicspider.page.links import Link

URL = "http://www.example.cn/lvyou/list.html"


def page(html: str, url: str = URL, **options: int) -> Page:
    return Page(url, html.encode(), "text/html", **options)


def only(html: str) -> Link:
    (link,) = page(html).links
    return link


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("/a.html", "http://www.example.cn/a.html"),
        ("b.html", "http://www.example.cn/lvyou/b.html"),
        ("../c/", "http://www.example.cn/c/"),
        ("//other.example.cn/d", "http://other.example.cn/d"),
        ("?page=2", "http://www.example.cn/lvyou/list.html?page=2"),
        ("HTTP://WWW.Example.CN:80/e#top", "http://www.example.cn/e"),
        ("/旅游/云台山.html", "http://www.example.cn/%E6%97%85%E6%B8%B8/%E4%BA%91%E5%8F%B0%E5%B1%B1.html"),
        ("/%e6%97%85%e6%b8%b8/", "http://www.example.cn/%E6%97%85%E6%B8%B8/"),
        ("  /f.html\n", "http://www.example.cn/f.html"),
        ("/g?x=1&amp;y=2", "http://www.example.cn/g?x=1&y=2"),
        ("/go.php?id=7&u=http%3A%2F%2Fa.example%2F%E6%97%85%3Fx%3D1%26y", "http://a.example/%E6%97%85?x=1&y"),
        ("https://link.example/?target=https%3A//a.example/%D6%D0", "https://a.example/%D6%D0"),
        ("/login?url=http%3A%2F%2Fa.example", "http://www.example.cn/login?url=http%3A%2F%2Fa.example"),
    ],
)
def test_targets_are_absolute_and_canonical(href, target):
    assert only(f"<a href='{href}'>旅游</a>").url == target


@pytest.mark.parametrize(
    ("encoding", "query"),
    [("gbk", "%C9%BDa%C4%BE"), ("big5", "%A4sa%A4%EC%26%23128512%3B"), ("utf-8", "%E5%B1%B1a%E6%9C%A8")],
)
def test_a_query_is_written_in_the_encoding_of_its_page_and_a_path_in_utf8(encoding, query):
    """As browsers do; pages of one host may differ."""
    href, url = f"/山?kw=山a木{'&#128512;' * (encoding == 'big5')}#山", f"http://www.example.cn/%E5%B1%B1?kw={query}"
    head = f"<link rel=canonical href='{href}'><meta http-equiv=refresh content='9;url={href}'>"
    html = f"{head}{'大山上的水，在心中。' * 9}<a href='{href}'>山</a><a href='&#8203;{href}'>水</a>"
    read = Page(URL, html.encode(encoding), f"text/html; charset={encoding}")
    assert {read.canonical, read.refresh_url, *(link.url for link in read.links)} == {url}


@pytest.mark.parametrize(
    ("base", "target"),
    [
        ("http://static.example.cn/dir/", "http://static.example.cn/dir/a.html"),
        ("/other/", "http://www.example.cn/other/a.html"),
        ("javascript:alert(1)", "http://www.example.cn/lvyou/a.html"),
        ("", "http://www.example.cn/lvyou/a.html"),
    ],
)
def test_base_href_is_obeyed(base, target):
    assert only(f"<head><base href='{base}'></head><a href='a.html'>旅游</a>").url == target


@pytest.mark.parametrize(
    ("href", "reason"),
    [
        ("javascript:void(0)", "scheme"),
        ("mailto:a@example.cn", "scheme"),
        ("data:text/html,x", "scheme"),
        ("#top", "fragment"),
        ("", "fragment"),
        ("/a.gif", "media"),
        ("/b.jpg?size=2", "media"),
        ("/setup.exe", "media"),
        ("http://", "invalid"),
        ("http://[bad/", "invalid"),
    ],
)
def test_what_is_no_page_is_skipped_and_counted(href, reason):
    read = page(f"<a href='{href}'>下载</a><a href='/ok.html'>好</a>")
    assert [link.anchor for link in read.links] == ["好"]
    assert read.skipped_links == {reason: 1}


def test_the_anchor_is_the_text_else_the_image():
    read = page(
        "<a href='/a'>云台山 <b>旅游</b></a><a href='/b'><img src=x alt='红石峡 照片'></a><a href='/c' title='提示'></a>"
    )
    assert [link.anchor or link.title for link in read.links] == ["云台山 旅游", "红石峡 照片", "提示"]


@pytest.mark.parametrize(
    ("markup", "anchor"),
    [
        ("<a href='/b' aria-label='红石峡一日游'></a>", "红石峡一日游"),  # laid over a whole card of a list
        ("<a href='/b' aria-label='云台山 Yuntai Mountain'><img src=x alt='缩略图'></a>", "云台山 Yuntai Mountain"),
        ("<a href='/b' aria-label='Read on'>红石峡</a>", "红石峡"),
        ("<a href='/b' aria-label=''><img src=x alt='红石峡'></a>", "红石峡"),
        ("<map><area href='/b' alt='红石峡' aria-label='地图'></map>", "红石峡"),
        (f"<a href='/b' aria-label='{'很' * 5000}'></a>", "很" * 300),
    ],
)
def test_a_link_without_text_says_what_its_label_says(markup, anchor):
    assert [link.anchor for link in page(markup).links] == [anchor]


def test_an_arrow_that_is_labelled_next_page_is_pagination():
    read = page(
        "<a href='/list/b' aria-label='下一页'><svg></svg></a><a href='/list/c' aria-label='下一篇'><svg></svg></a>"
    )
    assert [link.is_pagination for link in read.links] == [True, False]


def test_context_ends_at_the_neighbouring_links_and_at_forty_characters():
    long = "很" * 60
    read = page(f"<p>{long}前文<a href='/a'>甲</a>中间的话<a href='/b'>乙</a>后文{long}</p>")
    first, second = read.links
    assert first.before == "很" * 38 + "前文"
    assert first.after == second.before == "中间的话"
    assert second.after == "后文" + "很" * 38


def test_context_before_stays_in_its_block_and_after_goes_on_to_the_summary():
    read = page("<p>上一段的结尾</p><h3><a href='/a'>云台山</a></h3><p>春季旅游指南</p>")
    assert (read.links[0].before, read.links[0].after) == ("", "春季旅游指南")


def test_the_heading_above_is_kept():
    read = page("<h2>旅游新闻</h2><ul><li><a href='/a'>甲</a></li></ul><h2>财经新闻</h2><div><a href='/b'>乙</a></div>")
    assert [link.heading for link in read.links] == ["旅游新闻", "财经新闻"]


def test_a_link_in_a_heading_stands_below_the_heading_before_it():
    read = page("<h2>旅游新闻</h2><h3><a href='/a'>云台山</a></h3>")
    assert read.links[0].heading == "旅游新闻"


@pytest.mark.parametrize(
    ("around", "block"),
    [
        ("<nav>{}</nav>", "nav"),
        ("<div class='topnav'>{}</div>", "nav"),
        ("<div id='mainMenu'><ul><li>{}</li></ul></div>", "nav"),
        ("<div role='navigation'>{}</div>", "nav"),
        ("<aside>{}</aside>", "aside"),
        ("<div class='right sidebar'>{}</div>", "aside"),
        ("<footer>{}</footer>", "footer"),
        ("<div class='footer'>{}</div>", "footer"),
        ("<header>{}</header>", "header"),
        ("<header><nav>{}</nav></header>", "nav"),
        ("<div class='post-content'>{}</div>", "main"),
        ("<div class='comment-list'>{}</div>", "main"),
        ("<div class='article_tab_content related-less'>{}</div>", "aside"),
    ],
)
def test_the_block_is_where_the_link_stands(around, block):
    html = article().replace("</body>", around.format("<a href='/the'>链接</a>") + "</body>")
    (link,) = [link for link in page(html).links if link.url.endswith("/the")]
    assert link.block == block


def test_link_rel_next_frames_and_areas_are_links():
    html = (
        "<html><head><link rel='next' href='?page=2'><link rel=stylesheet href=a.css></head><body>"
        "<map><area href='/map1' alt='地图'></map><iframe src='/frame'></iframe></body></html>"
    )
    found = {link.url: link for link in page(html).links}
    assert found["http://www.example.cn/map1"].anchor == "地图"
    assert found["http://www.example.cn/frame"].rel == "frame"
    assert found["http://www.example.cn/lvyou/list.html?page=2"].is_pagination
    assert len(found) == 3


def test_framesets_are_read():
    read = page("<html><frameset cols='20%,80%'><frame src='menu.htm'><frame src='main.htm'></frameset></html>")
    assert [link.url.rpartition("/")[2] for link in read.links] == ["menu.htm", "main.htm"]


def test_one_link_per_url_and_anchor_in_document_order():
    read = page("<a href='/a'>甲</a><a href='/a#x'>甲</a><a href='/a'>乙</a><a href='/b'>甲</a>")
    assert [(link.position, link.url[-1] + link.anchor) for link in read.links] == [*enumerate(("a甲", "a乙", "b甲"))]
    assert read.skipped_links == {"repeated": 1}
    assert read.link_count == 3


def test_no_more_links_than_the_bound():
    read = page("".join(f"<a href='/{i}'>{i}</a>" for i in range(2_040)))
    assert read.link_count == 2_000
    assert read.skipped_links == {"limit": 40}


def test_links_in_a_gbk_page_are_read():
    html = "<p>前文<a href='/旅'>云台山旅游</a>后文，中文网页。</p>"
    (link,) = Page(URL, html.encode("gbk"), "text/html; charset=gb2312").links
    assert (link.before, link.anchor, link.after) == ("前文", "云台山旅游", "后文，中文网页。")


def test_a_heading_of_several_lines_becomes_one():
    assert only("<pre>x\n<h2>旅游\n新闻</h2></pre><a href='/a'>甲</a>").heading == "旅游 新闻"


@given(st.one_of(st.text(max_size=40), st.text("abl/.:?#%\\@ 旅&=;\t", max_size=30)))
def test_targets_are_what_canonicalize_makes_of_them(href):
    base = "http://www.example.cn/lvyou/a;b/list.html?x=/y/z"
    reading = Reading(text="甲", anchors=[Anchor(href, 0, 1, -1, 0, -1)])
    expected = canonicalize(href.strip(), base) if href.strip()[:1] not in ("", "#") else None
    found = links_of(reading, [], base, base)
    assert [link.url for link in found.links] == ([expected] if expected and not found.skipped else [])


@pytest.mark.parametrize("rel", ["nofollow", "UGC noopener", "sponsored"])
def test_a_link_not_vouched_for_is_kept(rel):
    """A hint, as search engines treat it, and no ban."""
    assert only(f"<a href='/lvyou/' rel='{rel}'>旅游</a>").rel == rel.lower()
