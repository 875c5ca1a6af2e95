"""The signature of what a page says: clocks, counters and order do not move it, words and prices do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.page.near_duplicate import _CLOCK, content_signature, told
from topicspider.page.page import Page
from topicspider.text.normalise import normalise
from topicspider.text.segment import make_segmenter

TEXT = "漓江两岸的风景，坐竹筏最好。\n门票 120 元，全程四小时。"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("现在时间：2026年11月22日 08:49:27 星期日", "现在时间：2026年1月3日 9:05 星期六"),
        ("更新于 2026-11-22T08:49", "更新于 2027/01/03"),
        ("浏览(1,234)次", "浏览(1,301)次"),
        ("阅读量：1.2万 | 评论 35", "阅读量：1.3万 | 评论 41"),
        ("3 分钟前有人回复", "2 小时前有人回复"),
        ("Updated Nov 22, 2026 | 5 views", "Updated Dec 1st, 2027 | 1,016 views"),
        ("Sunday, 22 November 2026, 10:30 am", "Monday, 23 November 2026, 11:45 pm"),
        ("閱讀(12) | 點擊：35 | 評論 7", "閱讀(13) | 點擊：36 | 評論 8"),
        ("訪問人數：５２３", "訪問人數：５３０"),
        ("發佈：２０２６年１１月２２日 ０８：４９", "發佈：２０２７年１月３日 ２３：０５"),
        ("阅读：٥٠ 次", "阅读：٧٣ 次"),  # digits of other scripts
        ("更新于 2026.11.22", "更新于 2027.1.3"),
        ("开放时间 8:00-17:30", "开放时间 9:00-18:00"),
    ],
)
def test_clocks_and_counters_do_not_count(before, after):
    assert content_signature("桂林", f"{TEXT}\n{before}") == content_signature("桂林", f"{TEXT}\n{after}")
    assert content_signature(before, TEXT) == content_signature(after, TEXT)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("门票 120 元", "门票 150 元"),
        ("Tickets are $1,200.50", "Tickets are $1,300.50"),
        ("从桂林出发", "从阳朔出发"),
        ("maybe 12 apples", "maybe 13 apples"),
        ("a new line", ""),
        ("乘 3 路公交车", "乘 5 路公交车"),
        ("门票 2026.5 元", "门票 2027.5 元"),
        ("只要 2026.12 美元", "只要 2027.12 美元"),
        ("全长 2026.125", "全长 2027.125"),
        ("積分 2026/13/40", "積分 2026/13/41"),
        ("比分 25:21", "比分 25:22"),
    ],
)
def test_words_prices_and_other_numbers_count(before, after):
    assert content_signature("桂林", f"{TEXT}\n{before}") != content_signature("桂林", f"{TEXT}\n{after}")
    assert content_signature(before, TEXT) != content_signature(after, TEXT)


def test_order_repetition_white_space_and_case_do_not_count():
    lines = ["清晨出发", "Along the River", "傍晚回到客栈"]
    shown = "傍晚回到客栈\n清晨  出发\n\nalong the river\n清晨出发\n2026-01-01"
    assert content_signature("桂林 Trip", "\n".join(lines)) == content_signature("桂林trip", shown)


def test_a_block_that_moves_into_the_title_is_a_change():
    assert content_signature("桂林", "阳朔") != content_signature("阳朔", "桂林")


def body_of(menu: str, advertisement: str, clock: str, text: str) -> tuple[str, str]:
    html = f"""<html><head><title>漓江游记</title></head><body><div class="nav">{menu}</div>
        <div class="clock">{clock}</div><div id="content"><h1>漓江游记</h1><p>{text}</p><p>{text[::-1]}</p></div>
        <div class="ad"><a href="/buy">{advertisement}</a></div></body></html>"""
    page = Page("http://a.example/", html.encode(), "text/html; charset=utf-8", make_segmenter())
    return page.title, page.body


def test_menus_advertisements_and_clocks_around_the_text_do_not_count():
    text = "我们坐着竹筏沿江而下，看了古镇和雪山，住的酒店干净，景点门票不贵，导游讲得仔细。" * 4
    menu = '<a href="/a">首页</a> <a href="/b">攻略</a>'
    first = body_of(menu, "特价机票九折起", "2026年11月22日 08:49:27", text)
    second = body_of(menu + '<a href="/c">新栏目</a>', "买一送一", "2026年11月23日 10:01:02", text)
    third = body_of(menu, "特价机票九折起", "2026年11月22日 08:49:27", text.replace("酒店", "客栈"))
    assert "竹筏" in first[1]
    assert content_signature(*first) == content_signature(*second)
    assert content_signature(*first) != content_signature(*third)


@given(st.text(), st.text())
def test_any_text_has_one_and_it_fits_into_a_column(title, body):
    found = content_signature(title, body)
    assert found == content_signature(title, body)
    assert -(2**63) <= found < 2**63


@given(st.text(alphabet="旅游周一浏览在人 0123456789:年月日.-/,()\nmonday aug 5 views", max_size=80))
def test_clocks_are_found_wherever_one_begins(text):
    said = normalise(text.replace("\n", "\ue00a")).replace("\ue00a", "\n")
    assert told(text) == _CLOCK.sub("", said)
