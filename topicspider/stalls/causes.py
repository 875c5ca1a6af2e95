"""Finds the likeliest cause why a crawl is slow or stands still, and says it in one sentence."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
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
    from the moment they were handed out until their page is stored. ``asked_hosts`` were asked in the last
    minutes, ``known_hosts`` counts all that the frontier has heard of. ``links`` and ``pruned`` are those of
    the last pages, ``pruned_for`` the commonest reason.
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
    is_log_full: bool = False
    # the network
    downloads: Sequence[tuple[str, float]] = ()
    in_work: int = 0
    failures: Sequence[Ended] = ()
    asked_hosts: frozenset[str] = frozenset()
    resting: DelayedHosts = field(default_factory=DelayedHosts)
    proxy: str = ""
    # links
    links: int = 0
    pruned: int = 0
    pruned_for: str = ""
    # this process
    lag_seconds: float = 0.0
    lag_place: str = ""


QUIET_SECONDS = 5.0  # without a page, a crawl stands still; what it waits for is said within 10 s
LONG_CALL = 3.0  # seconds; a call to an embedded frontier takes some milliseconds
LONG_DOWNLOAD = 5.0  # seconds; a usual page takes a tenth of that
LONG_LAG = 3.0  # seconds that nothing else could happen in this process
MOST = 0.8  # the share of the last ends that makes them one trouble, not several


@dataclass(frozen=True, slots=True)
class Cause:
    """Why: ``kind`` and ``about`` (a host, an outcome) say whether it is the same as before; ``facts`` fill its sentence.

    ``form`` is the sentence's name, where a kind has several.
    """

    kind: str
    about: str = ""
    facts: Mapping[str, object] = field(default_factory=dict)
    form: str = ""

    @property
    def identity(self) -> tuple[str, str]:
        """Equal for the same cause, whatever its numbers are by now."""
        return self.kind, self.about

    @property
    def is_trouble(self) -> bool:
        """Something is wrong, as opposed to a wait that is meant."""
        return self.kind not in _MEANT


_RESTING = ("resting", "patience")
_MEANT = frozenset(
    {"resting", "patience", "one_host", "host_limit", "last_downloads", "ending", "empty", "blocked_hosts", "leased"}
)


def cause_of(seen: Situation) -> Cause | None:
    """The first cause that holds, from what stops everything to what merely waits.

    ``unknown`` when none does though the crawl stands still; None when it is only slower than it was.
    """
    for find in _IN_ORDER:
        if (cause := find(seen)) is not None:
            return cause
    if seen.quiet_seconds < QUIET_SECONDS:
        return None
    facts = {
        "seconds": seen.quiet_seconds,
        "queued": seen.queued,
        "in_work": seen.in_work,
        "reason": seen.reason or "-",
    }
    return Cause("unknown", facts=facts)


def urgent_cause(seen: Situation) -> Cause | None:
    """What must be said though pages still come, or came a moment ago."""
    return _busy_process(seen) or _frontier_away(seen)


def _busy_process(seen: Situation) -> Cause | None:
    if seen.lag_seconds < LONG_LAG:
        return None
    facts = {"seconds": seen.lag_seconds, "place": seen.lag_place}
    return Cause("busy_process", facts=facts, form="busy_process_at" if seen.lag_place else "")


def _frontier_away(seen: Situation) -> Cause | None:
    facts = {"frontier": seen.frontier, "why": seen.frontier_trouble}
    return Cause("frontier_away", facts=facts) if seen.frontier_trouble else None


def _slow_frontier(seen: Situation) -> Cause | None:
    facts = {"frontier": seen.frontier, "seconds": seen.call_seconds}
    return Cause("slow_frontier", facts=facts) if seen.call_seconds >= LONG_CALL else None


def _store(seen: Situation) -> Cause | None:
    facts = {"rows": seen.rows_waiting, "why": seen.store_trouble}
    if seen.store_trouble:
        return Cause("store_away", facts=facts)
    if seen.is_store_full:
        return Cause("slow_store", facts=facts)
    return Cause("slow_log") if seen.is_log_full else None


def _ending(seen: Situation) -> Cause | None:
    """The crawl is to end, and waits for what it has begun."""
    kind = "ending" if seen.is_closing else "last_downloads" if seen.reason == "max_pages" else ""
    if not kind or not seen.in_work:
        return None
    facts = {"in_work": seen.in_work, **_longest_download(seen)}
    return Cause(kind, facts=facts, form=f"{kind}_of" if seen.downloads else "")


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
    facts = {"of": count, "count": most, "hosts": len(hosts), "names": _names(hosts), "outcome": outcome}
    facts["proxy"] = seen.proxy
    unreached = sum(count for name, count in outcomes.items() if is_unreachable(name))
    through = "_through" if seen.proxy else ""
    if outcomes[Outcome.DNS] >= MOST * count:
        return Cause("dns", facts=facts)
    if unreached >= MOST * count:
        facts |= {"count": unreached, "outcome": ", ".join(name for name in outcomes if is_unreachable(name))}
        return Cause("network", facts=facts, form=f"network{through}") if len(hosts) > 1 else _one_unreached(facts)
    if most < MOST * count:
        return None
    if outcome in (Outcome.ROBOTS, Outcome.ROBOTS_UNREACHABLE):
        return Cause(str(outcome), facts=facts)
    if seen.reason in _RESTING and not may_retry(outcome):  # missing pages are no reason to rest
        return None
    return Cause("failing", outcome, facts)


def _one_unreached(facts: Mapping[str, object]) -> Cause:
    return Cause("unreachable_host", str(facts["names"]), facts, "unreachable_host_through" if facts["proxy"] else "")


def _hanging(seen: Situation) -> Cause | None:
    """Downloads without an end; when every other host rests, it takes half the connections to make them the cause."""
    count = sum(seconds >= LONG_DOWNLOAD for _, seconds in seen.downloads)
    if not count or (seen.reason in _RESTING and count < seen.concurrency / 2):
        return None
    return Cause("hanging", facts={"count": count, "limit": LONG_DOWNLOAD, **_longest_download(seen)})


def _in_work(seen: Situation) -> Cause | None:
    """Pages have come, and something here does not get done with them."""
    count = seen.in_work - len(seen.downloads)
    if count <= 0 or seen.reason in _RESTING or seen.downloads:
        return None
    return Cause("in_work", facts={"count": count, "seconds": seen.quiet_seconds})


def _limits(seen: Situation) -> Cause | None:
    kinds = {"pages_per_host": "host_limit", "blocked": "blocked_hosts"}
    return Cause(kinds[seen.reason], facts={"queued": seen.queued}) if seen.reason in kinds else None


def _waiting(seen: Situation) -> Cause | None:
    """Every host with links rests, or somebody else has it."""
    if seen.reason not in (*_RESTING, "leased", "restarted") or seen.wait_seconds is None:
        return None
    facts = {"until": time_of_day(seen.clock, seen.wait_seconds), "queued": seen.queued, "frontier": seen.frontier}
    if seen.reason != "resting":
        return Cause("frontier_restarted" if seen.reason == "restarted" else seen.reason, facts=facts)
    resting = seen.resting
    if not resting.hosts:
        return Cause("resting", facts=facts)
    facts |= {
        "hosts": resting.hosts,
        "host": shown(resting.longest),
        "longest": time_of_day(seen.clock, resting.seconds_left),
        "by_crawl_delay": resting.by_crawl_delay,
        "by_backoff": resting.by_backoff,
        "why": resting.why,
    }
    if resting.hosts == 1 and not resting.by_backoff and _is_only_host(seen):
        facts["an_hour"] = 3600 / max(resting.delay_seconds, 0.001)
        return Cause("one_host", shown(resting.longest), facts)
    return Cause("resting", "backoff" if resting.by_backoff == resting.hosts else "", facts, "resting_hosts")


def _is_only_host(seen: Situation) -> bool:
    """No other host is known, or only this one was asked for minutes, though any other with links would have had its turn."""
    return seen.known_hosts == 1 or seen.asked_hosts == {seen.resting.longest}


def _empty(seen: Situation) -> Cause | None:
    """Nothing is queued; most often because nearly all links were pruned."""
    if seen.reason != "empty" or seen.queued:
        return None
    facts = {"in_work": seen.in_work, **_pruning(seen)}
    is_pruning = seen.links > 0 and seen.pruned > 0
    form = "empty" if seen.in_work else "empty_waiting"
    return Cause("empty", facts=facts, form=form + ("_pruned" if is_pruning else ""))


def _pruned(seen: Situation) -> Cause | None:
    """Fewer links are left than there are connections, since nearly all are pruned."""
    is_scarce = seen.queued < seen.concurrency and seen.links > 0
    if not is_scarce or seen.pruned < 0.9 * seen.links:
        return None
    return Cause("pruned", seen.pruned_for, {"queued": seen.queued, **_pruning(seen)})


_IN_ORDER: tuple[Callable[[Situation], Cause | None], ...] = (
    _busy_process,
    _frontier_away,
    _slow_frontier,
    _store,
    _ending,
    _failures,
    _hanging,
    _in_work,
    _limits,
    _waiting,
    _empty,
    _pruned,
)


def _pruning(seen: Situation) -> dict[str, object]:
    share = seen.pruned / seen.links if seen.links else 0.0
    return {"share": share, "links": seen.links, "reason": seen.pruned_for}


def _longest_download(seen: Situation) -> dict[str, object]:
    host, seconds = seen.downloads[0] if seen.downloads else ("", 0.0)
    return {"host": shown(host), "seconds": seconds}


def _names(hosts: Iterable[str]) -> str:
    names = [shown(host) for host in hosts]
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")


def shown(host: str) -> str:
    """``w1.example`` for ``w1.example:80``."""
    return host.removesuffix(":80").removesuffix(":443")


def time_of_day(clock: float, seconds: float) -> str:
    """HH:MM:SS here ``seconds`` after ``clock``, with the day before it when that is a day or more ahead."""
    return time.strftime("%Y-%m-%d %H:%M:%S" if seconds >= 86_400 else "%H:%M:%S", time.localtime(clock + seconds))


_SENTENCES = {
    "busy_process": N_("this process was busy for {seconds:.0f} s and could do nothing else"),
    "busy_process_at": N_("this process was busy for {seconds:.0f} s and could do nothing else; it is at {place}"),
    "frontier_away": N_("the frontier ({frontier}) is away: {why}"),
    "slow_frontier": N_("the frontier ({frontier}) is slow: a call has taken {seconds:.0f} s so far"),
    "store_away": N_("the store cannot be written, {rows:,} rows wait: {why}"),
    "slow_store": N_("the store is slow: {rows:,} rows wait, and no page is fetched until some are written"),
    "slow_log": N_("the crawl's log is slow: the disk does not keep up, and no page is fetched until it does"),
    "ending": N_("the crawl is ending and waits for {in_work} page(s)"),
    "ending_of": N_("the crawl is ending and waits for {in_work} page(s), longest for {host}: {seconds:.0f} s"),
    "last_downloads": N_("the page limit is reached: it waits for the last {in_work} page(s)"),
    "last_downloads_of": N_(
        "the page limit is reached: it waits for the last {in_work} page(s), longest for {host}: {seconds:.0f} s"
    ),
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
    "unreachable_host_through": N_(
        "{names} cannot be reached through the proxy {proxy}: {count} of the last {of} downloads failed ({outcome})"
    ),
    "robots": N_("robots.txt forbids what is queued on {hosts} host(s): {names}"),
    "robots_unreachable": N_(
        "robots.txt of {hosts} host(s) cannot be had, and nothing is asked of them meanwhile: {names}"
    ),
    "failing": N_("{count} of the last {of} downloads ended as {outcome} ({names})"),
    "hanging": N_("{count} download(s) have taken more than {limit:.0f} s, longest on {host}: {seconds:.0f} s"),
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
        "all hosts with links rest until {until}: {hosts} rest{counted}, {host} longest, until {longest}{because}"
    ),
    "one_host": N_(
        "all {queued:,} link(s) in the queue are on one host, {host}: politeness allows about {an_hour:,.0f} pages an hour, the next at {until}{because}"
    ),
    "empty": N_("the queue is empty: it waits for the last {in_work} page(s)"),
    "empty_pruned": N_(
        "the queue is empty: it waits for the last {in_work} page(s); {share:.0%} of the last {links:,} links were pruned, most for {reason}"
    ),
    "empty_waiting": N_("the queue is empty: it waits for more seeds"),
    "empty_waiting_pruned": N_(
        "the queue is empty: it waits for more seeds; {share:.0%} of the last {links:,} links were pruned, most for {reason}"
    ),
    "pruned": N_(
        "only {queued} link(s) are left: {share:.0%} of the last {links:,} links were pruned, most for {reason}"
    ),
    "unknown": N_(
        "no page for {seconds:.0f} s, and the cause is not known (queued {queued:,}, in work {in_work}, the frontier says {reason})"
    ),
}
_BECAUSE = {
    "crawl_delay": N_(" (Crawl-delay)"),
    "backoff": N_(" (back-off after failures or refusals)"),
}


def sentence(cause: Cause) -> str:
    """One line without control characters, and without a full stop."""
    facts = dict(cause.facts)
    if "why" in facts:
        because = _BECAUSE.get(str(facts["why"]))
        facts["because"] = _(because) if because else ""
        facts["counted"] = _counted(facts)
    return one_line(_(_SENTENCES[cause.form or cause.kind]).format(**facts), 400)


def over_sentence(seconds: float) -> str:
    """The crawl goes on after a stall of so many ``seconds``, whose causes were said."""
    return _("the crawl goes on as usual after {seconds:.0f} s", seconds=seconds)


def _counted(facts: dict[str, object]) -> str:
    """How many rest for a reason of their own; "" where the longest one's reason says it all."""
    by_delay, by_backoff, hosts = (facts.get(name, 0) for name in ("by_crawl_delay", "by_backoff", "hosts"))
    if hosts == 1:
        return ""
    parts = [f"{by_delay} Crawl-delay"] if by_delay else []
    parts += [_("{count} by back-off", count=by_backoff)] if by_backoff else []
    return _(" ({reasons})", reasons=_(", ").join(parts)) if parts else ""
