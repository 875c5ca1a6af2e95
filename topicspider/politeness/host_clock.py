"""Computes and remembers when each host may be asked again, after what it did.

Nothing waits here: ``middlewares/politeness.py`` does, and the frontier hands out no host that rests.
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
SHORT_WAIT = 0.05  # seconds; a longer rest is not waited out with a connection at hand: the URL goes back to the queue
BACKOFF_LIMIT = 600.0  # seconds; whatever Retry-After says
_SECONDS = re.compile(r"[0-9]{1,9}")


def delay_seconds(last_download_seconds: float, crawl_delay: float, factor: float, low: float, high: float) -> float:
    """max(crawl_delay, factor x last download) between ``low`` and ``high``; all in seconds.

    (e) Broder 2003: ten times as long as the last download took, so that a crawler takes at most a
    tenth of a server's time and slow servers get more peace than fast ones.
    """
    return min(max(crawl_delay, factor * last_download_seconds, low), max(low, high))


def backoff_seconds(failures: int, retry_after: float | None = None) -> float:
    """The rest after ``failures`` refusals in a row: BACKOFF_BASE x 2^(failures - 1), or Retry-After if that is longer."""
    doubled = BACKOFF_BASE * 2.0 ** min(failures - 1, 30)
    return min(max(doubled, retry_after or 0.0), BACKOFF_LIMIT)


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


# After so many look-ups, connections or robots.txt in a row that failed, a host is taken for gone:
# without this a dead host with a hundred queued URLs keeps a crawl alive for hours. While no other host
# can be reached either, our own network may be what is gone: then four times as many are allowed, about a
# quarter of an hour with the back-offs between them.
FAILURES_UNTIL_DOWN = 5
PATIENCE_WITHOUT_NETWORK = 4
DOWN_SECONDS = 3600.0


@dataclass(slots=True)
class _Host:
    crawl_delay: float = 0.0
    ended_at: float = 0.0  # the last download
    ready_at: float = 0.0
    refusals: int = 0  # 429 and 503 in a row …
    earlier_refusals: int = 0  # … before the last download
    unreachable: int = 0  # failures to reach it in a row …
    unreachable_since: float = 0.0  # … and when they began
    down_until: float = 0.0


@dataclass(frozen=True, slots=True)
class DelayedHosts:
    """How many hosts rest now by why (crawl_delay, backoff, or "" for the usual rest), and which one longest.

    ``seconds_left``, ``delay_seconds`` (the whole rest) and ``why`` are the longest one's.
    """

    reasons: Mapping[str, int] = field(default_factory=dict)
    longest: str = ""
    seconds_left: float = 0.0
    delay_seconds: float = 0.0
    why: str = ""

    @property
    def hosts(self) -> int:
        return sum(self.reasons.values())


class HostClock:
    """Rests of at most ``capacity`` hosts; those not asked for the longest time are forgotten.

    ``now`` is any clock that only goes forward, in seconds, the same for all calls. A host forgotten
    loses its Crawl-delay until its robots.txt is read again.
    """

    def __init__(self, factor: float, low: float, high: float, *, capacity: int = 100_000) -> None:
        self._factor, self._low, self._high = factor, low, high
        self._capacity = capacity
        self._hosts: OrderedDict[str, _Host] = OrderedDict()
        self._reached_at = float("-inf")  # the last time any host answered

    def set_crawl_delay(self, host: str, seconds: float) -> None:
        """What the host's robots.txt asks for (0 for nothing); it counts from the host's last download."""
        known = self._of(host)
        if seconds > known.crawl_delay:
            known.ready_at = max(known.ready_at, known.ended_at + min(seconds, self._high))
        known.crawl_delay = seconds

    def finished(self, host: str, seconds: float, now: float) -> float:
        """A download that took ``seconds`` ended now; returns the rest the host gets."""
        known = self._reached(host, now)
        known.earlier_refusals, known.refusals = known.refusals, 0
        return self._rest(known, self._usual(known, seconds), now)

    def aborted(self, host: str, seconds: float, now: float) -> float:
        """A download was ended by ourselves: the host rests, and whether it would have answered nobody knows."""
        known = self._of(host)
        return self._rest(known, self._usual(known, seconds), now)

    def penalise(self, host: str, now: float) -> float:
        """The download that ``finished`` last turned out to be a refusal (a captcha): the host rests longer each time."""
        known = self._of(host)
        known.refusals, known.earlier_refusals = known.earlier_refusals + 1, 0
        return self._rest(known, backoff_seconds(known.refusals), now)

    def blocked(self, host: str, seconds: float, now: float, retry_after: float | None = None) -> float:
        """The host answered 429 or 503: it rests longer each time, and as long as it asks."""
        known = self._reached(host, now)
        known.refusals += 1
        return self._rest(known, max(self._usual(known, seconds), backoff_seconds(known.refusals, retry_after)), now)

    def unreachable(self, host: str, now: float, retry_after: float | None = None) -> float:
        """The host, or its robots.txt, could not be had; too often in a row, and it is down."""
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
        """How long until the host may be asked; 0 when it may be now."""
        known = self._hosts.get(host)
        return max(0.0, known.ready_at - now) if known else 0.0

    def is_down(self, host: str, now: float) -> bool:
        """True when the host was given up for a while."""
        known = self._hosts.get(host)
        return known is not None and known.down_until > now

    def delayed(self, now: float) -> DelayedHosts:
        """Who rests now, among the 10,000 hosts that were asked last: some 10 ms at the most."""
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
