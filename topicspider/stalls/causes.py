"""Finds the likeliest cause why a crawl is slow or stands still."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from topicspider.download.outcome import Outcome, is_unreachable, may_retry
from topicspider.politeness.hosts import DelayedHosts
from topicspider.stalls.pulse import Ended


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
LEAST_FAILURES = 2  # one failed download says nothing
MANY_PRUNED = 0.9
NAMED_HOSTS = 3
DAY = 86400.0


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


_MEANT = frozenset(
    {"resting", "one_host", "host_limit", "last_downloads", "ending", "empty", "blocked_hosts", "leased"}
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
    if count < LEAST_FAILURES:
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
    if seen.reason == "resting" and not may_retry(outcome):  # missing pages are no reason to rest
        return None
    return Cause("failing", outcome, facts)


def _one_unreached(facts: Mapping[str, object]) -> Cause:
    return Cause("unreachable_host", str(facts["names"]), facts, "unreachable_host_through" if facts["proxy"] else "")


def _hanging(seen: Situation) -> Cause | None:
    """Downloads without an end; when every other host rests, it takes half the connections to make them the cause."""
    count = sum(seconds >= LONG_DOWNLOAD for _, seconds in seen.downloads)
    if not count or (seen.reason == "resting" and count < seen.concurrency / 2):
        return None
    return Cause("hanging", facts={"count": count, "limit": LONG_DOWNLOAD, **_longest_download(seen)})


def _in_work(seen: Situation) -> Cause | None:
    """Pages have come, and something here does not get done with them."""
    count = seen.in_work - len(seen.downloads)
    if count <= 0 or seen.reason == "resting" or seen.downloads:
        return None
    return Cause("in_work", facts={"count": count, "seconds": seen.quiet_seconds})


def _limits(seen: Situation) -> Cause | None:
    kinds = {"pages_per_host": "host_limit", "blocked": "blocked_hosts"}
    return Cause(kinds[seen.reason], facts={"queued": seen.queued}) if seen.reason in kinds else None


def _waiting(seen: Situation) -> Cause | None:
    """Every host with links rests, or somebody else has it."""
    if seen.reason not in ("resting", "leased", "restarted") or seen.wait_seconds is None:
        return None
    facts = {"until": time_of_day(seen.clock, seen.wait_seconds), "queued": seen.queued, "frontier": seen.frontier}
    if seen.reason != "resting":
        return Cause("leased" if seen.reason == "leased" else "frontier_restarted", facts=facts)
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
    if not is_scarce or seen.pruned < MANY_PRUNED * seen.links:
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
    return ", ".join(names[:NAMED_HOSTS]) + (", …" if len(names) > NAMED_HOSTS else "")


def shown(host: str) -> str:
    """``w1.example`` for ``w1.example:80``."""
    return host.removesuffix(":80").removesuffix(":443")


def time_of_day(clock: float, seconds: float) -> str:
    """HH:MM:SS here ``seconds`` after ``clock``, with the day before it when that is a day or more ahead."""
    return time.strftime("%Y-%m-%d %H:%M:%S" if seconds >= DAY else "%H:%M:%S", time.localtime(clock + seconds))
