"""Finds when a page was published and modified: JSON-LD, meta, elements of time, the URL, then its text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from topicspider.page.declared.jsonld import text_of, types_of
from topicspider.page.origin.dated_lines import dated_lines, title_span
from topicspider.page.origin.day_forms import Habits, day_of
from topicspider.page.origin.url_days import day_in_slug, day_in_url, year_in_url
from topicspider.url.host import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from topicspider.page.markup.reading import Reading, TimeMark
    from topicspider.page.origin.dated_lines import DatedLine

_PUBLISHED = (
    "article:published_time", "article:published", "og:article:published_time", "datepublished", "pubdate", "publishdate", "publish_date",
    "publish-date", "publishtime", "publish_time", "published_time", "og:published_time", "og:pubdate", "og:published", "article:publish_time",
    "og:time", "og:release_date", "bytedance:published_time", "weibo: article:create_at", "weibo:article:create_at", "article.published",
    "article_date_original", "originalpublicationdate", "publication_date", "sailthru.date", "parsely-pub-date", "bt:pubdate", "citation_publication_date",
    "citation_online_date", "dc.date.issued", "dcterms.issued", "dc.date.created", "dcterms.created", "datecreated", "article:create_time", "shareaholic:article_published_time",
    "rnews:datepublished", "prism.publicationdate", "cxenseparse:recs:publishtime", "contentpubdate", "uploaddate", "releasedate",
)  # fmt: skip
_GENERAL = (
    "dc.date",
    "dcterms.date",
    "date",
    "dc:date",
    "article:date",
    "created",
    "creation_date",
    "eomportal-lastupdate",
)
"""Names that also hold the day of the last change, or of the server's answer."""
_MODIFIED = (
    "article:modified_time", "article:modified", "datemodified", "og:updated_time", "article:updated_time", "article:updated", "bytedance:updated_time",
    "lastmod", "last-modified", "lastmodified", "last_modified", "dcterms.modified", "dc.date.modified", "weibo: article:update_at",
    "weibo:article:update_at", "og:modified_time", "updated_time", "revised", "moddate", "bytedance:lrdate_time",
)  # fmt: skip
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
        "jobposting",
        "website",
        "breadcrumblist",
    }
)
_ARTICLES = re.compile(r"article|posting|report|recipe|book|webpage|videoobject|podcastepisode|question|qapage")
_STAMP = re.compile(r"[12]\d{3}(?:[-/年]\d{1,2}[-/月]\d{1,2}|\d{6}(?:\d{3})?(?!\d))")
_NAMED_STAMP = re.compile(
    r"(?:date_?published|publish(?:ed)?_?(?:date|time|at)|pub_?(?:date|time|lish)|ptime|created?_?(?:at|time)|release_?(?:date|time))"
    r"[\"']?\s{0,3}[:=]\s{0,3}[\"']?$",
    re.IGNORECASE,
)
_SCRIPT_MARKS = ("ublish", "UBLISH", "ptime", "pub_", "pubd", "pubD", "pubt", "pubT", "reated", "reate_", "elease")
_SCRIPT_SCANNED = 100_000
_MAX_STAMPS = 150
_RIGHTS_YEAR = re.compile(
    r"(?:©|copyright|\(c\)|版权所有|版權所有)[^\n]{0,40}?(?:(?:19|20)\d\d\s?[-–—~至]\s?)?((?:19|20)\d\d)", re.IGNORECASE
)
_EAST_ASIAN = ("zh", "ja", "ko")
_DAY_FIRST_ENGLISH = ("uk", "au", "nz", "in", "ie", "za", "sg", "hk", "my", "ng", "ke", "pk")
_SURE, _LIKELY = 7.0, 3.0
"""Weights of a line: a label or a place right below the title with a clock; and the least that is believed."""


class Dated(NamedTuple):
    """A day (YYYY-MM-DD, or "") and the source that said it; ``is_utc`` when the page's own clock may show another."""

    day: str = ""
    why: str = ""
    is_utc: bool = False


@dataclass(frozen=True, slots=True)
class Dating:
    """All that days are chosen from; ``language`` and ``html`` are asked only when something depends on them."""

    reading: Reading
    zones: list[str]
    url: str
    title: str
    objects: list[dict[str, object]]
    today: date | None
    language: Callable[[], str]
    html: Callable[[], str]


class Dates:
    """The days of one page, found when asked for; the text is looked through once, for both."""

    def __init__(self, dating: Dating) -> None:
        self._dating = dating
        self._habits = _habits_of(dating)
        self._lines: list[DatedLine] | None = None

    @cached_property
    def published(self) -> Dated:
        """The day of publication. The first source that names a possible day wins, from what is written for machines to the text."""
        found = next(self._published(), Dated())
        return self._local(found) if found.is_utc else found

    @cached_property
    def modified(self) -> Dated:
        """The day of the last change, by the same kinds of source."""
        return next(self._modified(), Dated())

    def _local(self, found: Dated) -> Dated:
        """What the page shows its readers, where that is the day before or after in UTC."""
        best = self._best_line()
        if (
            best
            and best.weight >= _SURE
            and abs((date.fromisoformat(best.day) - date.fromisoformat(found.day)).days) == 1
        ):
            return Dated(best.day, f"{found.why}, text")
        return found

    def _published(self) -> Iterator[Dated]:
        dating, habits = self._dating, self._habits
        yield from _declared(dating.objects, ("datePublished", "uploadDate", "dateCreated"), habits)
        yield from _from_meta(dating.reading, _PUBLISHED, habits)
        yield from self._marked("publi", "pubdate", "created", "issued")
        if day := day_in_url(dating.url, habits):
            yield Dated(day, "url")
        yield from self._near_title()
        best = self._best_line()
        if best and best.weight >= _SURE:
            yield Dated(best.day, "text")
        yield from self._other_times()
        yield from _from_meta(dating.reading, _GENERAL, habits)
        if day := day_in_slug(dating.url, habits):
            yield Dated(day, "url")
        if best and best.weight >= _LIKELY:
            yield Dated(best.day, "text")
        yield from self._in_scripts()
        yield from self._modified()

    def _modified(self) -> Iterator[Dated]:
        dating, habits = self._dating, self._habits
        yield from _declared(dating.objects, ("dateModified",), habits)
        yield from _from_meta(dating.reading, _MODIFIED, habits)
        yield from self._marked("modified", "updated")
        updates = [line for line in self._all_lines() if line.is_update and line.weight >= _LIKELY]
        if updates:
            yield Dated(max(updates, key=lambda line: line.weight).day, "text")

    def _marked(self, *names: str) -> Iterator[Dated]:
        """Elements that say so in itemprop, property, pubdate or, for ``<time>``, class; none of comments and other pages."""
        for mark in self._own_marks():
            if mark.name and any(name in mark.name.lower() for name in names) and (day := self._day_at(mark)):
                yield Dated(day, mark.name.split()[0])

    def _near_title(self) -> Iterator[Dated]:
        start, end = title_span(self._dating.reading, self._dating.title)
        near = [mark for mark in self._dating.reading.times if start - 300 <= mark.start <= end + 600]
        zones = self._dating.zones
        for mark in near:
            zone = zones[mark.container] if mark.container >= 0 else "main"
            if zone != "comment" and (zone != "aside" or mark.start >= end):
                yield from self._of_time(mark)

    def _other_times(self) -> Iterator[Dated]:
        for mark in self._own_marks():
            yield from self._of_time(mark)

    def _of_time(self, mark: TimeMark) -> Iterator[Dated]:
        if mark.name.startswith("time") and "updat" not in mark.name and (day := self._day_at(mark)):
            yield Dated(day, "time")

    def _own_marks(self) -> list[TimeMark]:
        zones = self._dating.zones
        return [
            mark
            for mark in self._dating.reading.times
            if mark.container < 0 or zones[mark.container] in ("main", "header")
        ]

    def _day_at(self, mark: TimeMark) -> str:
        text = self._dating.reading.text
        return (
            day_of(mark.stamp, self._habits)
            if mark.stamp
            else day_of(text[mark.start : mark.start + 60].lstrip().partition("\n")[0], self._habits)
        )

    def _in_scripts(self) -> Iterator[Dated]:
        html = self._dating.html()
        if not self._dating.reading.scripts or not any(mark in html for mark in _SCRIPT_MARKS):
            return
        for found in islice(_STAMP.finditer(html, 0, _SCRIPT_SCANNED), _MAX_STAMPS):
            named = _NAMED_STAMP.search(html, max(0, found.start() - 30), found.start())
            if named and (day := day_of(found[0], self._habits)):
                yield Dated(day, "script")

    def _best_line(self) -> DatedLine | None:
        lines = self._all_lines()
        return max(lines, key=lambda line: line.weight - 2 * line.is_update) if lines else None

    def _all_lines(self) -> list[DatedLine]:
        if self._lines is None:
            self._lines = dated_lines(self._dating.reading, self._dating.zones, self._dating.title, self._habits)
        return self._lines


def _declared(objects: list[dict[str, object]], names: Iterable[str], habits: Habits) -> Iterator[Dated]:
    """Of JSON-LD: articles before other things; comments, events and the site itself say nothing of the page."""
    own = [thing for thing in objects if not types_of(thing) & _NOT_THE_PAGE]
    own.sort(key=lambda thing: not any(_ARTICLES.search(kind) for kind in types_of(thing)))
    for name in names:
        for thing in own:
            if (stamp := text_of(thing.get(name))) and (day := day_of(stamp, habits)):
                yield Dated(day, "json-ld", _is_utc(stamp))


def _from_meta(reading: Reading, names: Iterable[str], habits: Habits) -> Iterator[Dated]:
    for name in names:
        if (stamp := reading.meta.get(name)) and (day := day_of(stamp, habits)):
            yield Dated(day, f"meta {name}", _is_utc(stamp))


def _is_utc(stamp: str) -> bool:
    return stamp.endswith(("Z", "+00:00", "+0000", "GMT", "UTC"))


def _habits_of(dating: Dating) -> Habits:
    year = year_in_url(dating.url) or (dating.today.year if dating.today else 0) or _year_of_rights(dating.reading.text)
    return Habits(year, dating.today, partial(_is_east_asian, dating), partial(_is_month_first, dating))


def _year_of_rights(text: str) -> int:
    """The year of the copyright line, which stands at an end of the page; 0 without one."""
    found = _RIGHTS_YEAR.search(text[-3000:])
    return int(found[1]) if found else 0


def _is_east_asian(dating: Dating) -> bool:
    """By the text: what pages declare is often their template's."""
    return (dating.language() or dating.reading.lang.lower()[:2]) in (*_EAST_ASIAN, "")


def _is_month_first(dating: Dating) -> bool:
    """Whether the page is of the United States, as far as its declared language and its host say."""
    declared = dating.reading.lang.lower().replace("_", "-")
    if declared and declared not in ("en", "en-us"):
        return False
    return host_of(dating.url).rpartition(".")[2] not in _DAY_FIRST_ENGLISH and dating.language() == "en"
