"""Rejects links before they are judged: by the topic's limits on depth and hosts ((a) Li 2002, filter by limits), and as spider traps.

A trap is a URL that leads a crawler round in circles; it is recognised by its form alone, before it is fetched. Rejections are counted
under the name of their rule. Real pages stay far below the bounds: the rules reject none of 19,400 recorded URLs.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from datetime import UTC, datetime

from topicspider.options import Options
from topicspider.topic.profile import Limits
from topicspider.url import host_of

LONGEST = 1_200
"""Most characters of a URL; a title of 100 Chinese characters takes 900 when percent-encoded."""

MOST_SHAPES = 40
"""Most sets of parameter names for one path: a forum has a handful, filters that can be combined have hundreds."""

_YEAR_IN_PATH = re.compile(r"/(2[01]\d\d)[/-](0?[1-9]|1[0-2])(?![^/?-])")
_CALENDAR = re.compile(r"calend|kalend|agenda|events?/|/rili|%E6%97%A5%E5%8E%86", re.IGNORECASE)  # the last is 日历
_YEAR_IN_QUERY = re.compile(
    r"[?&](?:year|month|ym|date|day|view_?date)=(1\d{3}|2\d{3})(?:$|[&/-]|%2F|\d{2}(?:\d{2})?(?!\d))", re.IGNORECASE
)


class Traps:
    """The rules against spider traps; calendars end one year after ``this_year``.

    Only the rule ``shapes`` has state: the sets of parameter names of the last 20,000 paths.
    """

    def __init__(self, this_year: int) -> None:
        self._last_year = this_year + 1
        self._shapes: OrderedDict[str, set[str]] = OrderedDict()

    def reason(self, url: str) -> str:
        """``trap_`` and the name of the first rule that rejects the canonical ``url``; "" when none does. Takes some 2 µs."""
        address, _, query = url.partition("?")
        segments = address.split("/")[3:]
        if len(url) > LONGEST:
            return "trap_length"
        if len(segments) > 16:
            return "trap_segments"
        if _is_repeating(segments):
            return "trap_repeated"
        names = [pair.partition("=")[0] for pair in query.split("&")] if query else []
        if len(names) > 12:
            return "trap_parameters"
        if len(names) > 1 and self._is_new_shape_too_many(address, "&".join(names)):
            return "trap_shapes"
        return "trap_calendar" if self._is_endless_calendar(url, bool(query)) else ""

    def _is_new_shape_too_many(self, address: str, shape: str) -> bool:
        shapes = self._shapes.setdefault(address, set())
        self._shapes.move_to_end(address)
        if len(self._shapes) > 20_000:
            self._shapes.popitem(last=False)
        if shape in shapes:
            return False
        if len(shapes) >= MOST_SHAPES:
            return True
        shapes.add(shape)
        return False

    def _is_endless_calendar(self, url: str, has_query: bool) -> bool:
        """Whether the URL names a month later than next year, or in its query a year before 1990.

        In a path a month must have two digits or follow a calendar's name: /list/2105/2 is the second page of a list.
        """
        in_path = _YEAR_IN_PATH.search(url)
        if (
            in_path
            and int(in_path[1]) > self._last_year
            and (in_path[2] < "1" or _CALENDAR.search(url, 0, in_path.end()))
        ):
            return True
        in_query = _YEAR_IN_QUERY.search(url) if has_query else None
        return in_query is not None and not 1990 <= int(in_query[1]) <= self._last_year


def _is_repeating(segments: list[str]) -> bool:
    """Whether a segment occurs four times, or a run of segments three times in a row; numbers (dates, ids) may repeat."""
    if len(set(segments)) == len(segments):
        return False
    words = [segment for segment in segments if segment and not segment.isdigit()]
    runs = ((words[at : at + n], words[at + n : at + 2 * n], words[at + 2 * n : at + 3 * n]) for n in range(1, len(words) // 3 + 1) for at in range(len(words) - 3 * n + 1))  # fmt: skip
    return max(Counter(words).values(), default=0) > 3 or any(first == second == third for first, second, third in runs)


class UrlFilter:
    """Decides whether a crawl may follow a link at all."""

    def __init__(self, limits: Limits | None = None, traps: Traps | None = None) -> None:
        self._limits = Limits() if limits is None else limits
        self._traps = traps

    def reject_reason(self, url: str, depth: int) -> str:
        """The short reason why a link to the canonical ``url``, ``depth`` links from a seed, is rejected; "" when it may be followed."""
        limits = self._limits
        if limits.depth is not None and depth > limits.depth:
            return "depth"
        if limits.deny_hosts or limits.allow_hosts:
            host = host_of(url)
            if limits.deny_hosts and _covers(limits.deny_hosts, host):
                return "host_denied"
            if limits.allow_hosts and not _covers(limits.allow_hosts, host):
                return "host_not_allowed"
        return "" if self._traps is None else self._traps.reason(url)


def traps_from_options(options: Options) -> Traps | None:
    """The rules against traps; None when the setting turns them off."""
    return Traps(datetime.now(UTC).year) if options.traps == "all" else None


def _covers(entries: tuple[str, ...], host: str) -> bool:
    """Whether an entry covers ``host``: it is the host itself or a domain above it."""
    return any(host == entry or host.endswith("." + entry) for entry in entries)
