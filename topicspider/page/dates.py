"""Finds the days a page was published and modified: in JSON-LD, meta, date elements, the URL, then lines such as 发布时间：2024年5月1日."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from topicspider.page.parsed_page import title_span
from topicspider.page.typed_objects import text_of, types_of

if TYPE_CHECKING:
    from topicspider.page.parsed_page import Block, Reading

_PUBLISHED_META = (
    "article:published_time", "article:published", "og:article:published_time", "og:published_time", "og:pubdate", "og:release_date",
    "datepublished", "pubdate", "publishdate", "publish_date", "publish-date", "publishtime", "publish_time", "published_time",
    "bytedance:published_time", "weibo: article:create_at", "originalpublicationdate", "publication_date", "sailthru.date", "parsely-pub-date",
    "citation_publication_date", "citation_online_date", "dc.date.issued", "dcterms.issued", "dc.date.created", "dcterms.created",
    "datecreated", "releasedate", "dc.date", "dcterms.date", "date", "created",
)  # fmt: skip
_MODIFIED_META = (
    "article:modified_time", "article:modified", "og:modified_time", "og:updated_time", "article:updated_time", "bytedance:updated_time",
    "weibo: article:update_at", "datemodified", "lastmod", "last-modified", "lastmodified", "dcterms.modified", "dc.date.modified", "revised",
)  # fmt: skip
_NOT_THE_PAGE = frozenset(
    ("comment", "answer", "review", "offer", "event", "person", "organization", "imageobject", "website", "breadcrumblist")
)  # fmt: skip

_WIDE = str.maketrans("０１２３４５６７８９：－／．٠١٢٣٤٥٦٧٨٩", "0123456789:-/.0123456789")
_IS_WIDE = re.compile("[０-９：－／．٠-٩]")
_HAN_DIGITS = str.maketrans("〇零○一二三四五六七八九", "000123456789")
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
        "januari februari maart april mei juni juli augustus september oktober november december",
        "januari februari mars april maj juni juli augusti september oktober november december",
        "januari februari maret april mei juni juli agustus september oktober november desember",
        "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
        "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
        "ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου",
        "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
        "בינואר בפברואר במרץ באפריל במאי ביוני ביולי באוגוסט בספטמבר באוקטובר בנובמבר בדצמבר",
        "जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर",
        "มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม",
    )
    for number, name in enumerate(names.split(), 1)
}
_YEAR = r"(?P<y>(?:19|20)\d\d)"
# a letter, then any characters but digits and punctuation: vowel signs of Hindi and Thai are not letters to \w
_MONTH = r"(?P<m>[^\W\d][^\s\d!-@\u00a0-\u00bf\u2010-\u2027、-』]{1,12})"
_DAY_FIRST = re.compile(rf"(?<![\d.])(?P<d>\d{{1,2}})(?P<mark>[-/.])(?P<m>\d{{1,2}})(?P=mark){_YEAR}(?!\d)")
_FORMS = (
    re.compile(rf"(?<!\d){_YEAR}\s?(?P<mark>[-/.·])\s?(?P<m>\d{{1,2}})\s?(?P=mark)\s?(?P<d>\d{{1,2}})(?!\d|\.\d)"),
    re.compile(
        r"(?<!\d)(?P<y>\d{4}|\d\d|[〇零○一二三四五六七八九]{4})\s?[年년]\s{0,2}(?P<m>[\d一二三四五六七八九十]{1,3})\s?[月월]"
        r"\s{0,2}(?P<d>[\d一二三四五六七八九十]{1,3})\s?[日号號일]?"
    ),
    re.compile(
        rf"(?<![\d.])(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|\.)?[\s-](?:de |of )?{_MONTH}\.?,?[\s-](?:de |del )?{_YEAR}(?!\d)"
    ),
    re.compile(rf"(?<!\d)(?P<d>\d{{1,2}}) tháng (?P<m>\d{{1,2}})(?:,| năm)? {_YEAR}(?!\d)", re.IGNORECASE),
    re.compile(rf"{_MONTH}\.?\s{{1,2}}(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s{{1,2}}{_YEAR}(?!\d)"),
    _DAY_FIRST,
    re.compile(rf"(?<![\dA-Za-z-]){_YEAR}(?P<m>0[1-9]|1[0-2])(?P<d>[0-2]\d|3[01])(?:(?![\dA-Za-z]|-\d)|(?=T\d))"),
)
"""2024-05-01, 2024年5月1日, 1 May 2024, May 1, 2024, 01/05/2024, 20240501."""
_HAS_YEAR = re.compile(r"(?:19|20)\d\d|[年년]")
"""Matches wherever one of _FORMS does: this one search rules out most lines."""
_DIGIT = re.compile(r"[\d年년]")
_UNIX = re.compile(r"1\d{9}(?:\d{3})?")
_IN_PATH = (
    re.compile(rf"/{_YEAR}[-/_](?P<m>0?[1-9]|1[0-2])[-/_](?P<d>0?[1-9]|[12]\d|3[01])(?!\d)"),
    re.compile(rf"/[a-z]{{0,8}}[-_]?{_YEAR}[-/_]?(?P<m>0[1-9]|1[0-2])[-/_]?(?P<d>[0-2]\d|3[01])(?!\d)", re.IGNORECASE),
    re.compile(rf"/(?P<d>0?[1-9]|[12]\d|3[01])-(?P<m>0?[1-9]|1[0-2])-{_YEAR}(?!\d)"),
)
"""/2024/05/01/, /t20240501_1.html, /01-05-2024/."""

_MONTH_DAY = re.compile(r"(?<![\d年/.-])(?:(\d{1,2})月(\d{1,2})[日号號]|(\d\d)-(\d\d)(?=\s\d\d:\d\d))")
_YEAR_IN_PATH = re.compile(rf"/{_YEAR}(?:/|(?:0[1-9]|1[0-2])/)")
_ERA = re.compile(r"(民[国國]|令和|平成)\s?(\d{1,3})\s?年")
_ERA_START = {"民国": 1911, "民國": 1911, "令和": 2018, "平成": 1988}
# Thai years since the Buddha
_BUDDHIST = re.compile(r"(?<=[\u0e00-\u0e7f.] )25[3-9]\d(?!\d)")
_UTC = re.compile(r"(?:Z|GMT|UTC|[+-]00:?00)\s*\Z")
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
_CLOCK = re.compile(r"[\s,，T|(-]{0,4}[0-2]?\d[:.h时時][0-5]\d")


class DateGuess(NamedTuple):
    """A day (YYYY-MM-DD, or "") and its source: json-ld, meta NAME, an element's tag or class, url or text."""

    day: str = ""
    source: str = ""


class DatedLine(NamedTuple):
    """A day in the text: the higher ``weight``, the more likely it is the page's own day; ``is_update``: its label says modified."""

    day: str
    weight: int
    is_update: bool


class DateFormat(NamedTuple):
    """How to read the days of one page: days after ``last`` are rejected; with ``month_first`` 05/01/2024 is 1 May."""

    last: date | None = None
    month_first: bool = False


PLAIN = DateFormat()


def day_of(text: str, how: DateFormat = PLAIN) -> str:
    """The first day in a short text or a timestamp (also Unix), as YYYY-MM-DD, or ""."""
    text = text[:200].strip().translate(_WIDE)
    if _UNIX.fullmatch(text):
        moment = datetime.fromtimestamp(int(text[:10]), UTC) + timedelta(hours=8)  # most such stamps are East Asian
        return _written(moment.year, moment.month, moment.day, how)
    return next((day for _start, _end, day in days_in(text, how)), "")


def days_in(text: str, how: DateFormat = PLAIN) -> Iterator[tuple[int, int, str]]:
    """(start, end, YYYY-MM-DD) of every day in a line, in the order of _FORMS."""
    for form in _FORMS if _HAS_YEAR.search(text) else ():
        for match in form.finditer(text):
            if day := _day(match, how):
                yield match.start(), match.end(), day


def _day(match: re.Match[str], how: DateFormat) -> str:
    year, month, day = (_number(match[part]) for part in "ymd")
    if match.re is _DAY_FIRST and (month > 12 or (match["mark"] != "." and how.month_first and day <= 12)):
        month, day = day, month
    return _written(year, month, day, how)


def _written(year: int, month: int, day: int, how: DateFormat) -> str:
    """YYYY-MM-DD, or "" for an impossible day, one before 1990, or one after ``how.last``."""
    try:
        value = date(year if year > 99 else 2000 + year, month, day)
    except ValueError:
        return ""
    return value.isoformat() if value.year >= 1990 and value <= (how.last or date(2100, 1, 1)) else ""


def _number(text: str) -> int:
    """The number that digits, a year such as 二〇二四, Chinese numerals below 100, or a month's name stand for; 0 for another word."""
    tens, has_tens, ones = text.partition("十")
    if has_tens:
        return 10 * _number(tens or "1") + _number(ones or "0")
    digits = text.translate(_HAN_DIGITS)
    if digits.isdecimal():
        return int(digits)
    name = text.lower()
    return _MONTH_NAMES.get(name) or _MONTH_NAMES.get(name[:3], 0)


def day_in_path(url: str, how: DateFormat = PLAIN) -> str:
    """The day in a URL's path such as /2024/05/01/ or /t20240501_1.html, or ""."""
    path = url[:500].partition("://")[2].partition("?")[0].partition("#")[0]
    days = (_day(match, how) for form in _IN_PATH for match in form.finditer(path))
    return next(filter(None, days), "")


class Dates:
    """The days of one page, each found on first use."""

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
        # by its own clock a page may be dated tomorrow, but no later
        self._how = DateFormat(today + timedelta(days=1) if today else None, page.lang.lower() in ("en", "en-us"))

    @cached_property
    def published(self) -> DateGuess:
        """The day of publication, from the first source with a plausible day: machine-readable sources come before text."""
        return next(self._published(), DateGuess())

    @cached_property
    def modified(self) -> DateGuess:
        """The day of the last change, by the same kinds of source."""
        return next(self._modified(), DateGuess())

    def _published(self) -> Iterator[DateGuess]:
        yield from self._declared("datePublished", "uploadDate", "dateCreated")
        yield from self._meta(_PUBLISHED_META)
        yield from self._marked("publi|pubdate|created|issued")
        yield from (DateGuess(day, "url") for day in [day_in_path(self._url, self._how)] if day)
        yield from self._marked(r"\Atime(?!.*updat)")
        yield from self._best_line(is_update=False)
        yield from self._modified()

    def _modified(self) -> Iterator[DateGuess]:
        yield from self._declared("dateModified")
        yield from self._meta(_MODIFIED_META)
        yield from self._marked("modified|updated")
        yield from self._best_line(is_update=True)

    def _declared(self, *names: str) -> Iterator[DateGuess]:
        for name in names:
            for thing in self._objects:
                stamp = text_of(thing.get(name))
                if day := day_of(stamp, self._how):
                    is_update = name == "dateModified"
                    yield DateGuess(self._shown(day, is_update) if _UTC.search(stamp) else day, "json-ld")

    def _shown(self, day: str, is_update: bool) -> str:
        """The day of a UTC timestamp; if the page shows the day before or after instead, that day."""
        days = [line.day for line in self._lines if line.weight >= 0 and line.is_update == is_update]
        near = [shown for shown in days if abs((date.fromisoformat(shown) - date.fromisoformat(day)).days) == 1]
        return near[0] if near and day not in days else day

    def _meta(self, names: tuple[str, ...]) -> Iterator[DateGuess]:
        for name in names:
            if day := day_of(self._page.meta.get(name, ""), self._how):
                yield DateGuess(day, f"meta {name}")

    def _marked(self, said: str) -> Iterator[DateGuess]:
        """Days of elements whose tag, itemprop, property or class matches ``said``, in the main zone or near the title."""
        start, end = self._span
        for mark in self._page.times:
            zone = self._zones[mark.container]
            is_near = start - 300 <= mark.start <= end + 600 and zone not in ("comment", "aside")
            if re.search(said, mark.name, re.IGNORECASE) and (is_near or zone in ("main", "header")):
                stamp = mark.stamp or self._page.text[mark.start : mark.start + 60].lstrip().partition("\n")[0]
                if day := day_of(stamp, self._how):
                    yield DateGuess(day, mark.name.split()[0])

    def _best_line(self, *, is_update: bool) -> Iterator[DateGuess]:
        # 5 takes a label and a place near the title, or a time of day in a short line right below the title
        lines = [line for line in self._lines if line.weight >= 5 and line.is_update == is_update]
        if lines:
            yield DateGuess(max(lines, key=lambda line: line.weight).day, "text")

    @cached_property
    def _span(self) -> tuple[int, int]:
        return title_span(self._page, self._title)

    @cached_property
    def _lines(self) -> list[DatedLine]:
        """Every day in blocks of at most 200 characters, with its weight; about 50 at most."""
        lines: list[DatedLine] = []
        before = ""
        for block in self._page.blocks:
            if len(lines) >= 50:
                break
            text = self._page.block_text(block) if block.end - block.start <= 200 else ""
            if _IS_WIDE.search(text):  # translating every text takes longer
                text = text.translate(_WIDE)
            if "年" in text:
                text = _ERA.sub(lambda match: f"{int(match[2]) + _ERA_START[match[1]]}年", text)
            elif " 25" in text:
                text = _BUDDHIST.sub(lambda match: str(int(match[0]) - 543), text)
            if _DIGIT.search(text):
                lines.extend(self._dated(text, before, self._place_weight(block, *self._span)))
            before = "" if self._is_headline(block, text) else text[-26:] + "\n"
        return lines

    def _is_headline(self, block: Block, text: str) -> bool:
        """Whether a line is or contains the title: its last words are no label of the day below it (桂林旅游节开幕)."""
        start, end = self._span
        return (block.start < end and block.end > start) or (bool(self._title) and self._title in text)

    def _dated(self, line: str, before: str, place: int) -> Iterator[DatedLine]:
        is_short = len(line) < 60 and "。" not in line
        days = list(days_in(line, self._how)) or list(self._without_year(line) if is_short else ())
        for start, end, day in days:
            label, is_update = _label_weight((before + line[:start])[-26:].replace("\n", " "))
            yield DatedLine(day, place + label + 2 * bool(_CLOCK.match(line, end)) + 2 * is_short, is_update)

    def _without_year(self, line: str) -> Iterator[tuple[int, int, str]]:
        """Days without a year (5月1日, 05-01 12:30): of the year in the URL, else the last such day before the fetch."""
        if not (match := _MONTH_DAY.search(line)):
            return
        in_path = _YEAR_IN_PATH.search(self._url[:500])
        visited = [self._today.year, self._today.year - 1] if self._today else []
        for year in [int(in_path[1])] if in_path else visited:
            if day := _written(year, int(match[1] or match[3]), int(match[2] or match[4]), self._how):
                yield match.start(), match.end(), day
                return

    def _place_weight(self, block: Block, start: int, end: int) -> int:
        """How much a block's place adds to the weight of its days; the title spans ``start`` to ``end``."""
        zone = self._zones[block.container]
        if zone == "comment" or 2 * block.linked > block.end - block.start:
            return -4
        if start - 200 <= block.start <= end + 300:
            return 3
        return 0 if zone in ("main", "header") else -3


def _label_weight(head: str) -> tuple[int, bool]:
    """(weight, is it a day of update?) by the words just before a day."""
    if _PUBLISHED_LABEL.search(head):
        return 6, False
    if _MODIFIED_LABEL.search(head):
        return 5, True
    if _EVENT_LABEL.search(head):
        return -8, False
    return (2, False) if _GENERAL_LABEL.search(head) else (0, False)
