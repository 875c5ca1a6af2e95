"""Parses search queries: words, "phrases", -excluded ones, and filters such as site: and after:."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from topicspider.items import KINDS
from topicspider.text.normalise import normalise
from topicspider.url import canonicalize, host_of

LONGEST_QUERY = 2000
FILTERS = ("site", "topic", "type", "language", "after", "before", "min")
CHINESE = {"站点": "site", "网站": "site", "主题": "topic", "类型": "type", "语言": "language", "lang": "language", "晚于": "after", "早于": "before", "最低": "min"}  # fmt: skip
_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»「」『』〝〞", '"'))
_PART = re.compile(r'(?P<minus>-?)(?:(?P<name>[^\s":]{1,20}):)?(?:"(?P<quoted>[^"]*)(?:"|\Z)|(?P<plain>[^\s"]+))')
_DAY = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Term:
    """A text to search for; the words of a phrase must be adjacent."""

    text: str
    is_phrase: bool = False


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on a page besides its words. ``name``: one of FILTERS; ``value``: its normal form: a host, a day (ISO 8601), a number."""

    name: str
    value: str
    is_excluded: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query. ``text``: as it was typed; ``ignored_filters``: parts that look like filters but are invalid, searched as words."""

    text: str = ""
    terms: tuple[Term, ...] = ()
    excluded: tuple[Term, ...] = ()
    filters: tuple[Filter, ...] = ()
    ignored_filters: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was typed at all: then all hits are found."""
        return not self.text.strip()


def read_query(text: str) -> Query:
    """The parsed query; never raises. Case, width, and simplified or traditional characters make no difference."""
    terms: list[Term] = []
    excluded: list[Term] = []
    filters: list[Filter] = []
    ignored_filters: list[str] = []
    for match in _PART.finditer(normalise(text[:LONGEST_QUERY].translate(_QUOTES))):
        name, is_excluded = match["name"] or "", bool(match["minus"])
        value = match["plain"] if match["quoted"] is None else match["quoted"]
        if not name and (match["plain"] or "").endswith(":"):  # in "site: a.com" a space comes before the value
            name, value = value[:-1], ""
        if name and (found := _filter(CHINESE.get(name, name), value, is_excluded)):
            filters.append(found)
            continue
        if CHINESE.get(name, name) in FILTERS:
            ignored_filters.append(f"{name}:{value}")
        if name:
            (excluded if is_excluded else terms).append(Term(name))
        (excluded if is_excluded else terms).append(Term(value, match["quoted"] is not None))
    return Query(text, tuple(terms), tuple(excluded), tuple(filters), tuple(ignored_filters))


def kind_asked(text: str) -> str:
    """The one kind of pages that ``text`` selects by type:; "" for none or several."""
    kinds = {one.value for one in read_query(text).filters if one.name == "type" and not one.is_excluded}
    return kinds.pop() if len(kinds) == 1 and kinds <= KINDS.keys() else ""


def _filter(name: str, value: str, is_excluded: bool) -> Filter | None:
    """The filter, or None when the name is unknown or the value invalid."""
    read: dict[str, Callable[[str], str]] = {
        "site": _host,
        "topic": str.strip,
        "type": str.strip,
        "language": lambda value: value.strip().partition("-")[0],  # pages have zh for zh-CN
        "after": _day,
        "before": _day,
        "min": _share,
    }
    meant = read[name](value) if name in read else ""
    return Filter(name, meant, is_excluded) if meant else None


def _host(value: str) -> str:
    """The canonical host (punycode, without port) of a host name or URL; "" if invalid."""
    url = canonicalize(value if "://" in value else f"http://{value}/")
    return host_of(url) if url else ""


def _day(value: str) -> str:
    """The first day of 2026, 2026-05 or 2026-05-01, in ISO 8601; "" if invalid."""
    match = _DAY.fullmatch(value.strip())
    if match is None:
        return ""
    month, day = int(match[2] or 1), int(match[3] or 1)
    return f"{match[1]}-{month:02}-{day:02}" if 1 <= month <= 12 and 1 <= day <= 31 else ""


def _share(value: str) -> str:
    """A number from 0 to 1 as text, also from .7 or 70%; "" if invalid."""
    match = re.fullmatch(r"(\d{0,3}(?:\.\d{1,9})?)(%?)", value.strip(), re.ASCII)
    if match is None or not match[1]:
        return ""
    number = float(match[1]) / (100 if match[2] else 1)
    return repr(number) if number <= 1 else ""
