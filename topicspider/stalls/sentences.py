"""Says in one sentence why a crawl is slow or stands still."""

from __future__ import annotations

from topicspider.errors import one_line
from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.stalls.causes import Cause

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


def over_sentence(cause: Cause, seconds: float) -> str:
    """The crawl goes on; ``cause`` was the last, and it took ``seconds`` in all."""
    what = _(_SHORT[cause.kind])
    return _("the crawl goes on as usual after {seconds:.0f} s ({what})", seconds=seconds, what=what)


_SHORT = {
    "busy_process": N_("this process was busy"),
    "frontier_away": N_("the frontier was away"),
    "slow_frontier": N_("the frontier was slow"),
    "store_away": N_("the store could not be written"),
    "slow_store": N_("the store was slow"),
    "slow_log": N_("the log was slow"),
    "ending": N_("it was ending"),
    "last_downloads": N_("the last pages"),
    "dns": N_("DNS failed"),
    "network": N_("no host could be reached"),
    "unreachable_host": N_("a host could not be reached"),
    "robots": N_("robots.txt forbade"),
    "robots_unreachable": N_("no robots.txt could be had"),
    "failing": N_("downloads failed"),
    "hanging": N_("downloads hung"),
    "in_work": N_("pages were not dealt with"),
    "host_limit": N_("hosts gave all they may"),
    "blocked_hosts": N_("hosts were blocked"),
    "leased": N_("other nodes had the hosts"),
    "frontier_restarted": N_("the frontier was restarted"),
    "resting": N_("all hosts rested"),
    "one_host": N_("one host had all links"),
    "empty": N_("the queue was empty"),
    "pruned": N_("most links were pruned"),
    "unknown": N_("the cause was not known"),
}


def _counted(facts: dict[str, object]) -> str:
    """How many rest for a reason of their own; "" where the longest one's reason says it all."""
    by_delay, by_backoff, hosts = (facts.get(name, 0) for name in ("by_crawl_delay", "by_backoff", "hosts"))
    if hosts == 1:
        return ""
    parts = [f"{by_delay} Crawl-delay"] if by_delay else []
    parts += [_("{count} by back-off", count=by_backoff)] if by_backoff else []
    return _(" ({reasons})", reasons=_(", ").join(parts)) if parts else ""
