"""How long a host must be left alone: after a download, and after it asked for less or failed."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

BACKOFF_BASE = 2.0  # seconds; the first back-off, doubled by every further failure in a row
SHORT_WAIT = 0.05  # seconds; a longer rest is not waited out with a connection at hand: the URL goes back to the queue
BACKOFF_LIMIT = 600.0  # seconds; whatever Retry-After says
_SECONDS = re.compile(r"[0-9]{1,9}")


def delay_seconds(last_download_seconds: float, crawl_delay: float, factor: float, low: float, high: float) -> float:
    """max(crawl_delay, factor x last download) between ``low`` and ``high``; all in seconds.

    (e) Broder 2003: ten times as long as the last download took, so that a crawler takes at most a
    tenth of a server's time and slow servers get more peace than fast ones.
    """
    return min(max(crawl_delay, factor * last_download_seconds, low), max(low, high))


def backoff_seconds(
    failures: int, retry_after: float | None = None, base: float = BACKOFF_BASE, limit: float = BACKOFF_LIMIT
) -> float:
    """The rest after ``failures`` refusals in a row: base x 2^(failures - 1), or Retry-After if that is longer."""
    doubled = base * 2.0 ** min(max(failures, 1) - 1, 30)
    return min(max(doubled, retry_after or 0.0), limit)


def retry_after_seconds(header: str, now: datetime | None = None) -> float | None:
    """Retry-After in seconds from now, from a number of seconds or an HTTP date; None if it is neither."""
    text = header.strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    try:
        moment = parsedate_to_datetime(text[:100])
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    try:
        return max(0.0, (aware - (now or datetime.now(UTC))).total_seconds())
    except OverflowError:
        return None
