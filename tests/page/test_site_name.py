"""The name of the site is declared, or a part of the title that something confirms."""

from __future__ import annotations

import pytest

from topicspider.page.page import Page
from topicspider.page.site_titles import SiteTitles


def site(head: str = "", footer: str = "", title: str = "云台山旅游") -> str:
    html = f"<html><head><meta charset=utf-8><title>{title}</title>{head}</head><body><h1>云台山旅游</h1><p>山高水长。</p><div>{footer}</div></body></html>"
    return Page("http://www.example.cn/a.html", html.encode(), "text/html").site_name


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        ("<meta property='og:site_name' content=' 山水 网 '>", "山水 网"),
        ("<meta name='application-name' content='山水网'>", "山水网"),
        ('<script type="application/ld+json">{"@type":"WebSite","name":"山水网"}</script>', "山水网"),
        ('<script type="application/ld+json">{"@type":"Article","publisher":{"name":"山水网"}}</script>', "山水网"),
        ("", ""),
    ],
)
def test_declared_names(head, wanted):
    assert site(head) == wanted


def test_a_part_of_the_title_that_the_copyright_line_confirms_goes_first():
    assert site(footer="© 2024 焦作市山水网科技有限公司", title="云台山旅游 - 旅游频道 - 山水网") == "山水网"


@pytest.mark.parametrize(
    ("title", "wanted"),
    [
        ("云台山旅游_频道_山水网", "山水网"),
        ("云台山旅游-山水论坛", "山水论坛"),
        ("山水网", ""),
        ("云台山 - 旅游指南", ""),
    ],
)
def test_a_last_part_of_the_title_that_says_it_is_a_site(title, wanted):
    assert site(title=title) == wanted


def test_what_the_titles_of_a_host_have_in_common_is_its_name():
    memory = SiteTitles()
    name = ""
    for number in range(8):
        title = f"第{number}处风景真美_山水网"
        html = f"<html><head><meta charset=utf-8><title>{title}</title></head><body><p>山高水长。</p></body></html>"
        name = Page(f"http://www.example.cn/{number}.html", html.encode(), "text/html", site_titles=memory).site_name
    assert name == "山水网"


def test_a_link_to_the_front_page_confirms_the_last_part_of_the_title():
    html = "<title>城墙修缮 | 老城故事</title><p><a href='/'>老城故事</a></p><p>城墙要修了。</p>"
    assert Page("http://www.example.cn/1.html", html.encode(), "text/html").site_name == "老城故事"
