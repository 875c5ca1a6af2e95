"""Pages of a host are compared: what their titles share is the site's name; nothing is said before enough of them agree."""

from __future__ import annotations

import pytest

from topicspider.page.page import Page
from topicspider.page.site_titles import Common, Seen, SiteTitles

TOPICS = ["云台山", "红石峡", "黄山", "泰山日出", "西湖", "漓江", "九寨沟"]


def seen(number: int, title: str, *headlines: str, host: str = "www.example.cn") -> Seen:
    return Seen(f"http://{host}/{number}.html", title, headlines)


def learned(pattern: str, *, count: int = 6) -> SiteTitles:
    titles = SiteTitles()
    for number in range(count):
        titles.compare(seen(number, pattern.format(TOPICS[number])))
    return titles


@pytest.mark.parametrize(
    ("pattern", "prefix", "suffix"),
    [
        ("{}_旅游频道_山水网", "", "_旅游频道_山水网"),
        ("{}-山水网", "", "-山水网"),
        ("{} - 山水·旅游-网", "", " - 山水·旅游-网"),
        ("{}【山水网】", "", "【山水网】"),
        ("山水网 - {}", "山水网 - ", ""),
        ("山水网：：{}_首页", "", "_首页"),
        ("{} :: The Walker", "", " :: The Walker"),
        ("{}的指南", "", ""),
        ("标签：{}", "", ""),
    ],
)
def test_what_titles_share_up_to_a_mark_is_told(pattern, prefix, suffix):
    common = learned(pattern).compare(seen(99, pattern.format("峨眉山")))
    assert (common.prefix, common.suffix) == (prefix, suffix)


def test_marks_inside_of_words_divide_nothing():
    titles = SiteTitles()
    for number, name in enumerate(("mod_proxy", "mod_rewrite", "mod_ssl", "mod_cgi", "mod_dir")):
        titles.compare(seen(number, name))
    assert titles.compare(seen(9, "mod_log")).prefix == ""


def test_a_site_named_at_one_end_keeps_how_a_series_begins():
    titles = SiteTitles()
    for number in range(6):
        titles.compare(seen(number, f"骑行_第{number}天 | 山水网" if number % 3 else f"云台山{number} | 山水网"))
    assert titles.compare(seen(9, "骑行_第9天 | 山水网")).suffix == " | 山水网"
    assert titles.compare(seen(9, "骑行_第9天 | 山水网")).prefix == ""


def test_nothing_is_said_of_the_first_three_pages():
    titles = SiteTitles()
    assert [titles.compare(seen(n, f"{TOPICS[n]}-山水网")) for n in range(3)] == [Common()] * 3
    assert titles.compare(seen(3, "漓江-山水网")).suffix == "-山水网"


def test_one_page_fetched_often_is_one_page():
    titles = SiteTitles()
    for _again in range(9):
        titles.compare(seen(1, "云台山-山水网"))
    assert titles.compare(seen(2, "黄山-山水网")) == Common()


def test_what_few_pages_share_is_no_name_of_the_site():
    titles = SiteTitles()
    for number in range(12):
        titles.compare(seen(number, f"第{number}章_云台山传奇" if number < 3 else f"{number}号文章"))
    assert titles.compare(seen(50, "第50章_云台山传奇")).suffix == ""


def test_a_title_that_most_pages_have_says_nothing_of_the_page():
    titles = SiteTitles()
    for number in range(4):
        titles.compare(seen(number, "山水网"))
    assert titles.compare(seen(5, "山水网")).is_shared
    assert not titles.compare(seen(6, "云台山")).is_shared


def test_a_headline_that_most_pages_have_is_a_logo():
    titles = SiteTitles()
    for number in range(4):
        titles.compare(seen(number, TOPICS[number], "山水网", TOPICS[number]))
    assert titles.compare(seen(5, "漓江", "山水网", "漓江")).logos == {"山水网"}


def test_hosts_do_not_mix():
    titles = learned("{}-山水网")
    assert titles.compare(seen(1, "黄山-山水网", host="other.example.cn")) == Common()


def test_memory_is_bounded():
    titles = SiteTitles(max_hosts=10)
    for number in range(100):
        titles.compare(seen(number, "题" * 100_000, *["头" * 100_000] * 50, host=f"h{number}.example.cn"))
    assert len(titles) == 10


@pytest.mark.parametrize("url", ["", "x", "http://", "http://[", "mailto:a@b"])
def test_no_address_breaks_it(url):
    titles = SiteTitles()
    for number in range(5):
        titles.compare(Seen(f"{url}{number}", ""))
    assert isinstance(titles.compare(Seen(url, " - ")), Common)


def read(titles: SiteTitles | None, number: int, title: str, body: str = "") -> str:
    markup = f"<title>{title}</title><body>{body}".encode()
    return Page(f"http://www.example.cn/{number}.html", markup, "text/html", site_titles=titles).title


LOGO = "<h1>欢迎您来到山水旅游网的世界</h1>"


@pytest.mark.parametrize(
    ("title", "body", "alone", "wanted"),
    [
        ("山水旅游网最新最全的旅游攻略 - {}", "", "山水旅游网最新最全的旅游攻略", "峨眉山"),
        ("{}", LOGO, "欢迎您来到山水旅游网的世界", "峨眉山"),
        ("山水旅游网欢迎您", "<h1>{}</h1>", "", "峨眉山"),
        ("骑行川西 - {}", "<h1>骑行川西 - {}</h1>", "", "骑行川西 - 峨眉山"),
    ],
    ids=["name of the site", "logo in h1", "shared title", "series"],
)
def test_pages_of_a_crawl_tell_what_one_page_alone_cannot(title, body, alone, wanted):
    titles = SiteTitles()
    for number, topic in enumerate(TOPICS[:5]):
        read(titles, number, title.format(topic), body.format(topic))
    last = title.format("峨眉山"), body.format("峨眉山")
    assert not alone or read(None, 9, *last) == alone
    assert read(titles, 9, *last) == wanted
