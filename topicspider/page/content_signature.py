"""Tells whether what a page says has changed: a signature over title and body that clocks and counters do not move."""

from __future__ import annotations

import re
from hashlib import blake2b

from topicspider.text.normalise import normalise

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_COUNTED = (
    "浏览|阅读|观看|点击|访问|评论|回复|回覆|收藏|点赞|转发|下载|播放|热度|人气|在线|"
    r"\b(?:views?|reads?|readers?|comments?|replies|likes?|shares?|online)\b"
)
_NUMBER = re.compile(r"\d[\d,.]*[万k]?")
_M, _D = r"(?:0?[1-9]|1[0-2])(?!\d)", r"(?:0?[1-9]|[12]\d|3[01])(?!\d)"
# 1999.00 is no date, and 2026.5 元 none either
_MONEY = r"(?:元(?![旦宵])|圆|块|万|亿|人民币|[美欧日港澳台韩加]元|[港台]币|英镑|%|[$¥€£]|(?:usd|cny|rmb|eur|gbp|hkd|dollars?|euros?|yuan)\b)"
_NO_PRICE = rf"(?![.,]\d|\s*{_MONEY})"
# What a number that changes by itself is followed by, and what it is preceded by: to look at every number is far faster than to look
# for all of this everywhere.
_WITH_BEHIND = re.compile(
    rf"(?<![$¥€£])(?:19|20)\d\d(?:[-/.]{_M}(?:[-/.]{_D}t?|{_NO_PRICE})|\s*年(?:\s*\d{{1,2}}\s*月)?(?:\s*\d{{1,2}}\s*日)?)|"
    r"\d{1,2}\s*月(?:\s*\d{1,2}\s*日)?|(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?!\d)(?:\s*[ap]m\b)?|\d{1,2}\s*时\s*\d{1,2}\s*分|"
    rf"\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH}(?:,?\s*\d{{4}})?|"
    r"\d+\s*(?:(?:second|sec|minute|min|hour|day|week|month|year)s?\s+ago\b|(?:秒钟?|分钟?|个?小时|天|周|个?月|年)[之以]?前)|"
    rf"\d[\d,.]*[万k]?\s*[次人条个]?\s*(?:{_COUNTED})"
)
_OPENERS = frozenset(
    "年月:时-/秒分个小天周次人条浏阅观点访评回收转下播热在abcdefghjlmnorstvwy"
)  # what any of it begins with
_BEFORE = re.compile(rf"(?:(?:{_COUNTED})(?:量|数|次数|人数)?[\s:(]*|\b{_MONTH}\s*)\Z")
_CLOSERS = frozenset("览读看击问论复覆藏赞发载放度气线量数abcdefghijklmnopqrstuvwxyz.")  # what any of that ends with
_YEAR = re.compile(r"(?:st|nd|rd|th)?,?\s*(?:19|20)\d\d\b")
_WEEKDAY = re.compile(r"(?:星期|礼拜|周)[一二三四五六日天]|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b")
_WEEKDAY_CUES = ("星期", "礼拜", "周", "day")
_NEAR = 14  # characters before a number that are looked at
_BREAK = "\ue00a"  # stands for a line break where normalise makes a space of one: for private use, so that no text means anything by it
_LONG = 20  # a block that long says something


def content_signature(title: str, body: str) -> int:
    """64 bits, signed, of the title and of the set of the body's blocks.

    Their order, white space, case, full width, traditional characters, dates, times of day and numbers of readers do not count; prices and
    other numbers do. A body is what was found to be the page's own text, so that menus and most advertisements are not in it.
    """
    folded = normalise(f"{title}\n{body}".replace("\n", _BREAK)).replace(_BREAK, "\n")
    first, *rest = _without_clocks(folded).split("\n")
    blocks = {"".join(line.split()) for line in rest}
    told = sorted(block for block in blocks if len(block) >= _LONG or any(map(str.isalnum, block)))
    text = "\n".join(["".join(first.split()), *told]).encode("utf-8", "replace")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big", signed=True)


def _without_clocks(text: str) -> str:
    """``text`` without the numbers that change by themselves, and what makes them such."""
    parts, at = [], 0
    for number in _NUMBER.finditer(text):
        start, end = number.span()
        if start < at:
            continue
        if (text[end : end + 2].lstrip()[:1] in _OPENERS or "." in number[0]) and (
            moving := _WITH_BEHIND.match(text, start)
        ):
            parts.append(text[at:start])
            at = moving.end()
        elif text[max(at, start - 4) : start].rstrip(" :(")[-1:] in _CLOSERS and (
            before := _BEFORE.search(text, max(at, start - _NEAR), start)
        ):
            parts.append(text[at : before.start()])
            year = _YEAR.match(text, end)
            at = year.end() if year else end
    told = "".join([*parts, text[at:]])
    return _WEEKDAY.sub("", told) if parts and any(cue in told for cue in _WEEKDAY_CUES) else told
