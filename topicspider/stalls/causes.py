"""Finds the most likely cause why a crawl stands still, and reports it once, in one sentence."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from topicspider.download.outcome import Outcome, is_unreachable, may_retry
from topicspider.errors import one_line
from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.politeness.host_clock import DelayedHosts
from topicspider.stalls.frontier_status import Ended

QUIET_SECONDS = 5.0  # without a page for this time, a crawl stands still; the cause is reported within 10 s
LONG_CALL = 3.0  # seconds; a call to an embedded frontier takes some milliseconds
LONG_REST = 60.0  # seconds; a longer rest is reported again for each host
LONG_DOWNLOAD = 5.0  # seconds; a usual page takes a tenth of that
MOST = 0.8  # the share of the last attempts with one outcome that makes it the cause
# seconds without a sign of a stall until it is over: a host that rests 30 s after each page is one stall, not many
CALM_SECONDS = 10.0
FRONTIER_AWAY = "frontier_away"


@dataclass(frozen=True)
class Situation:
    """The state of a crawl at one moment; all times in seconds.

    ``clock``: the time of day. ``reason`` and ``wait_seconds``: the frontier's last answer (see ``Grant``); ``known_hosts``: all that it
    has heard of. ``failures``: attempts that ended since the last page. ``downloads``: those under way as (host, how long), longest first.
    ``in_work``: the number of requests that were handed out and whose page is not stored.
    """

    clock: float = 0.0
    quiet_seconds: float = 0.0
    concurrency: int = 16
    is_closing: bool = False
    # the queue
    queued: int = 0
    known_hosts: int = 0
    reason: str = ""
    wait_seconds: float | None = None
    granted_seconds: float = 1e9  # since the frontier's last answer
    frontier: str = "SQLite"
    frontier_trouble: str = ""
    call_seconds: float = 0.0
    # the store
    store_trouble: str = ""
    is_store_full: bool = False
    rows_waiting: int = 0
    # the network
    downloads: Sequence[tuple[str, float]] = ()
    in_work: int = 0
    failures: Sequence[Ended] = ()
    resting: DelayedHosts = field(default_factory=DelayedHosts)
    proxy: str = ""

    @property
    def all_rest(self) -> bool:
        return self.reason in ("resting", "patience")

    @property
    def hanging(self) -> int:
        return sum(seconds >= LONG_DOWNLOAD for _, seconds in self.downloads)

    @cached_property
    def outcomes(self) -> Counter[str]:
        """How many attempts had which outcome, without redirects; empty if there was only one, which proves nothing."""
        found = Counter(end.outcome for end in self.failures if end.outcome != Outcome.REDIRECT)
        return found if found.total() > 1 else Counter()

    @property
    def hosts(self) -> list[str]:
        """The hosts of the failures with the most frequent outcome; if that is a network error, of all network errors."""
        is_network = is_unreachable(self.outcome)
        meant = {one for one in self.outcomes if one == self.outcome or (is_network and is_unreachable(one))}
        return list(dict.fromkeys(shown(end.host) for end in self.failures if end.outcome in meant))

    @property
    def outcome(self) -> str:
        return self.outcomes.most_common(1)[0][0] if self.outcomes else ""

    def are_most(self, is_meant: Callable[[str], bool]) -> bool:
        """Whether nearly all attempts (MOST of them) had such an outcome."""
        return sum(map(is_meant, self.outcomes.elements())) >= MOST * max(1, self.outcomes.total())

    @property
    def is_failing(self) -> bool:
        """Whether nearly all attempts ended in the same way; missing pages do not explain that all hosts rest."""
        is_reason = may_retry(self.outcome) or not self.all_rest or self.outcome == Outcome.ROBOTS
        return is_reason and self.are_most(lambda outcome: outcome == self.outcome)


@dataclass(frozen=True, slots=True)
class Cause:
    """Why, in one line without a full stop. ``kind`` and ``about`` tell causes apart; ``is_trouble``: False for a wait that is intended."""

    kind: str
    said: str = ""
    about: str = ""
    is_trouble: bool = False


def cause_of(seen: Situation) -> Cause | None:
    """The first cause that applies, from what stops everything to mere waits; None while pages come, unless the frontier is away."""
    if seen.quiet_seconds < QUIET_SECONDS and not seen.frontier_trouble:
        return None
    kind, is_trouble, _holds, text = next(one for one in _CAUSES if one[2](seen))
    rests_long = seen.resting.longest if seen.resting.seconds_left > LONG_REST else ""
    about = {"failing": seen.outcome, "one_host": seen.resting.longest, "resting": rests_long}.get(kind, "")
    return Cause(kind, one_line(_(text, **_facts(seen)), 400), about, is_trouble)


def _waits(seen: Situation, reason: str) -> bool:
    return seen.reason == reason and seen.wait_seconds is not None


_TROUBLE, _MEANT = True, False
# kind, whether something is wrong, condition, sentence
_CAUSES: tuple[tuple[str, bool, Callable[[Situation], object], str], ...] = (
    (FRONTIER_AWAY, _TROUBLE, lambda s: s.frontier_trouble, N_("the frontier ({frontier}) is away: {frontier_trouble}")),
    (
        "slow_frontier", _TROUBLE, lambda s: s.call_seconds >= LONG_CALL,
        N_("the frontier ({frontier}) is slow: a call has taken {call_seconds:.0f} s so far"),
    ),
    (
        "store_away", _TROUBLE, lambda s: s.store_trouble,
        N_("the store cannot be written, {rows_waiting:,} rows wait: {store_trouble}"),
    ),
    (
        "slow_store", _TROUBLE, lambda s: s.is_store_full,
        N_("the store is slow: {rows_waiting:,} rows wait, and no page is fetched until some are written"),
    ),
    (
        "ending", _MEANT, lambda s: s.in_work and (s.is_closing or s.reason == "max_pages"),
        N_("the crawl is ending and waits for {in_work} page(s){longest}"),
    ),
    (
        "dns", _TROUBLE, lambda s: s.are_most(lambda outcome: outcome == Outcome.DNS),
        N_("names cannot be resolved: {count} of the last {of} downloads failed in DNS ({names}); check DNS and the network"),
    ),
    (
        "unreachable_host", _TROUBLE, lambda s: s.are_most(is_unreachable) and len(s.hosts) == 1,
        N_("{names} cannot be reached: {count} of the last {of} downloads failed ({outcome})"),
    ),
    (
        "network", _TROUBLE, lambda s: s.are_most(is_unreachable),
        N_("the network{through} may be down: none of {hosts} hosts can be reached, the last {of} downloads failed ({outcomes})"),
    ),
    (
        "robots", _TROUBLE, lambda s: s.outcome == Outcome.ROBOTS and s.is_failing,
        N_("robots.txt forbids what is queued on {hosts} host(s): {names}"),
    ),
    (
        "failing", _TROUBLE, lambda s: s.is_failing,
        N_("{count} of the last {of} downloads ended as {outcome} ({names})"),
    ),
    (  # if every other host rests, they are the cause only if they take half the connections
        "hanging", _TROUBLE, lambda s: s.hanging and not (s.all_rest and s.hanging < s.concurrency / 2),
        N_("{hanging} download(s) have taken more than 5 s{longest}"),
    ),
    (
        "in_work", _TROUBLE, lambda s: s.in_work and not (s.all_rest or s.downloads),
        N_("{in_work} page(s) were fetched and have not been dealt with for {quiet_seconds:.0f} s (documents, browser or pipelines)"),
    ),
    (
        "host_limit", _TROUBLE, lambda s: s.reason == "pages_per_host",
        N_("all {queued:,} link(s) in the queue are on hosts that gave all they may (pages_per_host)"),
    ),
    (
        "blocked_hosts", _MEANT, lambda s: s.reason == "blocked",
        N_("all {queued:,} link(s) in the queue are on hosts that were blocked by hand (command frontier)"),
    ),
    (
        "frontier_restarted", _TROUBLE, lambda s: _waits(s, "restarted"),
        N_("the frontier ({frontier}) was restarted and may have lost its last seconds; so that no host is asked twice, it waits until {until}"),
    ),
    (
        "leased", _MEANT, lambda s: _waits(s, "leased"),
        N_("all hosts with links are being fetched, by this node or others, until {until} at the latest"),
    ),
    (
        "patience", _MEANT, lambda s: _waits(s, "patience"),
        N_("it waits for better links until {until}, for their hosts rest; -a pace=balanced waits less, -a pace=fast takes what there is ({queued:,} links)"),
    ),
    (
        "one_host", _MEANT, lambda s: _waits(s, "resting") and s.resting.hosts == 1 == s.known_hosts and s.resting.why != "backoff",
        N_("all {queued:,} link(s) in the queue are on one host, {host}: politeness allows about {an_hour:,.0f} pages an hour, the next at {until}{because}"),
    ),
    ("resting", _MEANT, lambda s: _waits(s, "resting"), N_("all hosts with links rest until {until}{resting}{because}")),
    (
        "last_pages", _MEANT, lambda s: s.reason in ("empty", "low_score") and s.in_work,
        N_("no link in the queue is worth a page: it waits for the last {in_work} page(s)"),
    ),
    ("no_seeds", _MEANT, lambda s: s.reason in ("empty", "low_score"), N_("no link in the queue is worth a page: it waits for more seeds")),
    (
        "just_granted", _MEANT, lambda s: s.queued and not s.reason and s.granted_seconds < QUIET_SECONDS,
        N_("it has just been given hosts, and begins with them"),
    ),
    (
        "unknown", _TROUBLE, lambda _s: True,
        N_("no page for {quiet_seconds:.0f} s, and the cause is not known (queued {queued:,}, in work {in_work}, the frontier says {reason})"),
    ),
)  # fmt: skip
_BECAUSE = {"crawl_delay": N_(" (Crawl-delay)"), "backoff": N_(" (back-off after failures or refusals)")}


def _facts(seen: Situation) -> dict[str, object]:
    """The values that fill the sentences."""
    rest, names = seen.resting, seen.hosts
    host, seconds = seen.downloads[0] if seen.downloads else ("", 0.0)
    others = {"hosts": rest.hosts, "host": shown(rest.longest), "longest": time_of_day(seen.clock, rest.seconds_left)}
    return {
        **vars(seen),
        "longest": _(", longest for {host}: {seconds:.0f} s", host=shown(host), seconds=seconds) if host else "",
        "hosts": len(names),
        "names": ", ".join(names[:3]) + (", …" if len(names) > 3 else ""),
        "of": seen.outcomes.total(),
        "count": seen.outcomes[seen.outcome],
        "outcome": seen.outcome,
        "outcomes": ", ".join(seen.outcomes),
        "through": _(" or the proxy {proxy}", proxy=seen.proxy) if seen.proxy else "",
        "hanging": seen.hanging,
        "until": time_of_day(seen.clock, seen.wait_seconds or 0.0),
        "host": shown(rest.longest),
        "because": _(_BECAUSE[rest.why]) if rest.why else "",
        "an_hour": 3600 / max(rest.delay_seconds, 0.001),
        "resting": _(": {hosts} rest, {host} longest, until {longest}", **others) if rest.hosts else "",
        "reason": seen.reason or "-",
    }


def shown(host: str) -> str:
    """``w1.example`` for ``w1.example:80``."""
    return host.removesuffix(":80").removesuffix(":443")


def time_of_day(clock: float, seconds: float) -> str:
    """The local time HH:MM:SS ``seconds`` after ``clock``; with the date if that is a day or more ahead."""
    return time.strftime("%Y-%m-%d %H:%M:%S" if seconds >= 86_400 else "%H:%M:%S", time.localtime(clock + seconds))


class StallWatch:
    """Reports one stall at a time, and its causes one after the other.

    1. A cause is reported when it is first seen in a stall, and not again in that stall, even if its numbers change or others were seen.
    2. A stall is over after CALM_SECONDS without a sign of it; this is reported once, and only if a cause was reported.
    """

    def __init__(self) -> None:
        self._began = self._seen_at = 0.0
        self._said: set[tuple[str, str]] = set()

    def look(self, now: float, cause: Cause | None) -> Cause | float | None:
        """What to report now: a new cause; or, when a stall is over, how many seconds it took; else None."""
        if cause is None:
            if not self._said or now - self._seen_at < CALM_SECONDS:
                return None
            self._said.clear()
            return self._seen_at - self._began
        if not self._said:
            self._began = now
        self._seen_at = now
        if (cause.kind, cause.about) in self._said:
            return None
        self._said.add((cause.kind, cause.about))
        return cause
