"""Authors are found by what a page declares and by its byline; editors and templates are none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.page.page import Page

TEXT = "<p>云台山位于河南省焦作市，是一处以山水景观闻名的旅游胜地，每年春天都有许多游客前来登山赏花。</p>"


def author(head: str = "", body: str = "", after: str = "") -> str:
    html = f"<html><head><meta charset=utf-8><title>云台山春季旅游指南_山水网</title>{head}</head><body><h1>云台山春季旅游指南</h1>{body}{TEXT}{after}</body></html>"
    return Page("http://www.example.cn/a.html", html.encode(), "text/html").author


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("作者：张三", "张三"),
        ("2024-05-01 12:30 来源：山水日报 作者：欧阳山水", "欧阳山水"),
        ("作　者：张三", "张三"),
        ("作者：张三 李四", "张三、李四"),
        ("作者：张三、李四、王五 责任编辑：赵六", "张三、李四、王五"),
        ("作者：阿卜杜拉·买买提", "阿卜杜拉·买买提"),
        ("作者：一个人的旅行", "一个人的旅行"),
        ("文/张三 图/李四", "张三"),
        ("撰文：张三", "张三"),
        ("本报记者 张三 通讯员 李四", "张三"),
        ("记者 张三 报道", "张三"),
        ("新华社记者张三、李四", "张三、李四"),
        ("本报讯（记者 李四）云台山景区今日开园。", "李四"),
        ("記者 李四 報導", "李四"),
        ("作者：Ann Walker", "Ann Walker"),
        ("By Jane Doe", "Jane Doe"),
        ("By Jane Doe and John van Smith", "Jane Doe, John van Smith"),
        ("By Jane Doe | May 1, 2024", "Jane Doe"),
        ("Von Jürgen Müller", "Jürgen Müller"),
        ("Автор: Иван Петров", "Иван Петров"),
        ("责任编辑：李四", ""),
        ("作者：佚名", ""),
        ("作者：admin", ""),
        ("来源：山水网 2024-05-01", ""),
        ("记者从景区获悉，今年的游客比去年多了一倍。", ""),
        ("Written by this programme, by default.", ""),
        ("没有人署名。", ""),
    ],
)
def test_bylines(line, wanted):
    assert author(body=f"<div class='info'>{line}</div>") == wanted


@pytest.mark.parametrize(
    ("head", "body", "wanted"),
    [
        ("<meta name='author' content='李四'>", "", "李四"),
        ("<meta name='author' content='Discuz! Team and Comsenz UI Team'>", "", ""),
        ("<meta property='article:author' content='https://example.com/u/1'>", "<p>作者：赵六 2024-05-01</p>", "赵六"),
        ("<meta name='author' content='山水网络公司'>", "<p>作者：赵六</p>", "赵六"),
        ("", "<a rel='author' href='/u/1'>张三</a>", "张三"),
        ("", "<span itemprop='author'>张三</span>", "张三"),
        ("", "<span class='post-author'>张三</span> <span>2024-05-01</span>", "张三"),
        ("", "<div class='byline'>Jane Doe</div>", "Jane Doe"),
        ("", "<div class='comments'><span class='author'>游人甲</span></div>", ""),
    ],
)
def test_other_sources(head, body, wanted):
    assert author(head, body) == wanted


@pytest.mark.parametrize(
    ("things", "wanted"),
    [
        ({"@type": "Article", "author": {"name": "王五"}}, "王五"),
        ({"@type": "Article", "author": "王五"}, "王五"),
        ({"@type": "Article", "author": [{"name": "王五"}, {"name": "赵六"}]}, "王五、赵六"),
        (
            [{"@type": "Article", "author": {"@id": "#p"}}, {"@type": "Person", "@id": "#p", "name": "Ann Walker"}],
            "Ann Walker",
        ),
        ({"@type": "Article", "author": "記者陳怡君"}, "陳怡君"),
        ({"@type": "Comment", "author": "游人"}, ""),
        ({"@type": "Article", "author": [[{}]]}, ""),
    ],
)
def test_json_ld(things, wanted):
    script = f"<script type='application/ld+json'>{json.dumps(things)}</script>"
    assert author(script) == wanted


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        (
            "<div class='post-meta'>2024-05-01 <span class='author vcard'>由 <a href='/u'>林小满</a></span></div>",
            "林小满",
        ),
        ("<div class='td-post-author-name'>Por <a href='/u'>Ana Prado</a></div>", "Ana Prado"),
        ("<ul><li><strong>本文作者: </strong>林一</li></ul>", "林一"),
    ],
)
def test_what_templates_write_below_the_title(html, wanted):
    assert author(body=f"<h1>云台山</h1>{html}<p>山高水长。</p>") == wanted


def test_a_byline_at_the_end_counts():
    assert author(after="<p>（作者：张三）</p>") == "张三"


@given(st.text(alphabet="作者：记文/张三李四 ,、By ABcd|（）\n", max_size=120))
def test_any_line_gives_a_bounded_name(text):
    assert len(author(body=f"<p>{text}</p>")) <= 80
