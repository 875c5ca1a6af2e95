"""How numbers, times and names are written on the page: the filters of its templates."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, urlencode

from topicspider.i18n import clock, ngettext
from topicspider.i18n import gettext as _
from topicspider.url import readable_host, readable_url

NONE = "–"


def number(value: float | None, digits: int = 0) -> str:
    """12345.6 is 12,346."""
    return NONE if value is None else f"{value:,.{digits}f}"


def percent(share: float | None) -> str:
    """0.034 is 3.4%: a decimal below 10, where it says something."""
    if share is None:
        return NONE
    return f"{share:.1%}" if 0 < share < 0.1 else f"{share:.0%}"


def moment(when: str) -> str:
    """An ISO time in the time zone of this machine, without seconds; "" as a dash."""
    try:
        return datetime.fromisoformat(when).astimezone().strftime("%Y-%m-%d %H:%M") if when else NONE
    except ValueError:
        return when


def ago(when: str) -> str:
    """How long an ISO time is past, in one unit; the moment itself after a month."""
    try:
        seconds = (datetime.now(UTC) - datetime.fromisoformat(when)).total_seconds()
    except (ValueError, TypeError):  # none, or one without its time zone
        return moment(when)
    if seconds < 60:
        return _("just now")
    if seconds < 3_600:
        return ngettext("{count} minute ago", "{count} minutes ago", int(seconds / 60))
    if seconds < 86_400:
        return ngettext("{count} hour ago", "{count} hours ago", int(seconds / 3_600))
    if seconds < 30 * 86_400:
        return ngettext("{count} day ago", "{count} days ago", int(seconds / 86_400))
    return moment(when)


def query(values: dict[str, Any]) -> str:
    """What stands behind the ? of an address; empty values are left out."""
    return urlencode({name: value for name, value in values.items() if value not in ("", None)}, quote_via=quote)


FILTERS = {
    "number": number,
    "percent": percent,
    "moment": moment,
    "ago": ago,
    "clock": clock,
    "query": query,
    "readable_url": readable_url,
    "readable_host": readable_host,
}
