"""Finds when a page was published and modified: JSON-LD, meta, marked elements, the URL, then lines such as 发布时间：2024年5月1日."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from topicspider.page.metadata import text_of, types_of
from topicspider.page.parsed_page import title_span

if TYPE_CHECKING:
    from topicspider.page.parsed_page import Block, Reading

_EAST_ASIA = timedelta(hours=8)
_PUBLISHED_META = (
    "article:published_time", "article:published", "og:article:published_time", "og:published_time", "og:pubdate", "og:release_date",
    "datepublished", "pubdate", "publishdate", "publish_date", "publish-date", "publishtime", "publish_time", "published_time",
    "bytedance:published_time", "weibo: article:create_at", "originalpublicationdate", "publication_date", "sailthru.date", "parsely-pub-date",
    "citation_publication_date", "citation_online_date", "dc.date.issued", "dcterms.issued", "dc.date.created", "dcterms.created",
    "datecreated", "releasedate",
)  # fmt: skip
_MODIFIED_META = (
    "article:modified_time", "article:modified", "og:modified_time", "og:updated_time", "article:updated_time", "bytedance:updated_time",
    "weibo: article:update_at", "datemodified", "lastmod", "last-modified", "lastmodified", "dcterms.modified", "dc.date.modified", "revised",
)  # fmt: skip
_GENERAL_META = ("dc.date", "dcterms.date", "date", "created")  # also hold the day of the last change, or of the answer
_NOT_THE_PAGE = frozenset(
    {
        "comment",
        "answer",
        "review",
        "offer",
        "event",
        "person",
        "organization",
        "imageobject",
        "website",
        "breadcrumblist",
    }
)

_YEAR = r"(?:19|20)\d\d"
_WIDE = str.maketrans("０１２３４５６７８９：－／．", "0123456789:-/.")
_HAN_DIGITS = {digit: str(value) for value, digit in enumerate("〇一二三四五六七八九")} | {"零": "0", "○": "0"}
_MONTH_NAMES = {
    name: number
    for names in (
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
        "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    )
    for number, name in enumerate(names.split(), 1)
}
_NUMERIC = re.compile(rf"(?<!\d)({_YEAR})\s?([-/.·])\s?(\d{{1,2}})\s?\2\s?(\d{{1,2}})(?!\d|\.\d)")
_HAN = re.compile(
    r"(?<!\d)(\d{4}|\d\d|[〇零○一二三四五六七八九]{4})\s?[年년]\s{0,2}([\d一二三四五六七八九十]{1,3})\s?[月월]\s{0,2}([\d一二三四五六七八九十]{1,3})\s?[日号號일]?"
)
_COMPACT = re.compile(rf"(?<![\dA-Za-z-])({_YEAR})(0[1-9]|1[0-2])([0-2]\d|3[01])(?:(?![\dA-Za-z]|-\d)|(?=T\d))")
_DAY_FIRST = re.compile(rf"(?<![\d.])(\d{{1,2}})([-/.])(\d{{1,2}})\2({_YEAR})(?!\d)")
_NAMED = re.compile(
    rf"(?<![\d.])(\d{{1,2}})(?:st|nd|rd|th|er|\.)?[\s-](?:de |of )?([^\W\d]{{3,12}})\.?,?[\s-](?:de |del )?({_YEAR})(?!\d)"
)
_NAMED_MONTH_FIRST = re.compile(rf"([^\W\d]{{3,12}})\.?\s{{1,2}}(\d{{1,2}})(?:st|nd|rd|th)?,?\s{{1,2}}({_YEAR})(?!\d)")
_UNIX = re.compile(r"1\d{9}(?:\d{3})?")

_PATH_YEAR, _PATH_MONTH, _PATH_DAY = r"((?:19|20)\d\d)", r"(0?[1-9]|1[0-2])", r"(0?[1-9]|[12]\d|3[01])"
_PATH_DAYS = (
    re.compile(rf"/{_PATH_YEAR}[-/_]{_PATH_MONTH}[-/_]{_PATH_DAY}(?!\d)"),  # /2024/05/01/ /2024-05/01/
    re.compile(
        rf"/[a-z]{{0,8}}[-_]?{_PATH_YEAR}[-/_]?(0[1-9]|1[0-2])[-/_]?([0-2]\d|3[01])(?!\d)", re.IGNORECASE
    ),  # /t20240501_
)
_PATH_DAY_FIRST = re.compile(rf"/{_PATH_DAY}-{_PATH_MONTH}-{_PATH_YEAR}(?!\d)")
_SLUG_DAY = re.compile(rf"[-_.]{_PATH_YEAR}[-_]?(0[1-9]|1[0-2])[-_]?([0-2]\d|3[01])(?!\d)")

_MONTH_DAY = re.compile(r"(?<![\d年/.-])(?:(\d{1,2})月(\d{1,2})[日号號]|(\d\d)-(\d\d)(?=\s\d\d:\d\d))")
_YEAR_IN_PATH = re.compile(rf"/{_PATH_YEAR}(?:/|(?:0[1-9]|1[0-2])/)")
_ERA = re.compile(r"(民[国國]|令和|平成)\s?(\d{1,3})\s?年")
_ERA_START = {"民国": 1911, "民國": 1911, "令和": 2018, "平成": 1988}
_UTC = re.compile(r"(?:Z|GMT|UTC|[+-]00:?00)\s*\Z")
_RELATIVE = re.compile(
    r"(?P<word>刚刚|剛剛|今天|今日|昨天|昨日|昨晚|前天|today|yesterday)|(?P<number>\d{1,3})\s?(?P<unit>分钟|分鐘|小时|小時|天|周|週|minute|hour|day|week)s?\s?(?:之?前|ago)",
    re.IGNORECASE,
)
_WORD_DAYS = {"昨天": 1, "昨日": 1, "昨晚": 1, "前天": 2, "yesterday": 1}
_UNIT_DAYS = {"天": 1, "day": 1, "周": 7, "週": 7, "week": 7}

_PUBLISHED_LABEL = re.compile(
    r"(?:发[布表文稿帖贴]|發[布表佈文帖]|刊[发登]|上[传線线]|[发發]行|出版|签发|成文|印发|[撰编編][写寫辑輯](?:时间|時間)|作成|公開|掲載|投稿"
    r"|publish\w*|posted|released?|issued|created|veröffentlicht|erschienen|publi[ée]e?|publicad[oa]|pubblicat[oa]|опубликован[оа]?|opublikowano)[^\n\d]{0,12}$",
    re.IGNORECASE,
)
_MODIFIED_LABEL = re.compile(
    r"(?:更新|修改|修[订訂]|最[后後]|改訂|update[ds]?|modified|edited|revised|reviewed|geändert|aktualisiert|mis(?:e)? à jour|actualizad[oa]|aggiornat[oa]|обновлен[оа]?)[^\n\d]{0,12}$",
    re.IGNORECASE,
)
_GENERAL_LABEL = re.compile(
    r"(?:时间|時間|日期|来源|來源|作者|编辑|編輯|记者|日付|date|datum|fecha|data|by|on|par|von)[^\n\d]{0,16}$",
    re.IGNORECASE,
)
_EVENT_LABEL = re.compile(
    r"(?:农历|農曆|阴历|陰曆|今天是|今天为|截[止至]|报名|報名|活动|活動|会议|會議|考试|考試|开[始幕业]|出生|生[于於]|逝世|有效|创[刊建]|成立|注册|加入|到期|施行|[实實]施|结束|自|从|從|至|到"
    r"|版权|copyright|©|born|since|until|deadline|joined|member|registered|valid|expires)[^\n\d]{0,8}$",
    re.IGNORECASE,
)
_AFTER_PUBLISHED = re.compile(r"[\s\d:，,)）]{0,12}(?:发[布表稿]|發[布表]|posted|published)", re.IGNORECASE)
_AFTER_EVENT = re.compile(r"\s?(?:起|止|前|至|到|-{1,2}(?!\s?\d?\d:)|～|~|—|以[前后来])")
_CLOCK = re.compile(r"[\s,，T|(-]{0,4}[0-2]?\d[:.h时時][0-5]\d")
_BELIEVED = 5
"""The least weight of a dated line: a label and a place near the title, or a clock and a short line right below the title."""


class DateGuess(NamedTuple):
    """A day (YYYY-MM-DD, or "") and its source: json-ld, meta NAME, the name of an element, time, url or text."""

    day: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class DatedLine:
    """A day in the text: ``weight`` says how much speaks for it as the page's own, ``is_update`` that its label says modified."""

    day: str
    weight: int
    is_update: bool


@dataclass(frozen=True, slots=True)
class DateFormat:
    """How to read days of one page: none after ``last`` is believed, 05/01/2024 is 1 May when ``month_first``."""

    last: date | None = None
    month_first: bool = False


PLAIN = DateFormat()


def day_of(text: str, how: DateFormat = PLAIN) -> str:
    """The first day named in a short text or a machine's stamp, as YYYY-MM-DD, or ""."""
    text = text[:200].strip().translate(_WIDE)
    if _UNIX.fullmatch(text):
        moment = datetime.fromtimestamp(int(text[:10]), UTC) + _EAST_ASIA
        return _written(moment.year, moment.month, moment.day, how)
    return next((day for _start, _end, day in days_in(text, how)), "")


def days_in(text: str, how: DateFormat = PLAIN) -> Iterator[tuple[int, int, str]]:
    """(start, end, YYYY-MM-DD) of every day of a line, form by form."""
    for match in _NUMERIC.finditer(text):
        yield from _if_day(match, match[1], match[3], match[4], how)
    if "年" in text or "년" in text:
        for match in _HAN.finditer(text):
            yield from _if_day(match, _number(match[1]), _number(match[2]), _number(match[3]), how)
    for match in _NAMED.finditer(text):
        yield from _if_day(match, match[3], _month(match[2]), match[1], how)
    for match in _NAMED_MONTH_FIRST.finditer(text):
        yield from _if_day(match, match[3], _month(match[1]), match[2], how)
    for match in _DAY_FIRST.finditer(text):
        day, month = match[1], match[3]
        if int(month) > 12 or (match[2] != "." and how.month_first and int(day) <= 12):
            day, month = month, day
        yield from _if_day(match, match[4], month, day, how)
    for match in _COMPACT.finditer(text):
        yield from _if_day(match, match[1], match[2], match[3], how)


def _if_day(
    match: re.Match[str], year: str | int, month: str | int, day: str | int, how: DateFormat
) -> Iterator[tuple[int, int, str]]:
    if written := _written(int(year), int(month), int(day), how):
        yield match.start(), match.end(), written


def _written(year: int, month: int, day: int, how: DateFormat) -> str:
    """YYYY-MM-DD, or "" when there is no such day or a page cannot be of it."""
    try:
        value = date(year if year > 99 else 2000 + year, month, day)
    except ValueError:
        return ""
    return value.isoformat() if value.year >= 1990 and value <= (how.last or date(2100, 1, 1)) else ""


def _number(text: str) -> int:
    """The value of digits, of a year such as 二〇二四, or of Chinese numerals below a hundred."""
    if "十" in text:
        tens, _, ones = text.partition("十")
        return 10 * (_number(tens) if tens else 1) + (_number(ones) if ones else 0)
    return int("".join(_HAN_DIGITS.get(char, char) for char in text))


def _month(name: str) -> int:
    """The number of a month's name, short English names included; 0 for another word."""
    name = name.lower()
    return _MONTH_NAMES.get(name) or _MONTH_NAMES.get(name[:3], 0)


def day_in_path(url: str, how: DateFormat = PLAIN) -> str:
    """The day in the folders of a URL's path such as /2024/05/01/ or /t20240501_1.html, or ""."""
    path = url[:500].partition("://")[2].partition("?")[0].partition("#")[0]
    days = (
        _written(int(match[1]), int(match[2]), int(match[3]), how)
        for form in _PATH_DAYS
        for match in form.finditer(path)
    )
    if found := next(filter(None, days), ""):
        return found
    match = _PATH_DAY_FIRST.search(path)
    return _written(int(match[3]), int(match[2]), int(match[1]), how) if match else ""


class Dates:
    """The days of one page, each found when it is asked for."""

    def __init__(
        self,
        page: Reading,
        zones: list[str],
        url: str,
        title: str,
        objects: list[dict[str, object]],
        today: date | None,
    ) -> None:
        self._page = page
        self._zones = zones
        self._url = url
        self._title = title
        self._objects = [thing for thing in objects if not types_of(thing) & _NOT_THE_PAGE]
        self._today = today
        # a page may be of tomorrow by its own clock, no later
        self._how = DateFormat(today + timedelta(days=1) if today else None, page.lang.lower() in ("en", "en-us"))

    @cached_property
    def published(self) -> DateGuess:
        """The day of publication: the first source that names a possible day, from machine-readable ones to the text."""
        return next(self._published(), DateGuess())

    @cached_property
    def modified(self) -> DateGuess:
        """The day of the last change, by the same kinds of source."""
        return next(self._modified(), DateGuess())

    def _published(self) -> Iterator[DateGuess]:
        yield from self._declared("datePublished", "uploadDate", "dateCreated")
        yield from self._meta(_PUBLISHED_META)
        yield from self._marked("publi", "pubdate", "created", "issued")
        yield from (DateGuess(day, "url") for day in [day_in_path(self._url, self._how)] if day)
        yield from self._times(near_title=True)
        yield from (DateGuess(line.day, "text") for line in self._best_line(is_update=False))
        yield from self._times(near_title=False)
        yield from self._meta(_GENERAL_META)
        slug = _SLUG_DAY.search(self._url[:500])
        if slug and (day := _written(int(slug[1]), int(slug[2]), int(slug[3]), self._how)):
            yield DateGuess(day, "url")
        yield from self._modified()

    def _modified(self) -> Iterator[DateGuess]:
        yield from self._declared("dateModified")
        yield from self._meta(_MODIFIED_META)
        yield from self._marked("modified", "updated")
        yield from (DateGuess(line.day, "text") for line in self._best_line(is_update=True))

    def _declared(self, *names: str) -> Iterator[DateGuess]:
        for name in names:
            for thing in self._objects:
                stamp = text_of(thing.get(name))
                if day := day_of(stamp, self._how):
                    is_update = name == "dateModified"
                    yield DateGuess(self._shown(day, is_update) if _UTC.search(stamp) else day, "json-ld")

    def _shown(self, day: str, is_update: bool) -> str:
        """A stamp in UTC gives way to the day that the page shows, if that is the day before or after."""
        days = [line.day for line in self._lines if line.weight >= 0 and line.is_update == is_update]
        near = [shown for shown in days if abs((date.fromisoformat(shown) - date.fromisoformat(day)).days) == 1]
        return near[0] if near and day not in days else day

    def _meta(self, names: tuple[str, ...]) -> Iterator[DateGuess]:
        for name in names:
            if day := day_of(self._page.meta.get(name, ""), self._how):
                yield DateGuess(day, f"meta {name}")

    def _marked(self, *names: str) -> Iterator[DateGuess]:
        """Elements whose itemprop, property or class says it."""
        for start, name, day in self._marks():
            if any(part in name.lower() for part in names) and start >= 0:
                yield DateGuess(day, name.split()[0])

    def _times(self, *, near_title: bool) -> Iterator[DateGuess]:
        """``<time>`` elements: right around the title, or anywhere in the main part."""
        title_start, title_end = title_span(self._page, self._title)
        for start, name, day in self._marks():
            is_near = title_start - 300 <= start <= title_end + 600
            if name.startswith("time") and "updat" not in name and (is_near or not near_title):
                yield DateGuess(day, "time")

    def _marks(self) -> Iterator[tuple[int, str, str]]:
        title_start, title_end = title_span(self._page, self._title)
        for mark in self._page.times:
            is_near = title_start - 300 <= mark.start <= title_end + 600
            zone = self._zones[mark.container]
            if zone in ("main", "header") or (is_near and zone not in ("comment", "aside")):
                stamp = mark.stamp or self._page.text[mark.start : mark.start + 60].lstrip().partition("\n")[0]
                if day := day_of(stamp, self._how):
                    yield mark.start, mark.name, day

    def _best_line(self, *, is_update: bool) -> list[DatedLine]:
        lines = [line for line in self._lines if line.weight >= _BELIEVED and line.is_update == is_update]
        return [max(lines, key=lambda line: line.weight)] if lines else []

    @cached_property
    def _lines(self) -> list[DatedLine]:
        """Every day of a short line, with its weight, at most 50."""
        lines: list[DatedLine] = []
        span = title_span(self._page, self._title)
        before = ""
        for block in self._page.blocks:
            if len(lines) >= 50:
                break
            text = self._page.block_text(block).translate(_WIDE) if block.end - block.start <= 200 else ""
            if "年" in text:
                text = _ERA.sub(lambda match: f"{int(match[2]) + _ERA_START[match[1]]}年", text)
            if text:
                lines.extend(self._dated(text, before, self._place_weight(block, span)))
            before = text[-26:] + "\n"
        return lines

    def _dated(self, line: str, before: str, place: int) -> Iterator[DatedLine]:
        is_short = len(line) < 60 and "。" not in line
        days = list(days_in(line, self._how)) or list(self._without_year(line) if is_short else ())
        for start, end, day in days:
            label, is_update = _label_weight((before + line[:start])[-26:].replace("\n", " "), line[end:])
            yield DatedLine(day, place + label + 2 * bool(_CLOCK.match(line, end)) + 2 * is_short, is_update)
        match = _RELATIVE.search(line) if self._today and not days and is_short else None
        if match:
            label, is_update = _label_weight((before + line[: match.start()])[-26:], line[match.end() :])
            yield DatedLine(self._relative(match), place + label + 2, is_update)

    def _without_year(self, line: str) -> Iterator[tuple[int, int, str]]:
        """5月1日 and 05-01 12:30 are of the year in the address, else of the last such day before the visit."""
        if not (match := _MONTH_DAY.search(line)):
            return
        in_path = _YEAR_IN_PATH.search(self._url[:500])
        visited = [self._today.year, self._today.year - 1] if self._today else []
        for year in [int(in_path[1])] if in_path else visited:
            if day := _written(year, int(match[1] or match[3]), int(match[2] or match[4]), self._how):
                yield match.start(), match.end(), day
                return

    def _relative(self, match: re.Match[str]) -> str:
        """昨天 and 3天前 count from the day of the visit; hours and minutes are that day."""
        assert self._today is not None
        unit = (match["unit"] or "").lower()
        ago = (
            int(match["number"]) * _UNIT_DAYS.get(unit, 0)
            if match["number"]
            else _WORD_DAYS.get(match["word"].lower(), 0)
        )
        return (self._today - timedelta(days=ago)).isoformat()

    def _place_weight(self, block: Block, span: tuple[int, int]) -> int:
        zone = self._zones[block.container]
        if zone == "comment" or 2 * block.linked > block.end - block.start:
            return -4
        if span[0] - 200 <= block.start <= span[1] + 300:
            return 3
        return 0 if zone in ("main", "header") else -3


def _label_weight(head: str, tail: str) -> tuple[int, bool]:
    """(weight, whether it is an update) of the words just before and after a day."""
    if _PUBLISHED_LABEL.search(head) or _AFTER_PUBLISHED.match(tail):
        return 6, False
    if _MODIFIED_LABEL.search(head):
        return 5, True
    if _EVENT_LABEL.search(head) or _AFTER_EVENT.match(tail):
        return -8, False
    return (2, False) if _GENERAL_LABEL.search(head) else (0, False)
