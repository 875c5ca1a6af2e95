"""Days are read in every form that Chinese and other pages write them in, whole, counted from today, or in an address."""

from __future__ import annotations

import re
from datetime import date

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from topicspider.page.origin import day_forms
from topicspider.page.origin.day_forms import Habits, day_of, days_in, plain_digits, terse_days_in, written_day
from topicspider.page.origin.month_names import month_of
from topicspider.page.origin.relative_days import relative_day
from topicspider.page.origin.url_days import day_in_slug, day_in_url, year_in_url

FRIDAY = date(2024, 5, 3)


@pytest.mark.parametrize(
    "text",
    [
        "2024年5月1日",
        "2024 年 5 月 1 日",
        "2024年05月01日 10:20",
        "２０２４年５月１日",
        "二〇二四年五月一日",
        "二零二四年五月一号",
        "二○二四年五月一日",
        "二0二四年五月一日",
        "贰零贰肆年伍月壹日",
        "2024年五月一日",
        "24年5月1日",
        "民国113年5月1日",
        "民國一一三年五月一日",
        "民国一百一十三年五月一日",
        "令和6年5月1日",
        "2024-05-01",
        "2024-5-1",
        "24-05-01",
        "2024/05/01 08:00:00",
        "2024.5.1",
        "2024．05．01",
        "20240501",
        "20240501T101010Z",
        "1714521600",
        "1714521600000",
        "2024-05-01T10:20:30+08:00",
        "2024-05-01T02:20:30Z",
        "发布时间：2024-05-01 来源：山水日报",
        "2024년 5월 1일",
        "2024. 5. 1.",
        "May 1, 2024",
        "1 May 2024",
        "Wed, 1st May 2024 10:00",
        "01.05.2024",
        "1. Mai 2024",
        "1er mai 2024",
        "1 de mayo de 2024",
        "1 maggio 2024",
        "1 de maio de 2024",
        "1 мая 2024 г.",
        "1 maja 2024",
        "1 Μαΐου 2024",
        "1 Mayıs 2024",
        "2024. május 1.",
        "ngày 1 tháng 5 năm 2024",
        "1 พฤษภาคม 2567",
        "١ مايو ٢٠٢٤",
        "13月32日, 2024-13-45, 2024年5月1日",
    ],
)
def test_first_of_may(text):
    assert day_of(text) == "2024-05-01"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("二〇二三年十二月三十一日", "2023-12-31"),
        ("二〇二三年十月二十日", "2023-10-20"),
        ("二〇二三年十月廿八日", "2023-10-28"),
        ("一九九八年十一月十日", "1998-11-10"),
        ("令和元年5月1日", "2019-05-01"),
        ("98年5月1日", "1998-05-01"),
    ],
)
def test_chinese_numerals_and_eras(text, day):
    assert day_of(text) == day


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2024年",
        "2024年5月",
        "5月1日",
        "2024-02-30",
        "1812-05-01",
        "电话 20240599",
        "12345678901",
        "２０２４",
        "农历2024年5月1日",
        "農曆二〇二四年三月廿三日",
        "三年五月一日",
        "十年五月一日",
        "2024.5.1.3",
    ],
)
def test_what_is_no_day_gives_none(text):
    assert day_of(text) == ""


def test_days_later_than_tomorrow_are_refused():
    habits = Habits(today=FRIDAY)
    assert day_of("2024-05-04", habits) == "2024-05-04"
    assert day_of("2024-05-05", habits) == ""
    assert written_day(2024, 5, 5) == "2024-05-05"


@pytest.mark.parametrize(
    ("text", "is_month_first", "day"),
    [
        ("05/01/2024", True, "2024-05-01"),
        ("01/05/2024", False, "2024-05-01"),
        ("05/13/2024", False, "2024-05-13"),
        ("01.05.2024", True, "2024-05-01"),
    ],
)
def test_the_order_of_day_and_month_is_the_country_s_where_both_are_possible(text, is_month_first, day):
    assert day_of(text, Habits(is_east_asian=lambda: False, is_month_first=lambda: is_month_first)) == day


def test_two_digits_each_begin_with_the_year_in_east_asia_only():
    assert day_of("24.05.01") == "2024-05-01"
    assert day_of("01.05.24", Habits(is_east_asian=lambda: False)) == "2024-05-01"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("5月1日", "2024-05-01"),
        ("05-01 12:30", "2024-05-01"),
        ("12月30日", "2023-12-30"),
        ("去年5月1日", "2023-05-01"),
        ("5月32日", ""),
    ],
)
def test_a_day_without_a_year_gets_the_one_that_is_known(text, day):
    found = [found.day for found in days_in(text, Habits(year=2024, today=FRIDAY))]
    assert found == ([day] if day else [])
    assert not list(days_in(text))


def test_terse_days_are_told_apart():
    assert [found.day for found in terse_days_in("20240501 或 05-02", Habits(year=2024))] == [
        "2024-05-01",
        "2024-05-02",
    ]


def test_digits_of_every_script_become_plain_ones_in_place():
    assert plain_digits("２０２４－０５：٣") == "2024-05:3"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("刚刚", "2024-05-03"),
        ("今天 07:15", "2024-05-03"),
        ("昨天", "2024-05-02"),
        ("昨日 18:20", "2024-05-02"),
        ("前天", "2024-05-01"),
        ("3天前", "2024-04-30"),
        ("两天前", "2024-05-01"),
        ("5小时前", "2024-05-03"),
        ("20小时前", "2024-05-02"),
        ("30分钟前", "2024-05-03"),
        ("一周前", "2024-04-26"),
        ("上周五", "2024-04-26"),
        ("本周三", "2024-05-01"),
        ("星期五", "2024-05-03"),
        ("周六", "2024-04-27"),
        ("2 hours ago", "2024-05-03"),
        ("Yesterday", "2024-05-02"),
        ("昨天我们去了云台山", ""),
        ("3个月前", ""),
        ("", ""),
    ],
)
def test_days_that_count_from_today(text, day):
    found = relative_day(text, FRIDAY)
    assert (found.isoformat() if found else "") == day


@pytest.mark.parametrize(
    ("url", "day"),
    [
        ("http://e.cn/2024/05/01/a.html", "2024-05-01"),
        ("http://e.cn/2024/5/1/art_1_2.html", "2024-05-01"),
        ("http://e.cn/2024-05/01/a.html", "2024-05-01"),
        ("http://e.cn/20240501/a.html", "2024-05-01"),
        ("http://e.cn/n/2024/0501/c1.html", "2024-05-01"),
        ("http://e.cn/202405/t20240501_123.html", "2024-05-01"),
        ("http://e.cn/a/202405/01/WS1.html", "2024-05-01"),
        ("http://e.cn/v/20240501123456789", "2024-05-01"),
        ("http://e.cn/24/0501/10/A.html", "2024-05-01"),
        ("http://e.cn/2024/13/01/a.html", ""),
        ("http://e.cn/202405/1.html", ""),
        ("http://e.cn/id/123456789", ""),
        ("http://e.cn/a.html?t=/2024/05/01/", ""),
        ("http://e.cn/", ""),
        ("", ""),
    ],
)
def test_days_in_urls(url, day):
    assert day_in_url(url) == day


def test_days_in_names_and_years_of_urls():
    assert day_in_slug("http://e.cn/news/yuntai-2024-05-01.html") == "2024-05-01"
    assert day_in_slug("http://e.cn/news/01-05-2024") == "2024-05-01"
    assert year_in_url("http://e.cn/2021/yunyou/1.html") == 2021
    assert year_in_url("http://e.cn/202105/1.html") == 2021
    assert year_in_url("http://e.cn/2021.html") == 0


def test_names_of_months():
    assert [month_of(name) for name in ("May", "MÄRZ", "févr.", "августа", "旅游", "")] == [5, 3, 2, 8, 0, 0]


@given(st.text(alphabet="0123456789年月日号-/.〇一二十百元民国 :T昨天前周小时", max_size=80))
def test_any_text_gives_a_day_or_none(text):
    assert len(day_of(text)) in (0, 10)
    assert all(len(found.day) == 10 for found in days_in(text, Habits(year=2024, today=FRIDAY)))
    assert relative_day(text, FRIDAY) is None or relative_day(text, FRIDAY) <= FRIDAY


PARTS = [
    "2024",
    "19",
    "05",
    "1",
    "年",
    "月",
    "日",
    "-",
    "/",
    ".",
    ":",
    " ",
    ",",
    "May",
    "мая",
    "st",
    "th",
    "tháng ",
    "今年",
    "二〇",
    "五",
    "٠٢",
    "T",
    "Z",
    "年5月1日",
]
NEEDED = {
    r"\d": {"_NUMERIC", "_COMPACT", "_DAY_FIRST", "_SHORT", "_NAMED_DAY_FIRST", "_NAMED_MONTH_FIRST", "_NAMED_YEAR_FIRST", "_NO_YEAR_HAN", "_NO_YEAR_BARE", "_NO_YEAR_CLOCK"},
    day_forms._A_YEAR.pattern: {"_NUMERIC", "_DAY_FIRST", "_NAMED_DAY_FIRST", "_NAMED_MONTH_FIRST", "_NAMED_YEAR_FIRST"},
    day_forms._DAY_BEFORE_YEAR.pattern: {"_NAMED_MONTH_FIRST"},
    "月": {"_NO_YEAR_HAN"},
    ":": {"_NO_YEAR_CLOCK"},
}  # fmt: skip


@given(st.lists(st.sampled_from(PARTS) | st.text(max_size=3), max_size=14).map("".join))
@example("May 1st, 2024")
@example("1 мая 2024")
@example("去年5月1日 05-01 10:20")
def test_a_line_is_searched_for_a_form_only_when_it_has_what_all_of_that_form_have(text):
    for needed, forms in NEEDED.items():
        if re.search(needed, text) is None:
            assert [name for name in forms if getattr(day_forms, name).search(text)] == []
