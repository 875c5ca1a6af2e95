"""The six kinds of links within a site, on addresses as Chinese sites have them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicspider.page.links import KindOf
from topicspider.page.page import Page
from topicspider.url import canonicalize

ARTICLE = "http://www.example.com.cn/lvyou/henan/yuntaishan.html"
CHANNEL = "http://www.example.com.cn/%E6%97%85%E6%B8%B8/"
QUERY = "http://bbs.example.com.cn/index.php?fid=3"


@pytest.mark.parametrize(
    ("page", "target", "kind"),
    [
        (ARTICLE, "/lvyou/henan/2024/05/hongshixia.html", "down"),
        (CHANNEL, "/旅游/云台山.html", "down"),
        (CHANNEL, "/%e6%97%85%e6%b8%b8/%e6%b2%b3%e5%8d%97/", "down"),
        (CHANNEL + "index.shtml", "/旅游/云台山.html", "down"),
        ("http://example.cn/", "/meishi/1.html", "down"),
        (ARTICLE, "/lvyou/henan/", "up"),
        (ARTICLE, "/lvyou/henan/index.html", "up"),
        (ARTICLE, "/", "up"),
        (ARTICLE, "http://example.com.cn/", "up"),
        (ARTICLE, "https://www.example.com.cn:8443/lvyou/", "up"),
        (CHANNEL + "河南/1.html", CHANNEL, "up"),
        ("http://example.cn/lvyou/3", "/lvyou", "up"),
        (ARTICLE, "/lvyou/henan/hongshixia.html", "level"),
        (ARTICLE, ARTICLE + "?page=2", "level"),
        (CHANNEL, CHANNEL + "index.html", "level"),
        (CHANNEL + "云台山.html", "/旅游/红石峡.html", "level"),
        (QUERY, "/index.php?fid=4", "level"),
        (QUERY, "/", "up"),
        (ARTICLE, "/lvyou/hunan/zhangjiajie.html", "cross"),
        (ARTICLE, "/meishi/", "cross"),
        (CHANNEL, "/美食/云台山.html", "cross"),
        (ARTICLE, "http://bbs.example.com.cn/", "cross"),
        (ARTICLE, "http://旅游.example.com.cn/a", "cross"),
        (ARTICLE, "http://www.example.cn/lvyou/henan/", "outward"),
        (ARTICLE, "http://云台山.cn/旅游", "outward"),
        ("http://192.0.2.1/lvyou/1.html", "http://192.0.2.2/lvyou/2.html", "outward"),
        ("http://[2001:db8::1]/lvyou/1.html", "http://[2001:db8::1]:8080/lvyou/2.html", "level"),
    ],
)
def test_the_kind_of_a_link(page, target, kind):
    url = canonicalize(target, page)
    assert url
    assert KindOf(canonicalize(page) or "")(url) == kind


def test_frames_are_a_kind_of_their_own_wherever_they_lead():
    html = "<iframe src='/lvyou/henan/a.html'></iframe><iframe src='http://other.cn/'></iframe><a href='/'>首页</a>"
    assert [link.kind for link in Page(ARTICLE, html.encode(), "text/html").links] == ["frame", "frame", "up"]


def test_the_kind_goes_by_the_address_of_the_page_not_by_its_base():
    html = "<base href='http://static.other.cn/'><a href='a.html'>甲</a><a href='http://www.example.com.cn/'>首页</a>"
    assert [link.kind for link in Page(ARTICLE, html.encode(), "text/html").links] == ["outward", "up"]


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_have_a_kind(page, target):
    assert KindOf(page)(target) in {"down", "up", "level", "cross", "outward"}
