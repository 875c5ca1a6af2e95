"""Finds the likeliest cause why a crawl is slow or stands still, and says it in one sentence."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from topicspider.download.outcome import Outcome, is_unreachable, may_retry
from topicspider.errors import one_line
from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.politeness.host_clock import DelayedHosts
from topicspider.stalls.frontier_status import Ended


@dataclass(frozen=True, slots=True)
class Situation:
    """One look at a crawl; all times in seconds.

    ``clock`` is the time of day. ``reason`` and ``wait_seconds`` are what the frontier said last (see
    ``Grant``), ``failures`` the attempts that ended without a page since the last page, ``downloads`` those
    under way as (host, how long), longest first; ``in_work`` counts the requests that the engine holds,
    from the moment they were handed out until their page is stored. ``known_hosts`` counts all that the frontier has
    heard of. ``links`` and ``pruned`` are those of the last pages, ``pruned_for`` the commonest reason.
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
    # links
    links: int = 0
    pruned: int = 0
    pruned_for: str = ""


QUIET_SECONDS = 5.0  # without a page, a crawl stands still; what it waits for is said within 10 s
LONG_CALL = 3.0  # seconds; a call to an embedded frontier takes some milliseconds
LONG_DOWNLOAD = 5.0  # seconds; a usual page takes a tenth of that
MOST = 0.8  # the share of the last ends that makes them one trouble, not several
FRONTIER_AWAY = "frontier_away"


@dataclass(frozen=True, slots=True)
class Cause:
    """Why: ``kind`` and ``about`` (a host, an outcome) say whether it is the same as before; ``facts`` fill the kind's sentence."""

    kind: str
    facts: Mapping[str, object] = field(default_factory=dict)
    about: str = ""

    @property
    def identity(self) -> tuple[str, str]:
        return self.kind, self.about

    @property
    def is_trouble(self) -> bool:
        """Something is wrong, as opposed to a wait that is meant."""
        return self.kind not in _MEANT


_RESTING = ("resting", "patience")
_MEANT = frozenset(
    ("resting", "resting_hosts", "patience", "one_host", "host_limit", "last_downloads", "ending", "empty", "no_seeds", "blocked_hosts", "leased")
)  # fmt: skip


def cause_of(seen: Situation) -> Cause | None:
    """The first cause that holds, from what stops everything to what merely waits.

    ``unknown`` when none does though the crawl stands still; None when it is only slower than it was.
    """
    for find in _IN_ORDER:
        if (cause := find(seen)) is not None:
            return cause
    if seen.quiet_seconds < QUIET_SECONDS:
        return None
    facts = {"seconds": seen.quiet_seconds, "queued": seen.queued, "in_work": seen.in_work}
    return Cause("unknown", {**facts, "reason": seen.reason or "-"})


def frontier_away(seen: Situation) -> Cause | None:
    """To be shown though pages still come, or came a moment ago."""
    facts = {"frontier": seen.frontier, "why": seen.frontier_trouble}
    return Cause(FRONTIER_AWAY, facts) if seen.frontier_trouble else None


def _slow_frontier(seen: Situation) -> Cause | None:
    facts = {"frontier": seen.frontier, "seconds": seen.call_seconds}
    return Cause("slow_frontier", facts) if seen.call_seconds >= LONG_CALL else None


def _store(seen: Situation) -> Cause | None:
    facts = {"rows": seen.rows_waiting, "why": seen.store_trouble}
    if seen.store_trouble:
        return Cause("store_away", facts)
    return Cause("slow_store", facts) if seen.is_store_full else None


def _ending(seen: Situation) -> Cause | None:
    """The crawl is to end, and waits for what it has begun."""
    kind = "ending" if seen.is_closing else "last_downloads" if seen.reason == "max_pages" else ""
    return Cause(kind, {"in_work": seen.in_work, "longest": _longest(seen)}) if kind and seen.in_work else None


def _failures(seen: Situation) -> Cause | None:
    """Since the last page nearly all attempts have ended in the same way."""
    failures = [end for end in seen.failures if end.outcome != Outcome.REDIRECT]
    count = len(failures)
    # one failed download says nothing
    if count < 2:
        return None
    outcomes = Counter(end.outcome for end in failures)
    hosts = list(dict.fromkeys(end.host for end in failures))
    outcome, most = outcomes.most_common(1)[0]
    names = ", ".join(map(shown, hosts[:3])) + (", …" if len(hosts) > 3 else "")
    facts = {"of": count, "count": most, "hosts": len(hosts), "names": names, "outcome": outcome, "proxy": seen.proxy}
    unreached = [name for name in outcomes if is_unreachable(name)]
    if outcomes[Outcome.DNS] >= MOST * count:
        return Cause("dns", facts)
    if (failed := sum(outcomes[name] for name in unreached)) >= MOST * count:
        facts |= {"count": failed, "outcome": ", ".join(unreached)}
        if len(hosts) == 1:
            return Cause("unreachable_host", facts, names)
        return Cause("network_through" if seen.proxy else "network", facts)
    if most < MOST * count:
        return None
    if outcome in (Outcome.ROBOTS, Outcome.ROBOTS_UNREACHABLE):
        return Cause(str(outcome), facts)
    if seen.reason in _RESTING and not may_retry(outcome):  # missing pages are no reason to rest
        return None
    return Cause("failing", facts, outcome)


def _hanging(seen: Situation) -> Cause | None:
    """Downloads without an end; when every other host rests, it takes half the connections to make them the cause."""
    count = sum(seconds >= LONG_DOWNLOAD for _, seconds in seen.downloads)
    if not count or (seen.reason in _RESTING and count < seen.concurrency / 2):
        return None
    return Cause("hanging", {"count": count, "limit": LONG_DOWNLOAD, "longest": _longest(seen)})


def _in_work(seen: Situation) -> Cause | None:
    """Pages have come, and something here does not get done with them."""
    if not seen.in_work or seen.reason in _RESTING or seen.downloads:
        return None
    return Cause("in_work", {"count": seen.in_work, "seconds": seen.quiet_seconds})


def _limits(seen: Situation) -> Cause | None:
    kinds = {"pages_per_host": "host_limit", "blocked": "blocked_hosts"}
    return Cause(kinds[seen.reason], {"queued": seen.queued}) if seen.reason in kinds else None


def _waiting(seen: Situation) -> Cause | None:
    """Every host with links rests, or somebody else has it."""
    if seen.reason not in (*_RESTING, "leased", "restarted") or seen.wait_seconds is None:
        return None
    facts = {"until": time_of_day(seen.clock, seen.wait_seconds), "queued": seen.queued, "frontier": seen.frontier}
    if seen.reason != "resting":
        return Cause("frontier_restarted" if seen.reason == "restarted" else seen.reason, facts)
    resting = seen.resting
    if not resting.hosts:
        return Cause("resting", facts)
    host = shown(resting.longest)
    facts |= {"hosts": resting.hosts, "host": host, "because": _(_BECAUSE[resting.why]) if resting.why else ""}
    if resting.hosts == 1 == seen.known_hosts and resting.why != "backoff":
        return Cause("one_host", {**facts, "an_hour": 3600 / max(resting.delay_seconds, 0.001)}, host)
    facts["longest"] = time_of_day(seen.clock, resting.seconds_left)
    return Cause("resting_hosts", facts, "backoff" if set(resting.reasons) == {"backoff"} else "")


def _empty(seen: Situation) -> Cause | None:
    """Nothing is queued; most often because nearly all links were pruned."""
    if seen.reason != "empty" or seen.queued:
        return None
    return Cause("empty" if seen.in_work else "no_seeds", {"in_work": seen.in_work, "pruning": _pruning(seen)})


def _pruned(seen: Situation) -> Cause | None:
    """Fewer links are left than there are connections, since nearly all are pruned."""
    if seen.queued >= seen.concurrency or not seen.links or seen.pruned < 0.9 * seen.links:
        return None
    return Cause("pruned", {"queued": seen.queued, "pruning": _pruning(seen)}, seen.pruned_for)


_IN_ORDER: tuple[Callable[[Situation], Cause | None], ...] = (
    frontier_away, _slow_frontier, _store, _ending, _failures, _hanging, _in_work, _limits, _waiting, _empty, _pruned
)  # fmt: skip


def _pruning(seen: Situation) -> str:
    if not seen.pruned:
        return ""
    share = seen.pruned / seen.links
    return _(
        "; {share:.0%} of the last {links:,} links were pruned, most for {reason}",
        share=share,
        links=seen.links,
        reason=seen.pruned_for,
    )


def _longest(seen: Situation) -> str:
    if not seen.downloads:
        return ""
    host, seconds = seen.downloads[0]
    return _(", longest for {host}: {seconds:.0f} s", host=shown(host), seconds=seconds)


def shown(host: str) -> str:
    """``w1.example`` for ``w1.example:80``."""
    return host.removesuffix(":80").removesuffix(":443")


def time_of_day(clock: float, seconds: float) -> str:
    """HH:MM:SS here ``seconds`` after ``clock``, with the day before it when that is a day or more ahead."""
    return time.strftime("%Y-%m-%d %H:%M:%S" if seconds >= 86_400 else "%H:%M:%S", time.localtime(clock + seconds))


_SENTENCES = {
    FRONTIER_AWAY: N_("the frontier ({frontier}) is away: {why}"),
    "slow_frontier": N_("the frontier ({frontier}) is slow: a call has taken {seconds:.0f} s so far"),
    "store_away": N_("the store cannot be written, {rows:,} rows wait: {why}"),
    "slow_store": N_("the store is slow: {rows:,} rows wait, and no page is fetched until some are written"),
    "ending": N_("the crawl is ending and waits for {in_work} page(s){longest}"),
    "last_downloads": N_("the page limit is reached: it waits for the last {in_work} page(s){longest}"),
    "dns": N_(
        "names cannot be resolved: {count} of the last {of} downloads failed in DNS ({names}); check DNS and the network"
    ),
    "network": N_(
        "the network may be down: none of {hosts} hosts can be reached, {count} of the last {of} downloads failed ({outcome})"
    ),
    "network_through": N_(
        "the network or the proxy {proxy} may be down: none of {hosts} hosts can be reached, {count} of the last {of} downloads failed ({outcome})"
    ),
    "unreachable_host": N_("{names} cannot be reached: {count} of the last {of} downloads failed ({outcome})"),
    "robots": N_("robots.txt forbids what is queued on {hosts} host(s): {names}"),
    "robots_unreachable": N_(
        "robots.txt of {hosts} host(s) cannot be had, and nothing is asked of them meanwhile: {names}"
    ),
    "failing": N_("{count} of the last {of} downloads ended as {outcome} ({names})"),
    "hanging": N_("{count} download(s) have taken more than {limit:.0f} s{longest}"),
    "in_work": N_(
        "{count} page(s) were fetched and have not been dealt with for {seconds:.0f} s (documents, browser or pipelines)"
    ),
    "host_limit": N_("all {queued:,} link(s) in the queue are on hosts that gave all they may (pages_per_host)"),
    "blocked_hosts": N_(
        "all {queued:,} link(s) in the queue are on hosts that were blocked by hand (command frontier)"
    ),
    "leased": N_("all hosts with links are being fetched by other nodes, until {until} at the latest"),
    "frontier_restarted": N_(
        "the frontier ({frontier}) was restarted and may have lost its last seconds; so that no host is asked twice, it waits until {until}"
    ),
    "patience": N_(
        "it waits for better links until {until}, for their hosts rest; -a pace=fast takes what there is ({queued:,} links)"
    ),
    "resting": N_("all hosts with links rest until {until}"),
    "resting_hosts": N_(
        "all hosts with links rest until {until}: {hosts} rest, {host} longest, until {longest}{because}"
    ),
    "one_host": N_(
        "all {queued:,} link(s) in the queue are on one host, {host}: politeness allows about {an_hour:,.0f} pages an hour, the next at {until}{because}"
    ),
    "empty": N_("the queue is empty: it waits for the last {in_work} page(s){pruning}"),
    "no_seeds": N_("the queue is empty: it waits for more seeds{pruning}"),
    "pruned": N_("only {queued} link(s) are left{pruning}"),
    "unknown": N_(
        "no page for {seconds:.0f} s, and the cause is not known (queued {queued:,}, in work {in_work}, the frontier says {reason})"
    ),
}
_BECAUSE = {"crawl_delay": N_(" (Crawl-delay)"), "backoff": N_(" (back-off after failures or refusals)")}


def sentence(cause: Cause) -> str:
    """One line without control characters, and without a full stop."""
    return one_line(_(_SENTENCES[cause.kind], **cause.facts), 400)
