"""Computes and remembers when each host may be asked again, after each of its answers or failures.

Nothing waits here: ``middlewares/politeness.py`` waits, and the frontier leases no host that rests.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import islice

BACKOFF_BASE = 2.0  # seconds; the first back-off, doubled by every further failure in a row
SHORT_WAIT = 0.05  # seconds; for a longer rest no connection is kept waiting: the URL goes back to the queue
BACKOFF_LIMIT = 600.0  # seconds; the maximum, also for Retry-After
_SECONDS = re.compile(r"[0-9]{1,9}")


def delay_seconds(last_download_seconds: float, crawl_delay: float, factor: float, low: float, high: float) -> float:
    """max(crawl_delay, factor x last download), kept between ``low`` and ``high``; all in seconds.

    (e) Broder 2003: ten times as long as the last download took, so that a crawler takes at most a tenth of a server's time, and slow
    servers rest longer than fast ones.
    """
    return min(max(crawl_delay, factor * last_download_seconds, low), max(low, high))


def backoff_seconds(failures: int, retry_after: float | None = None) -> float:
    """The rest after ``failures`` in a row: BACKOFF_BASE x 2^(failures - 1), or Retry-After if that is longer; BACKOFF_LIMIT at most."""
    doubled = BACKOFF_BASE * 2.0 ** min(failures - 1, 30)
    return min(max(doubled, retry_after or 0.0), BACKOFF_LIMIT)


def retry_after_seconds(header: str, now: datetime | None = None) -> float | None:
    """Retry-After in seconds from now; the header is a number of seconds or an HTTP date, None if it is neither."""
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


# After this many failures in a row of look-up, connection or robots.txt, a host counts as down: without this limit a dead host with a
# hundred queued URLs keeps a crawl alive for hours. If no other host could be reached meanwhile either, our own network may be down: then
# four times as many are allowed, which takes about a quarter of an hour with the back-offs between them.
FAILURES_UNTIL_DOWN = 5
PATIENCE_WITHOUT_NETWORK = 4
DOWN_SECONDS = 3600.0


@dataclass(slots=True)
class _Host:
    crawl_delay: float = 0.0
    ended_at: float = 0.0  # end of the last download
    ready_at: float = 0.0
    refusals: int = 0  # 429 and 503 answers in a row …
    earlier_refusals: int = 0  # … before the last download
    unreachable: int = 0  # failures in a row to reach the host …
    unreachable_since: float = 0.0  # … and when they began
    down_until: float = 0.0


@dataclass(frozen=True, slots=True)
class DelayedHosts:
    """How many hosts rest now, by reason (crawl_delay, backoff, or "" for the usual rest), and the host that rests longest, with its
    ``seconds_left``, ``delay_seconds`` (the whole rest) and ``why``."""

    reasons: Mapping[str, int] = field(default_factory=dict)
    longest: str = ""
    seconds_left: float = 0.0
    delay_seconds: float = 0.0
    why: str = ""

    @property
    def hosts(self) -> int:
        return sum(self.reasons.values())


class HostClock:
    """The rests of at most ``capacity`` hosts; the least recently used hosts are forgotten, with the Crawl-delay of their robots.txt.

    ``now`` is a time in seconds of any one clock that only goes forward.
    """

    def __init__(self, factor: float, low: float, high: float, *, capacity: int = 100_000) -> None:
        self._factor, self._low, self._high = factor, low, high
        self._capacity = capacity
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._reached_at = float("-inf")  # when any host answered last

    def set_crawl_delay(self, host: str, seconds: float) -> None:
        """Set the Crawl-delay of the host's robots.txt (0: none); it counts from the end of the host's last download."""
        known = self._of(host)
        if seconds > known.crawl_delay:
            known.ready_at = max(known.ready_at, known.ended_at + min(seconds, self._high))
        known.crawl_delay = seconds

    def finished(self, host: str, seconds: float, now: float) -> float:
        """A download that took ``seconds`` ended now; returns the host's rest in seconds."""
        known = self._reached(host, now)
        known.earlier_refusals, known.refusals = known.refusals, 0
        return self._rest(known, self._usual(known, seconds), now)

    def aborted(self, host: str, seconds: float, now: float) -> float:
        """We cancelled a download, so it is unknown whether the host would have answered; returns its rest in seconds."""
        known = self._of(host)
        return self._rest(known, self._usual(known, seconds), now)

    def penalise(self, host: str, now: float) -> float:
        """The download last passed to ``finished`` was a refusal after all (a captcha): the rest doubles with each one in a row."""
        known = self._of(host)
        known.refusals, known.earlier_refusals = known.earlier_refusals + 1, 0
        return self._rest(known, backoff_seconds(known.refusals), now)

    def blocked(self, host: str, seconds: float, now: float, retry_after: float | None = None) -> float:
        """The host answered 429 or 503: its rest doubles with each one in a row, and is at least Retry-After."""
        known = self._reached(host, now)
        known.refusals += 1
        return self._rest(known, max(self._usual(known, seconds), backoff_seconds(known.refusals, retry_after)), now)

    def unreachable(self, host: str, now: float, retry_after: float | None = None) -> float:
        """The host, or its robots.txt, could not be reached; after too many failures in a row the host counts as down."""
        known = self._of(host)
        if not known.unreachable:
            known.unreachable_since = now
        known.unreachable += 1
        backoff = min(backoff_seconds(known.unreachable), max(self._high, self._low))
        has_network = self._reached_at >= known.unreachable_since
        if known.unreachable >= FAILURES_UNTIL_DOWN * (1 if has_network else PATIENCE_WITHOUT_NETWORK):
            known.down_until = now + DOWN_SECONDS
            known.unreachable = 0
        asked = backoff_seconds(1, retry_after) if retry_after else 0.0
        return self._rest(known, max(backoff, asked, self._usual(known, 0.0)), now)

    def wait_seconds(self, host: str, now: float) -> float:
        """Seconds until the host may be asked; 0 if it may be asked now."""
        known = self._hosts.get(host)
        return max(0.0, known.ready_at - now) if known else 0.0

    def is_down(self, host: str, now: float) -> bool:
        """Whether the host counts as down; that lasts DOWN_SECONDS."""
        known = self._hosts.get(host)
        return known is not None and known.down_until > now

    def delayed(self, now: float) -> DelayedHosts:
        """The hosts that rest now, among the 10,000 most recently used; takes some 10 ms at most."""
        latest = islice(reversed(self._hosts.items()), 10_000)
        at_rest = [(known.ready_at, host, known) for host, known in latest if known.ready_at > now]
        if not at_rest:
            return DelayedHosts()
        reasons = Counter(self._why(known) for _, _, known in at_rest)
        ready_at, longest, known = max(at_rest, key=lambda one: one[:2])
        return DelayedHosts(reasons, longest, ready_at - now, ready_at - known.ended_at, self._why(known))

    def _why(self, known: _Host) -> str:
        if known.refusals or known.unreachable or known.down_until > known.ended_at:
            return "backoff"
        rest = known.ready_at - known.ended_at
        is_asked_for = known.crawl_delay > 0 and min(known.crawl_delay, self._high) > rest - 1e-6
        return "crawl_delay" if is_asked_for else ""

    def _usual(self, known: _Host, seconds: float) -> float:
        return delay_seconds(seconds, known.crawl_delay, self._factor, self._low, self._high)

    def _reached(self, host: str, now: float) -> _Host:
        self._reached_at = now
        known = self._of(host)
        known.unreachable = 0
        return known

    def _rest(self, known: _Host, seconds: float, now: float) -> float:
        known.ended_at = now
        known.ready_at = max(known.ready_at, now + seconds)
        return known.ready_at - now

    def _of(self, host: str) -> _Host:
        known = self._hosts.get(host)
        if known is None:
            known = self._hosts[host] = _Host()
            if len(self._hosts) > self._capacity:
                self._hosts.popitem(last=False)
        self._hosts.move_to_end(host)
        return known
