"""``scrapy frontier``: looks at the queue of a crawl and steers it; a crawl that runs hears of it within seconds."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from contextlib import closing
from dataclasses import asdict

from topicspider.cli.command import (
    Action,
    ActionParser,
    CliCommand,
    CommandResult,
    action_parser,
    add_format_options,
    add_topic_option,
    terminal_columns,
)
from topicspider.cli.crawl_data import FRONTIER_FORMS, Places, queue_places, split_address
from topicspider.errors import ConfigError
from topicspider.frontier.factory import open_inspection
from topicspider.frontier.inspection import DeadUrl, HostState, Inspection
from topicspider.frontier.protocol import Entry
from topicspider.i18n import N_, labelled
from topicspider.i18n import gettext as _
from topicspider.text.terminal import fit, table
from topicspider.url import canonicalize, host_key, host_of

SYNTAX = "[FRONTIER-URL] [sizes | top | bottom | hosts | leases | dead | block | unblock | delay | export | import | rebuild | move] [--topic NAME] [--json]"  # fmt: skip
ABOUT = "Look at the queue of a crawl and steer it, also while it runs. `scrapy frontier ACTION --help` tells of each action."
WHICH = (
    "The queue is that of a topic (--topic, else TOPICSPIDER_TOPIC), or the one that FRONTIER-URL in front of the action names, as "
    "TOPICSPIDER_FRONTIER does. A HOST is host:port as `hosts` shows it, a host with all its ports, or a URL. --json prints JSON."
)
STATES = (N_("queued"), N_("leased"), N_("done"), N_("dead"), N_("pages"), N_("hosts"))
HOST_HEADS = (N_("host"), N_("queued"), N_("leased"), N_("dead"), N_("pages"), N_("best"), N_("delay"), N_("state"))


def add_options(parser: argparse.ArgumentParser) -> None:
    add_topic_option(parser)
    add_format_options(parser)


def actions() -> ActionParser:
    from topicspider.cli import frontier_transfer

    count = {"count": {"nargs": "?", "type": int, "default": 20, "metavar": "N"}}
    named = {"hosts": {"nargs": "+", "metavar": "HOST"}}
    looking: tuple[Action, ...] = (
        ("sizes", sizes, "how many URLs are in which state, and the 10 largest hosts; what is shown without an action", {}),
        ("top", top, "show the best queued URLs", count),
        ("bottom", bottom, "show the worst", count),
        ("hosts", hosts, "show all hosts, or the N largest", {"count": {"nargs": "?", "type": int, "metavar": "N"}}),
        ("leases", leases, "show which host is leased to which node, and for how long", {}),
        ("dead", dead, "show what was given up, and why", {
            "reasons": {"nargs": "*", "metavar": "REASON"}, "--revive": {"action": "store_true", "help": "queue it again"}
        }),
    )  # fmt: skip
    steering: tuple[Action, ...] = (
        ("block", block, "have hosts asked no more; their URLs stay queued", named),
        ("unblock", unblock, "undo block", named),
        ("delay", delay, "set the least time between two fetches of a host, 0 removes it", {
            "host": {"metavar": "HOST"}, "seconds": {"type": float, "metavar": "SECONDS"}
        }),
    )  # fmt: skip
    return action_parser("frontier", WHICH, (*looking, *steering, *frontier_transfer.ACTIONS))


def run(command: CliCommand, args: list[str], opts: argparse.Namespace) -> int:
    address, rest = split_address(args, FRONTIER_FORMS)
    wanted = actions().parse_args(rest)
    result: CommandResult | None = wanted.action(queue_places(command, opts.topic, address), wanted)
    return result.show(as_json=opts.json) if result else 0


def looked_at(places: Places, name: str = "") -> closing[Inspection]:
    """A queue, also beside its crawl."""
    return closing(open_inspection(*places.find(name)))


def sizes(places: Places, _opts: argparse.Namespace) -> CommandResult:
    with looked_at(places) as inspection:
        counts = asdict(inspection.counts())
        states = list(inspection.hosts())
    blocked = sum(state.is_blocked for state in states)
    largest = _largest(states, 10)
    data = {"crawl": places.label(), **counts, "blocked_hosts": blocked, "largest": [asdict(host) for host in largest]}
    line = "  ".join(f"{_(name)} {counts[name]:,}" for name in STATES)
    line += _(" ({count:,} blocked)", count=blocked) if blocked else ""
    lines = [fit(text, terminal_columns()) for text in (places.label(), line)]
    return CommandResult(data, "\n".join([*lines, *(["", _host_table(largest)] if largest else [])]))


def hosts(places: Places, opts: argparse.Namespace) -> CommandResult:
    with looked_at(places) as inspection:
        states = _largest(inspection.hosts(), opts.count)
    return CommandResult([asdict(state) for state in states], _host_table(states) if states else _("no host is known"))


def top(places: Places, opts: argparse.Namespace) -> CommandResult:
    with looked_at(places) as inspection:
        return _entries(inspection.top(opts.count))


def bottom(places: Places, opts: argparse.Namespace) -> CommandResult:
    with looked_at(places) as inspection:
        return _entries(inspection.bottom(opts.count))


def leases(places: Places, _opts: argparse.Namespace) -> CommandResult:
    with looked_at(places) as inspection:
        found = sorted(inspection.leases(), key=lambda lease: (lease.node, lease.host))
    columns = terminal_columns()
    rows = [[_("host"), _("node"), _("seconds"), _("URLs")]]
    rows += [[fit(one.host, 34), fit(one.node, 20), f"{one.seconds_left:.0f}", str(len(one.urls))] for one in found]
    urls = [fit(f"  {url}", columns) for one in found for url in one.urls]
    lines = [table(rows, right=(2, 3), columns=columns), *urls]
    return CommandResult([asdict(lease) for lease in found], "\n".join(lines) if found else _("no host is leased"))


def dead(places: Places, opts: argparse.Namespace) -> CommandResult:
    with looked_at(places) as inspection:
        found = inspection.dead()
        known = sorted({url.reason for url in found})
        for reason in opts.reasons:
            if reason not in known:
                raise ConfigError("reason", reason, ", ".join(known) or "none, as no URL was given up")
        chosen = [url for url in found if not opts.reasons or url.reason in opts.reasons]
        if opts.revive:
            count = inspection.revive([url.entry.fingerprint for url in chosen])
            return CommandResult({"revived": count}, _("{count:,} URLs are queued again", count=count))
    return CommandResult([{**asdict(url.entry), "reason": url.reason} for url in chosen], _dead_text(chosen))


def _dead_text(dead_urls: Sequence[DeadUrl]) -> str:
    if not dead_urls:
        return _("no URL was given up")
    columns = terminal_columns()
    rows = [(fit(url.reason, 20), str(url.entry.attempts), url.entry.url) for url in dead_urls]
    counts = Counter(url.reason for url in dead_urls)
    sums = ", ".join(f"{reason} {count:,}" for reason, count in counts.most_common())
    heads = (_("reason"), _("tries"), _("URL"))
    return f"{table([heads, *rows], right=(1,), columns=columns)}\n\n{fit(sums, columns)}"


def _largest(states: Iterable[HostState], count: int | None) -> list[HostState]:
    return sorted(states, key=lambda state: (-state.queued - state.leased, state.host))[:count]


def _host_table(states: Sequence[HostState]) -> str:
    rows = [[_(head) for head in HOST_HEADS], *map(_host_row, states)]
    return table(rows, right=(1, 2, 3, 4, 5, 6), columns=terminal_columns())


def _host_row(host: HostState) -> list[str]:
    best = "-" if host.best is None else _score(host.best)
    own_delay = f"{host.delay_seconds:g} s" if host.delay_seconds else "-"
    state = _("rests {seconds} s", seconds=f"{host.rest_seconds:.1f}") if host.rest_seconds else ""
    counts = (host.queued, host.leased, host.dead, host.pages)
    said = _("blocked") if host.is_blocked else state
    return [fit(host.host, 34), *(f"{n:,}" for n in counts), best, own_delay, said]


def _entries(entries: Sequence[Entry]) -> CommandResult:
    rows = [[_("score"), _("depth"), _("tries"), _("URL")]]
    rows += [[_score(entry.score), str(entry.depth), str(entry.attempts), entry.url] for entry in entries]
    text = table(rows, right=(0, 1, 2), columns=terminal_columns()) if entries else _("nothing is queued")
    return CommandResult([asdict(entry) for entry in entries], text)


def _score(score: float) -> str:
    """Seeds stand above every score that a link policy gives."""
    return f"{score:.4f}" if abs(score) < 1e4 else f"{score:.0e}"


def block(places: Places, opts: argparse.Namespace) -> CommandResult:
    with looked_at(places) as inspection:
        found = _found(opts.hosts, inspection)
        changed = inspection.block(found)
    return CommandResult({"blocked": found, "changed": changed}, labelled(_("blocked"), _(", ").join(found)))


def unblock(places: Places, opts: argparse.Namespace) -> CommandResult:
    with looked_at(places) as inspection:
        found = _found(opts.hosts, inspection)
        changed = inspection.unblock(found)
    return CommandResult({"unblocked": found, "changed": changed}, labelled(_("unblocked"), _(", ").join(found)))


def delay(places: Places, opts: argparse.Namespace) -> CommandResult:
    with looked_at(places) as inspection:
        found = _found([opts.host], inspection)
        for host in found:
            inspection.set_delay(host, opts.seconds)
    names = ", ".join(found)
    text = _("{hosts}: rests at least {seconds:g} s after each fetch", hosts=names, seconds=opts.seconds)
    if not opts.seconds:
        text = _("{hosts}: no delay of its own any more", hosts=names)
    return CommandResult({"hosts": found, "delay_seconds": opts.seconds}, text)


def _found(names: Sequence[str], inspection: Inspection) -> list[str]:
    return hosts_called(names, {state.host for state in inspection.hosts()})


def hosts_called(names: Sequence[str], known: Collection[str]) -> list[str]:
    """The hosts of the queue that ``names`` mean, each once; ConfigError for a name that means none.

    A name is host:port, as the queue shows it, a URL, or a host without a port, which means all its ports.
    """
    return list(dict.fromkeys(host for name in names for host in _called(name, known)))


def _called(name: str, known: Collection[str]) -> list[str]:
    url = canonicalize(name if "://" in name else f"http://{name}/") or ""
    has_port = "://" in name or name.rpartition(":")[2].isdigit()
    found = [host_key(url)] if has_port else sorted(key for key in known if key.rpartition(":")[0] == host_of(url))
    found = [name] if name in known else [host for host in found if host in known]
    if not found:
        raise ConfigError("host", name, "a host of the queue", "`scrapy frontier hosts` shows them")
    return found
