"""What keeps a link out before it is judged: its topic's limits of depth and hosts ((a) Li 2002, filter by limits), and traps.

A trap is an address that leads a crawler round in circles, told by its form alone, before it is fetched. Each rule has a name, under
which what it refuses is counted. All are bounds that pages for readers keep far below: they refuse none of 19,400 recorded addresses.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from datetime import UTC, datetime

from topicspider.options import Options
from topicspider.topic.profile import Limits
from topicspider.url import host_of

LONGEST = 1_200
"""Characters; a title of 100 Chinese characters in an address is 900 of them, percent-encoded."""

MOST_SHAPES = 40
"""Sets of parameter names under one path: a forum has a handful, filters that can be combined have hundreds."""

_YEAR_IN_PATH = re.compile(r"/(2[01]\d\d)[/-](0?[1-9]|1[0-2])(?![^/?-])")
_CALENDAR = re.compile(r"calend|kalend|agenda|events?/|/rili|%E6%97%A5%E5%8E%86", re.IGNORECASE)  # the last is 日历
_YEAR_IN_QUERY = re.compile(
    r"[?&](?:year|month|ym|date|day|view_?date)=(1\d{3}|2\d{3})(?:$|[&/-]|%2F|\d{2}(?:\d{2})?(?!\d))", re.IGNORECASE
)


class Traps:
    """The rules; ``this_year``: calendars end one year after it.

    Only ``shapes`` remembers anything: the parameter names seen under the last 20,000 paths.
    """

    def __init__(self, this_year: int) -> None:
        self._last_year = this_year + 1
        self._shapes: OrderedDict[str, set[str]] = OrderedDict()

    def reason(self, url: str) -> str:
        """``trap_`` and the name of the first rule that refuses the canonical ``url``; "" when none does. Some 2 µs."""
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
        """A month long after now, or in a query, one of a time before the web.

        /list/2105/2 is the second page of a list: in a path a month has a zero in front, as nine of twelve do, or stands after a calendar's name.
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
    """One segment four times, or a run of segments three times in a row; numbers are dates and ids, and may repeat."""
    if len(set(segments)) == len(segments):
        return False
    words = [segment for segment in segments if segment and not segment.isdigit()]
    runs = ((words[at : at + n], words[at + n : at + 2 * n], words[at + 2 * n : at + 3 * n]) for n in range(1, len(words) // 3 + 1) for at in range(len(words) - 3 * n + 1))  # fmt: skip
    return max(Counter(words).values(), default=0) > 3 or any(first == second == third for first, second, third in runs)


class UrlFilter:
    """Whether a crawl may follow a link at all."""

    def __init__(self, limits: Limits | None = None, traps: Traps | None = None) -> None:
        self._limits = Limits() if limits is None else limits
        self._traps = traps

    def reject_reason(self, url: str, depth: int) -> str:
        """The short reason why the link to the canonical ``url``, ``depth`` links from a seed, is not followed; "" when it may be."""
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
    """The traps, unless the setting turns them off."""
    return Traps(datetime.now(UTC).year) if options.traps == "all" else None


def _covers(entries: tuple[str, ...], host: str) -> bool:
    """An entry covers the host itself with all its subdomains."""
    return any(host == entry or host.endswith("." + entry) for entry in entries)
