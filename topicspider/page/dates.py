"""Finds when a page was published and modified: JSON-LD, meta, ``<time>``, the URL, then its text."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

from topicspider.page.jsonld import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from topicspider.page.reading import Reading

_TEXT = 3000
"""Characters from the start of a page's text in which a date is looked for."""

_PUBLISHED = (
    "article:published_time", "datepublished", "date", "pubdate", "publishdate", "publish_date", "og:published_time",
    "dc.date", "dc.date.issued", "dcterms.date", "dcterms.created", "sailthru.date", "parsely-pub-date", "bt:pubdate",
    "publish-date", "weibo: article:create_at", "og:release_date", "article.published", "publication_date", "originalpublicationdate",
)  # fmt: skip
_MODIFIED = (
    "article:modified_time",
    "datemodified",
    "og:updated_time",
    "lastmod",
    "last-modified",
    "dcterms.modified",
    "weibo: article:update_at",
)

_DIGITS = str.maketrans("０１２３４５６７８９：－／．", "0123456789:-/.")
_CHINESE = {digit: str(value) for value, digit in enumerate("〇一二三四五六七八九")} | {"○": "0", "零": "0", "Ｏ": "0"}
_NUMERIC = re.compile(r"(?<!\d)((?:19|20)\d\d)\s?([-/.])\s?(\d{1,2})\s?\2\s?(\d{1,2})(?!\d)")
_COMPACT = re.compile(r"(?<!\d)((?:19|20)\d\d)(0[1-9]|1[0-2])([0-2]\d|3[01])(?!\d)")
_HAN = re.compile(r"(?<!\d)((?:19|20)\d\d)\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?[日号號]")
_HAN_WORDS = re.compile(
    r"([一二][〇零○Ｏ一二三四五六七八九]{3})年([一二三四五六七八九十]{1,2})月([一二三四五六七八九十]{1,3})[日号號]"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ENGLISH = re.compile(
    r"\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+((?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_BRITISH = re.compile(
    r"\b(\d{1,2})(?:st|nd|rd|th)?\s+(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?,?\s+((?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_EUROPEAN = re.compile(r"(?<!\d)(\d{1,2})\.\s?(\d{1,2})\.\s?((?:19|20)\d\d)(?!\d)")
_URL_DATE = re.compile(
    r"/((?:19|20)\d\d)[-/_]?(0?[1-9]|1[0-2])[-/_]?([0-2]\d|3[01])(?=[/_\-.]|$|\D)|/((?:19|20)\d\d)/(\d{1,2})/(\d{1,2})/"
)
_YEAR = re.compile(r"(?:19|20)\d\d|[一二][〇零○Ｏ一二三四五六七八九]{3}年")
_LABEL = re.compile(r"(?:发布|发表|發布|發表|更新|时间|時間|日期|来源|來源|posted|published|updated)", re.IGNORECASE)


def published_of(reading: Reading, url: str, objects: Iterable[dict[str, object]]) -> str:
    """The day of publication as YYYY-MM-DD, or "". The first source that names a real day wins."""
    return (
        _first(text_of(thing.get("datePublished")) for thing in objects)
        or _first(reading.meta.get(name, "") for name in _PUBLISHED)
        or _first(mark.stamp for mark in reading.times[:3])
        or day_in_url(url)
        or day_in_text(reading.text[:_TEXT])
    )


def modified_of(reading: Reading, objects: Iterable[dict[str, object]]) -> str:
    """The day of the last change as YYYY-MM-DD, or ""."""
    return _first(text_of(thing.get("dateModified")) for thing in objects) or _first(
        reading.meta.get(name, "") for name in _MODIFIED
    )


def _first(stamps: Iterable[str]) -> str:
    return next((day for stamp in stamps if stamp and (day := day_of(stamp))), "")


def day_of(text: str) -> str:
    """The first day named in a short text, as YYYY-MM-DD, or ""; numbers, English months, Chinese numerals."""
    return _found(text[:200].translate(_DIGITS))


def _found(text: str) -> str:
    for pattern, order in _FORMS:
        for found in pattern.finditer(text):
            if day := _day(*(found[group] for group in order)):
                return day
    return ""


def day_in_url(url: str) -> str:
    """The day in a URL's path such as /2024/05/01/ or /20240501/, or ""."""
    for found in _URL_DATE.finditer(url[:500]):
        parts = [group for group in found.groups() if group]
        if day := _day(*parts):
            return day
    return ""


def day_in_text(text: str) -> str:
    """The first day on a line that says 发布, 来源 or alike, else the first day of all, or ""."""
    text = text.translate(_DIGITS)
    fallback = ""
    for line in text.split("\n"):
        if len(line) < 200 and _YEAR.search(line) and (day := _found(line)):
            if _LABEL.search(line):
                return day
            fallback = fallback or day
    return fallback


def _day(year: str, month: str, day: str) -> str:
    try:
        found = date(_number(year), _number(month), _number(day))
    except ValueError:
        return ""
    return found.isoformat() if found.year >= 1990 else ""


def _number(text: str) -> int:
    if text.isascii() and text.isdigit():
        return int(text)
    if text.lower()[:3] in _MONTHS:
        return _MONTHS.index(text.lower()[:3]) + 1
    if "十" in text:
        tens, _, ones = text.partition("十")
        return 10 * (_number(tens) if tens else 1) + (_number(ones) if ones else 0)
    return int("".join(_CHINESE.get(digit, "x") for digit in text))


_FORMS = (
    (_NUMERIC, (1, 3, 4)),
    (_HAN, (1, 2, 3)),
    (_ENGLISH, (3, 1, 2)),
    (_BRITISH, (3, 2, 1)),
    (_COMPACT, (1, 2, 3)),
    (_HAN_WORDS, (1, 2, 3)),
    (_EUROPEAN, (3, 2, 1)),
)
"""Patterns and which of their groups hold year, month and day."""
