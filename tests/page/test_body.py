"""The body is the running text, and nothing of the frame around it."""

from __future__ import annotations

import pytest

from tests.page.made import PARAGRAPHS, article
from topicspider.page.page import Page

BODY = "\n".join(PARAGRAPHS)


def body(html: str) -> str:
    return Page("http://www.example.cn/a.html", html.encode(), "text/html").body


FIRST, SECOND, THIRD = PARAGRAPHS
BOX = "<div class='box'><b>相关阅读</b><p>太行山的春天来了，漫山遍野都是花，游人如织。</p></div>"
POSTS = "".join(f"<div class='comment'><p>{paragraph}</p></div>" for paragraph in PARAGRAPHS)
LONG = f"<div>{''.join(f'<p>{paragraph}</p>' for paragraph in PARAGRAPHS * 8)}</div>"
LONG_BODY = "\n".join(PARAGRAPHS * 8)
LINKED = FIRST.replace("河南省", "<a href='/henan'>河南省</a>")


@pytest.mark.parametrize(
    "inner",
    [
        f"<div id='text'><p>{FIRST}</p>{BOX}<p>{SECOND}</p><p>{THIRD}</p></div>",
        f"<table><tr><td><a href='/'>首页</a></td><td><font size=2>　　{'<br>　　'.join(PARAGRAPHS)}</font></td></tr></table>",
        f"<div class='thread'>{POSTS}</div>",
        f"<div><p>{LINKED}</p><p>{SECOND}</p><p>{THIRD}</p></div>",
        f"<div class='sidebar-left'>{article()}</div>",
    ],
    ids=["box in the middle", "old table", "posts called comments", "link in a sentence", "class of the whole page"],
)
def test_the_paragraphs_are_the_body_however_they_are_set(inner):
    assert body(f"<html><body>{inner}</body></html>") == BODY


@pytest.mark.parametrize(
    "noise",
    [
        "<script>var 旅游 = '这不是正文，也不是。';</script>",
        "<style>.a{color:red}</style>",
        "<nav>首页，旅游，财经，这里是导航，不是正文。</nav>",
        "<aside>热门推荐，点击排行，这里是侧栏，不是正文。</aside>",
        "<footer>版权所有，未经许可不得转载，违者必究。</footer>",
        "<div class='comment-list'><p>楼主说得好，我也去过，很不错。</p></div>",
        "<div class='cookie-banner'>本站使用缓存，以便改进服务，请您同意。</div>",
        "<div style='display: none'>看不见的文字，一句又一句，都不是正文。</div>",
        "<div class='share'>分享到微博，分享到微信，分享到空间。</div>",
        "<p>责任编辑：王五</p><p>声明：本文由网友上传，不代表本站观点，请读者自行判断。</p>",
        "<!-- <p>注释里的话，不是正文，不应该出现。</p> -->",
        "<noscript>请开启JavaScript，否则无法浏览，谢谢合作。</noscript>",
    ],
)
def test_what_surrounds_the_text_is_left_out(noise):
    assert body(article(after=noise)) == BODY


@pytest.mark.parametrize(
    "line",
    [
        "2024年5月1日 10:20 来源：山水日报",
        "来源：山水日报",
        "发布时间：2024-05-01 08:00 点击：321",
        "Published 11:02, 9 May 2024",
        "Von Jens Krüger, 1. Mai 2024, 6:00 Uhr",
    ],
)
def test_the_line_of_date_and_source_is_left_out(line):
    assert body(article(before=f"<div class='info'>{line}</div>")) == BODY


def test_tables_and_lists_in_the_text_are_kept():
    first, second, third = PARAGRAPHS
    table = "<table><tr><td>成人</td><td>120元</td></tr><tr><td>儿童</td><td>免票</td></tr></table><ul><li>带水</li><li>带伞</li></ul>"
    found = body(f"<html><body><div><p>{first}</p>{table}<p>{second}</p><p>{third}</p></div></body></html>")
    assert found.split("\n") == [first, "成人", "120元", "儿童", "免票", "带水", "带伞", second, third]


def test_a_lead_between_the_title_and_the_text_belongs_to_it_and_a_caption_does_not():
    title = "太行山里的一个春天"
    lead = "记者走进太行山深处，看一个村庄怎样用十年时间修成一条路，怎样把山里的果子卖到城里，又怎样留住年轻人。" * 2
    picture = f"<figure><figcaption>{'村口的桃花开了，记者在山上拍到这一幕。' * 5}</figcaption></figure>"
    page = f"<title>{title}</title><div><h1>{title}</h1><div><p>{lead}</p></div>{picture}{LONG}</div>"
    assert body(page) == f"{lead}\n{LONG_BODY}"


@pytest.mark.parametrize(
    "around",
    [f"<div class='entry paywall'>{LONG}</div>", f"<article>首页<article>{LONG}</article></article>"],
    ids=["class of a paywall", "article within an article"],
)
def test_what_holds_most_of_the_text_is_the_body_whatever_it_is_called(around):
    notice = "<div><p>本站的服务条款，请您阅读。</p></div>" * 20
    assert body(f"<html><body>{notice}{around}</body></html>") == LONG_BODY


def test_more_text_that_stands_beside_the_title_is_another_page_or_a_comment():
    text = "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
    others = f"<div>{'<p>我去年秋天也去过那里，人不多，值得再去一次。</p>' * 12}</div>"
    page = f"<title>云台山春季旅游指南</title><div><div><h1>云台山春季旅游指南</h1>{text}</div>{others}</div>"
    assert body(page) == BODY


def test_a_page_of_links_has_no_body():
    links = "".join(f"<li><a href='/{i}.html'>第{i}条新闻的标题，写得很长很长</a></li>" for i in range(50))
    assert body(f"<html><body><ul>{links}</ul></body></html>") == ""


def test_preformatted_text_keeps_its_lines():
    html = f"<html><body><div><p>{PARAGRAPHS[0]}</p><pre>第一行，开始。\n第二行，结束。</pre><p>{PARAGRAPHS[1]}</p></div></body></html>"
    assert "第一行，开始。\n第二行，结束。" in body(html)


def test_a_signature_with_looks_of_its_own_goes_with_the_text():
    signed = "<p style='text-align:right'>青山市旅游局</p><p style='text-align:right'>2024年5月1日</p>"
    assert body(article().replace("出游。</p>", f"出游。</p>{signed}")) == BODY + "\n青山市旅游局\n2024年5月1日"


def test_captions_of_pictures_are_a_body_though_only_one_is_a_sentence():
    captions = ["雨后的山谷，云从脚下流过。", "挑夫在石阶上歇脚", "山顶的老松", "日落时分的索道"]
    pictures = "".join(f"<p><img src='{at}.jpg'></p><p>{text}</p>" for at, text in enumerate(captions))
    assert body(f"<title>组图</title><h1>镜头里的青山</h1><div>{pictures}</div>") == "\n".join(captions)


def test_what_frames_each_post_of_a_thread_is_no_text():
    said = [
        "周末去了青山，早上六点出发，走了四个小时。",
        "请问西线能通车吗？想带老人去。",
        "不通，要走到三岔口才有公交。",
    ]
    posts = "".join(
        f"<div class='plhin'><div class='pls'><p>{at}主题</p><p>高级会员</p></div><em>发表于 2014-10-{at} 21:0{at}:11</em><div>{text}</div></div>"
        for at, text in enumerate(said, 1)
    )
    page = Page("http://www.example.cn/thread-2210-1-1.html", f"<h1>青山登山记</h1>{posts}".encode(), "text/html")
    assert page.body == "\n".join(said)


def test_a_list_with_hardly_any_text_has_no_body_of_its_footer():
    footer = "中国旅游网是国内领先的旅游门户，为游客提供景区门票、旅行社服务。"
    assert body(f"<ul>{'<li><a href=/1>红石峡</a></li>' * 9}</ul><div class='footer'>{footer}</div>") == ""
