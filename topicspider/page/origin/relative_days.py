"""Reads days that count from the day of the visit: 昨天, 3天前, 上周五, 2 hours ago."""

from __future__ import annotations

import re
from datetime import date, timedelta

_DAYS = {
    "刚刚": 0, "剛剛": 0, "刚才": 0, "今天": 0, "今日": 0, "今晨": 0, "今早": 0, "昨天": 1, "昨日": 1, "昨晚": 1, "昨夜": 1, "昨": 1, "前天": 2,
    "前日": 2, "大前天": 3, "just now": 0, "today": 0, "yesterday": 1, "heute": 0, "gestern": 1, "vorgestern": 2, "aujourd'hui": 0,
    "hier": 1, "hoy": 0, "ayer": 1, "oggi": 0, "ieri": 1, "hoje": 0, "ontem": 1, "сегодня": 0, "вчера": 1, "たった今": 0,
    "きのう": 1, "어제": 1, "오늘": 0,
}  # fmt: skip
_UNITS = {
    "秒": 0.0, "秒钟": 0.0, "秒鐘": 0.0, "分": 1 / 1440, "分钟": 1 / 1440, "分鐘": 1 / 1440, "小时": 1 / 24, "小時": 1 / 24, "时间": 1 / 24, "時間": 1 / 24, "个小时": 1 / 24,
    "個小時": 1 / 24, "天": 1.0, "日": 1.0, "周": 7.0, "週": 7.0, "星期": 7.0, "个星期": 7.0, "個星期": 7.0, "個禮拜": 7.0, "个礼拜": 7.0, "second": 0.0,
    "minute": 1 / 1440, "min": 1 / 1440, "hour": 1 / 24, "day": 1.0, "week": 7.0,
}  # fmt: skip
_NUMBERS = {number: value for value, number in enumerate("零一二三四五六七八九十")} | {"两": 2, "兩": 2, "半": 0}
_WEEKDAYS = {name: index for index, name in enumerate("一二三四五六")} | {"日": 6, "天": 6}

_CLOCK = r"(?:\s{0,3}(?:上午|下午|晚上|凌晨|at)?\s?\d{1,2}[:：时時点點]\d{0,2}(?::\d\d)?分?)?"
_RELATIVE = re.compile(
    r"(?:(?P<word>" + "|".join(sorted(_DAYS, key=len, reverse=True)) + r")"
    r"|(?P<number>\d{1,3}|[一二两兩三四五六七八九十半])\s?(?P<unit>" + "|".join(sorted(_UNITS, key=len, reverse=True)) + r")s?\s?(?:之?前|以前|ago)"
    r"|(?P<week>上上|上|本|这|這)?个?(?:周|週|星期|礼拜|禮拜)(?P<weekday>[一二三四五六日天]))" + _CLOCK,
    re.IGNORECASE,
)  # fmt: skip
_SAME_DAY = 0.5
"""More hours ago than half a day is more probably yesterday."""
MARKS = (
    "前",
    "昨",
    "今",
    "刚",
    "剛",
    "周",
    "週",
    "星期",
    "ago",
    "day",
    "ges",
    "heute",
    "now",
    "hie",
    "hoy",
    "ayer",
    "ieri",
    "вчера",
)
"""A line without any of these says nothing relative worth a search."""


def relative_day(text: str, today: date) -> date | None:
    """The day that the whole of a short text names (with or without a clock time), counted from ``today``; None when it names none."""
    found = _RELATIVE.fullmatch(text.strip()[:60])
    if found is None:
        return None
    if found["word"]:
        return today - timedelta(days=_DAYS[found["word"].lower()])
    if found["number"]:
        return _ago(found["number"], found["unit"].lower(), today)
    return _of_the_week(found["week"] or "", found["weekday"], today)


def _ago(number: str, unit: str, today: date) -> date:
    count = int(number) if number.isdecimal() else _NUMBERS[number]
    days = count * _UNITS[unit]
    return today - timedelta(days=int(days) if days >= 1 or days <= _SAME_DAY else 1)


def _of_the_week(week: str, weekday: str, today: date) -> date:
    """上周五 is Friday of the week before, which begins on Monday; a lone 星期五 the last that was."""
    wanted = _WEEKDAYS[weekday]
    if week in ("上", "上上"):
        return today - timedelta(days=today.weekday() + 7 * len(week) - wanted)
    return today - timedelta(days=(today.weekday() - wanted) % 7)
