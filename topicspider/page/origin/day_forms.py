"""Reads days out of text, in the forms that Chinese and other pages write them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING

from topicspider.page.origin.month_names import month_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FIRST_YEAR = 1990
"""Pages older than the web are none; what they write about may be."""
_UNIX = re.compile(r"1\d{9}(?:\d{3})?")
_EAST_ASIA = timedelta(hours=8)
_CHINESE = {
    digit: str(value)
    for digits in ("〇一二三四五六七八九", "○壹贰叁肆伍陆柒捌玖", "零壹貳參肆伍陸柒捌玖", "OＯ")
    for value, digit in enumerate(digits)
}
_CHINESE["Ｏ"] = "0"
_TENS = str.maketrans({"廿": "二十", "卅": "三十", "拾": "十"})
_ERAS = {"民国": 1911, "民國": 1911, "中華民國": 1911, "令和": 2018, "平成": 1988, "昭和": 1925}
_THAI_YEARS = 543

_NUMERAL = "[0-9〇零○ＯO一二三四五六七八九十百廿卅壹贰貳叁參肆伍陆陸柒捌玖拾]"
_WORD = r"[^\s\d.,:;/()|·•–—-]{3,15}"
_YEAR = r"(?:19|20)\d\d"
_ZEROS = "０٠۰०০๐"
_PLAIN = {ord(zero) + value: str(value) for zero in _ZEROS for value in range(10)} | {
    ord(mark): plain for mark, plain in zip("：－／．–\u3000\xa0", ":-/.-  ", strict=True)
}
_UNPLAIN = re.compile(f"[{''.join(map(chr, _PLAIN))}]")
_LUNAR = re.compile(r"[农農阴陰旧舊夏黄黃]历?[历曆]\W{0,2}$")

_NUMERIC = re.compile(rf"(?<!\d)({_YEAR})\s?([-/.·])\s?(\d{{1,2}})\s?\2\s?(\d{{1,2}})(?!\d|\.\d)")
_HAN = re.compile(
    rf"(中華民國|民[国國]|令和|平成|昭和)?\s?(?<![0-9一二三四五六七八九])({_NUMERAL}{{1,5}}|元)\s{{0,2}}[年년]\s{{0,2}}({_NUMERAL}{{1,3}})\s{{0,2}}[月월]\s{{0,2}}({_NUMERAL}{{1,4}})\s{{0,2}}(?:[日号號일]|(?=\s|$))"
)
_COMPACT = re.compile(rf"(?<![\dA-Za-z])({_YEAR})(0[1-9]|1[0-2])([0-2]\d|3[01])(?:(?![\dA-Za-z]|-\d)|(?=T\d))")
_DAY_FIRST = re.compile(rf"(?<![\d.])(\d{{1,2}})\s?([-/.])\s?(\d{{1,2}})\s?\2\s?({_YEAR})(?!\d)")
_SHORT = re.compile(r"(?<![\d./:-])(\d\d)([-/.])(\d\d)\2(\d\d)(?![\d/:-]|\.\d)")
_NAMED_DAY_FIRST = re.compile(
    rf"(?<![\d.])(\d{{1,2}})(?:st|nd|rd|th|er|º|\.|-го)?[\s/-]{{0,2}}(?:de |of |tháng )?({_WORD}|\d{{1,2}})\.?,?[\s/-]{{0,2}}(?:del? |năm )?,?\s?((?:19|20|25)\d\d)(?!\d)"
)
_NAMED_MONTH_FIRST = re.compile(rf"({_WORD})\.?\s{{1,2}}(\d{{1,2}})(?:st|nd|rd|th)?,?\s{{1,2}}({_YEAR})(?!\d)")
_NAMED_YEAR_FIRST = re.compile(rf"(?<!\d)({_YEAR})[.,]?\s(?:m\.\s)?({_WORD})\s(\d{{1,2}})(?!\d)")
_NO_YEAR_HAN = re.compile(r"(?<![\d年])(今年|去年|前年)?(\d{1,2})\s?月\s?(\d{1,2})\s?[日号號]")
_NO_YEAR_BARE = re.compile(r"(?<![\w./-])(?<!\d:)(0[1-9]|1[0-2])[-/]([0-2]\d|3[01])(?![\w./:-])")
_YEARS_AGO = {"今年": 0, "去年": 1, "前年": 2}
_NO_YEAR_CLOCK = re.compile(r"(?<![\d./:-])(0[1-9]|1[0-2])([-/])([0-2]\d|3[01])\s{1,2}(?=[0-2]?\d:\d\d)")
_A_DIGIT = re.compile(r"\d")
_A_YEAR = re.compile(r"(?:19|20|25)\d\d")
_DAY_BEFORE_YEAR = re.compile(r"\d(?:st|nd|rd|th)?,?\s{1,2}(?:19|20)\d\d")


def _yes() -> bool:
    return True


def _no() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Habits:
    """How a page writes days: ``year`` for those without one (0: they say nothing); ``last``, the latest day believed (None: any).

    ``is_east_asian`` says, when asked, whether the year stands first also when it has two digits; ``is_month_first`` whether 05/01/2024
    is the first of May (as in the United States) or the fifth of January.
    """

    year: int = 0
    today: date | None = None
    is_east_asian: Callable[[], bool] = _yes
    is_month_first: Callable[[], bool] = _no

    @property
    def last(self) -> date | None:
        """A page may be of tomorrow by its own clock, no later."""
        return self.today + timedelta(days=1) if self.today else None


@dataclass(frozen=True, slots=True)
class Found:
    """A day in a text: where it stands; ``is_whole`` when its year is written, too."""

    day: str
    start: int
    end: int
    is_whole: bool = True


NO_HABITS = Habits()


def plain_digits(text: str) -> str:
    """``text`` with digits of every script, and full-width punctuation of dates, as ASCII; same length."""
    return text.translate(_PLAIN) if _UNPLAIN.search(text) else text


def day_of(text: str, habits: Habits = NO_HABITS) -> str:
    """The first day named in a short text or a machine's stamp, as YYYY-MM-DD, or ""."""
    text = plain_digits(text[:200].strip())
    if _UNIX.fullmatch(text):
        return _unix_day(text, habits)
    found = next(days_in(text, habits), None) or next(_compact(text, habits), None)
    return found.day if found and found.is_whole else ""


def days_in(text: str, habits: Habits = NO_HABITS) -> Iterator[Found]:
    """Every day of a line whose digits are plain, form by form; those without a year last. Days after ``habits.last`` are left out."""
    spans: list[tuple[int, int]] = []
    for found in _all_forms(text, habits):
        if found.day and not any(start < found.end and found.start < end for start, end in spans):
            spans.append((found.start, found.end))
            if not _LUNAR.search(text, max(0, found.start - 4), found.start):
                yield found


def terse_days_in(text: str, habits: Habits) -> Iterator[Found]:
    """Days such as 20240501 and 05-01, which are days only where something else says so."""
    if _A_DIGIT.search(text) is None:
        return
    bare = _NO_YEAR_BARE.finditer(text) if habits.year else ()
    for found in chain(_compact(text, habits), (_completed(match, match[1], match[2], habits) for match in bare)):
        if found.day:
            yield found


def written_day(year: int, month: int, day: int, habits: Habits = NO_HABITS) -> str:
    """YYYY-MM-DD, or "" when there is no such day or a page cannot be of it."""
    try:
        found = date(year, month, day)
    except ValueError:
        return ""
    if found.year < FIRST_YEAR or (habits.last and found > habits.last) or found.year > 2100:
        return ""
    return found.isoformat()


def _all_forms(text: str, habits: Habits) -> Iterator[Found]:
    has_digits = (
        _A_DIGIT.search(text) is not None
    )  # what no line of a form lacks is looked for first: it takes a fraction of the time
    has_year = has_digits and _A_YEAR.search(text) is not None
    if has_year:
        for match in _NUMERIC.finditer(text):
            yield _found(match, match[1], match[3], match[4], habits)
    if "年" in text or "년" in text:
        yield from _han(text, habits)
    if has_year:
        if not text.isdigit():
            yield from _named(text, habits)
        for match in _DAY_FIRST.finditer(text):
            yield _day_first(match, habits)
    if has_digits:
        for match in _SHORT.finditer(text):
            yield _short(match, habits)
        yield from _without_year(text, habits)


def _found(match: re.Match[str], year: str | int, month: str | int, day: str | int, habits: Habits) -> Found:
    return Found(written_day(int(year), int(month), int(day), habits), match.start(), match.end())


def _han(text: str, habits: Habits) -> Iterator[Found]:
    for match in _HAN.finditer(text):
        year = _han_year(match[1], match[2])
        if year:
            yield _found(match, year, _number(match[3]), _number(match[4]), habits)


def _han_year(era: str | None, written: str) -> int:
    """The year of 2024年, 24年, 二〇二四年, 民国113年 or 令和元年; 0 for what counts years of something else."""
    if era:
        return _ERAS[era] + (1 if written == "元" else _number(written))
    is_short = len(written) == 2 and written.isdigit()
    return _full_year(_number(written)) if len(written) == 4 or is_short else 0


def _named(text: str, habits: Habits) -> Iterator[Found]:
    for pattern, year, month, day in (
        (_NAMED_DAY_FIRST, 3, 2, 1),
        (_NAMED_MONTH_FIRST, 3, 1, 2),
        (_NAMED_YEAR_FIRST, 1, 2, 3),
    ):
        if pattern is _NAMED_MONTH_FIRST and _DAY_BEFORE_YEAR.search(text) is None:
            continue
        for match in pattern.finditer(text):
            number = int(match[month]) if match[month].isdigit() and "tháng" in match[0] else month_of(match[month])
            full = int(match[year])
            if number:
                yield _found(match, full - _THAI_YEARS if full >= 2500 else full, number, match[day], habits)


def _day_first(match: re.Match[str], habits: Habits) -> Found:
    day, month = match[1], match[3]
    if int(month) > 12 or (match[2] != "." and int(day) <= 12 and habits.is_month_first()):
        day, month = month, day
    return _found(match, match[4], month, day, habits)


def _short(match: re.Match[str], habits: Habits) -> Found:
    """Two digits each: the year first in East Asia, last elsewhere."""
    first, middle, last = int(match[1]), int(match[3]), int(match[4])
    if habits.is_east_asian():
        return _found(match, _full_year(first), middle, last, habits)
    if middle > 12 or (match[2] != "." and first <= 12 and habits.is_month_first()):
        first, middle = middle, first
    return _found(match, _full_year(last), middle, first, habits)


def _without_year(text: str, habits: Habits) -> Iterator[Found]:
    if not habits.year:
        return
    if "月" in text:
        for match in _NO_YEAR_HAN.finditer(text):
            yield _completed(match, match[2], match[3], habits, _YEARS_AGO.get(match[1], 0))
    if ":" in text:
        for match in _NO_YEAR_CLOCK.finditer(text):
            yield _completed(match, match[1], match[3], habits)


def _completed(match: re.Match[str], month: str, day: str, habits: Habits, years_ago: int = 0) -> Found:
    """With the year of ``habits``, or the one before: in January, 12-30 is of last year."""
    year = habits.year - years_ago
    written = written_day(year, int(month), int(day), habits) or written_day(year - 1, int(month), int(day), habits)
    return Found(written, match.start(), match.end(), is_whole=False)


def _compact(text: str, habits: Habits) -> Iterator[Found]:
    for match in _COMPACT.finditer(text):
        yield _found(match, match[1], match[2], match[3], habits)


def _unix_day(stamp: str, habits: Habits) -> str:
    moment = datetime.fromtimestamp(int(stamp[:10]), UTC) + (_EAST_ASIA if habits.is_east_asian() else timedelta())
    return written_day(moment.year, moment.month, moment.day, habits)


def _full_year(year: int) -> int:
    if year >= 100:
        return year
    return 1900 + year if year >= 90 else 2000 + year


def _number(text: str) -> int:
    """The value of digits or Chinese numerals, below a thousand when it is written with 十 or 百."""
    if text.isdigit() and text.isascii():
        return int(text)
    text = text.translate(_TENS)
    if "百" in text:
        hundreds, _, text = text.partition("百")
        return 100 * (_number(hundreds) if hundreds else 1) + (_number(text.lstrip("零〇")) if text else 0)
    if "十" in text:
        tens, _, ones = text.partition("十")
        return 10 * (_number(tens) if tens else 1) + (_number(ones) if ones else 0)
    return int(
        "".join(digit if digit.isdigit() and digit.isascii() else _CHINESE.get(digit, "") for digit in text) or "0"
    )
