"""Reads the day of publication that an address carries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from topicspider.page.origin.day_forms import NO_HABITS, written_day

if TYPE_CHECKING:
    from topicspider.page.origin.day_forms import Habits

_YEAR, _MONTH, _DAY = r"((?:19|20)\d\d)", r"(0?[1-9]|1[0-2])", r"(0?[1-9]|[12]\d|3[01])"
_TWO_MONTH, _TWO_DAY = r"(0[1-9]|1[0-2])", r"(0[1-9]|[12]\d|3[01])"
_FOLDERS = (
    re.compile(rf"/{_YEAR}[-/_]{_MONTH}[-/_]{_DAY}(?!\d)"),  # /2024/05/01/ /2024-05/01/ /2024_5_1
    re.compile(
        rf"/[a-z]{{0,8}}[-_]?{_YEAR}[-/_]?{_TWO_MONTH}[-/_]?{_TWO_DAY}(?!\d)", re.IGNORECASE
    ),  # /20240501/ /t20240501_ /2024/0501/
    re.compile(rf"/[a-z]?{_YEAR}{_TWO_MONTH}{_TWO_DAY}(?=(?:[01]\d|2[0-3])[0-5]?\d)"),  # /20240501123456
    re.compile(rf"/([0-3]\d)/{_TWO_MONTH}{_TWO_DAY}(?=/)"),  # /24/0501/
)
_SLUGS = (
    re.compile(rf"[-_.]{_YEAR}[-_]?{_TWO_MONTH}[-_]?{_TWO_DAY}(?!\d)"),
    re.compile(rf"(?<!\d){_TWO_DAY}[-_.]{_TWO_MONTH}[-_.]{_YEAR}(?!\d)"),
)
_YEAR_FOLDER = re.compile(rf"/[a-z]{{0,3}}{_YEAR}(?:/|[-_]?{_TWO_MONTH}(?:/|{_TWO_DAY}))")


def day_in_url(url: str, habits: Habits = NO_HABITS) -> str:
    """The day in the folders of a URL's path such as /2024/05/01/ or /t20240501_1.html, or ""."""
    path = _path_of(url)
    for pattern in _FOLDERS:
        for found in pattern.finditer(path):
            year = int(found[1])
            if day := written_day(2000 + year if year < 100 else year, int(found[2]), int(found[3]), habits):
                return day
    return ""


def day_in_slug(url: str, habits: Habits = NO_HABITS) -> str:
    """The day within a name of the path such as /news-2024-05-01.html, which may also be the day of what it tells; or ""."""
    path = _path_of(url)
    for pattern, year, day in ((_SLUGS[0], 1, 3), (_SLUGS[1], 3, 1)):
        for found in pattern.finditer(path):
            if written := written_day(int(found[year]), int(found[2]), int(found[day]), habits):
                return written
    return ""


def year_in_url(url: str) -> int:
    """The year of a path such as /2024/ or /202405/, 0 without one."""
    found = _YEAR_FOLDER.search(_path_of(url))
    return int(found[1]) if found else 0


def _path_of(url: str) -> str:
    rest = url[:500].partition("://")[2].partition("#")[0].partition("?")[0]
    return rest[rest.find("/") :] if "/" in rest else ""
