"""``scrapy frontier``: looks at the queue of a crawl and steers it; a crawl that runs hears of it within seconds."""

from __future__ import annotations

import argparse
import difflib
import heapq
import sys
from collections import Counter
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from topicspider.cli.command import (
    ActionParser,
    add_format_options,
    add_topic_option,
    print_json,
    terminal_columns,
)
from topicspider.errors import ConfigError, FrontierUnavailable
from topicspider.i18n import N_, clock
from topicspider.i18n import gettext as _
from topicspider.text.terminal import fit, table

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from topicspider.cli.command import CliCommand
    from topicspider.evaluation import Judging
    from topicspider.frontier.dead_letters import DeadUrl
    from topicspider.frontier.inspection import HostState, Inspection
    from topicspider.frontier.protocol import Entry
    from topicspider.politeness.host_clock import Delays

SYNTAX = "[FRONTIER-URL] [sizes | top | bottom | hosts | leases | dead | block | unblock | delay | rescore | export | import | move] [--topic NAME] [--json]"  # fmt: skip
ABOUT = "Look at the queue of a crawl and steer it, also while it runs. `scrapy frontier ACTION --help` tells of each action."
WHICH = (
    "The queue is that of a topic (--topic, else TOPICSPIDER_TOPIC), or the one that FRONTIER-URL in front of the action names, as "
    "TOPICSPIDER_FRONTIER does. A HOST is host:port as `hosts` shows it, a host with all its ports, or a URL."
)
STATES = (N_("queued"), N_("leased"), N_("done"), N_("dead"), N_("pages"), N_("hosts"))
HOST_HEADS = (N_("host"), N_("queued"), N_("leased"), N_("dead"), N_("pages"), N_("best"), N_("delay"), N_("state"))


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What an action has to say: as plain data, and as text for a reader; ``lines`` are written when they are asked for."""

    data: Any = None
    text: str = ""
    lines: Iterator[str] | None = None


@dataclass(frozen=True, slots=True)
class FrontierContext:
    """The queue of a crawl, which ``crawl`` names, and what judges it.

    ``look_at`` opens a queue by its name ("" is this one), also beside its crawl; ``own`` opens it for those who must be alone, and makes
    one that is not there; ``judging`` is how the crawl's topics judge now, with one line about the model; ``delays`` are the delays that
    hosts get at least.
    """

    crawl: str
    look_at: Callable[[str], Inspection]
    own: Callable[[str], Inspection]
    judging: Callable[[], tuple[Judging, str]]
    delays: Delays

    def look(self) -> Inspection:
        """This queue, also beside its crawl."""
        return self.look_at("")


def actions() -> argparse.ArgumentParser:
    """The parser of what stands behind `scrapy frontier`."""
    from topicspider.cli import frontier_transfer

    parser = ActionParser(prog="scrapy frontier", epilog=WHICH)
    add_topic_option(parser)
    add_format_options(parser)
    parser.set_defaults(action=sizes)
    subparsers = parser.add_subparsers(metavar="ACTION")

    def add(name: str, action: Any, about: str, nargs: str = "", metavar: str = "HOST") -> argparse.ArgumentParser:
        own: argparse.ArgumentParser = subparsers.add_parser(name, help=about, description=about)
        own.set_defaults(action=action)
        add_topic_option(own, default=argparse.SUPPRESS)
        add_format_options(own)
        for option in own._actions:  # what stands in front of the action holds unless it is said again
            option.default = argparse.SUPPRESS
        if nargs:
            own.add_argument("args", nargs=nargs, metavar=metavar)
        return own

    add("sizes", sizes, "how many URLs are in which state, and the 10 largest hosts; what is shown without an action")
    add("top", top, "show the best queued URLs").add_argument("count", nargs="?", type=_count, default=20, metavar="N")
    add("bottom", bottom, "show the worst").add_argument("count", nargs="?", type=_count, default=20, metavar="N")
    add("hosts", hosts, "show all hosts, or the N largest").add_argument("count", nargs="?", type=_count, metavar="N")
    add("leases", leases, "show which host is leased to which node, and for how long")
    dead_parser = add("dead", dead, "show what was given up, and why", "*", "REASON")
    dead_parser.add_argument("--revive", action="store_true", help="queue it again")
    add("block", block, "have hosts asked no more; their URLs stay queued", "+")
    add("unblock", unblock, "undo block", "+")
    delay_parser = add("delay", delay, "set the least time between two fetches of a host, 0 removes it")
    delay_parser.add_argument("host", metavar="HOST")
    delay_parser.add_argument("seconds", type=_delay_seconds, metavar="SECONDS")
    add("rescore", rescore, "judge all queued URLs anew, by their address, as the topic and its model are now")
    frontier_transfer.add_parsers(add)
    return parser


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text} is no number of lines")
    return int(text)


def _delay_seconds(text: str) -> float:
    from topicspider.frontier.inspection import LONGEST_DELAY

    try:
        seconds = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds") from None
    if not 0 <= seconds <= LONGEST_DELAY:
        raise argparse.ArgumentTypeError(f"{text}: 0 to {LONGEST_DELAY:g} seconds")
    return seconds


def run(command: CliCommand, args: list[str], _opts: argparse.Namespace) -> None:
    """Find the action that was asked for, and the queue."""
    from topicspider.cli.crawl_data import split_address

    address, rest = split_address(args)
    opts = actions().parse_args(rest)
    command.set_option("topic", opts.topic)
    command.set_option("frontier", address)
    result: CommandResult = opts.action(_context(command, is_named=bool(address), is_move="merge" in opts), opts)
    if result.lines is not None:
        for line in result.lines:
            sys.stdout.write(f"{line}\n")
    elif opts.json:
        print_json(result.data)
    else:
        print(result.text)


def _context(command: CliCommand, *, is_named: bool, is_move: bool) -> FrontierContext:
    from topicspider.cli.crawl_data import QueuePlaces
    from topicspider.crawl_config import crawl_options
    from topicspider.frontier.factory import is_in_redis, open_inspection, own_inspection
    from topicspider.politeness.host_clock import Delays

    assert command.settings is not None
    options = crawl_options(command.settings)
    places = QueuePlaces(options, is_named=is_named or is_move or is_in_redis(options.frontier))
    return FrontierContext(
        crawl="" if is_move else places.label(""),
        look_at=lambda name: open_inspection(*places.find(name)),
        own=lambda name: own_inspection(*places.find(name), seed=options.seed),
        judging=lambda: _judging(command),
        delays=Delays(options.delay_factor, options.delay_min, options.delay_max),
    )


def _judging(command: CliCommand) -> tuple[Judging, str]:
    """How the topics of the crawl judge addresses now, by the newest model that it has published, which the second names in one line.

    Without traps: these addresses came past them when they were found.
    """
    from topicspider.cli.judge import load_judge, load_model
    from topicspider.crawl_config import CrawlConfig
    from topicspider.evaluation import Judging
    from topicspider.topic.url_filter import UrlFilter

    assert command.settings is not None
    settings = command.settings.copy()
    settings.set("TOPICSPIDER_SEEDS", "http://seed.invalid/", priority="cmdline")  # none is asked for anything
    plan = CrawlConfig.read(settings)
    views = [load_judge(topic.source, plan.options).view for topic in plan.topics]
    model = load_model(views, plan.options, plan.folder, plan.name)
    return Judging(views, UrlFilter(plan.limits)), model.words()


def sizes(context: FrontierContext, _opts: argparse.Namespace) -> CommandResult:
    """How many URLs are in which state, and the largest hosts."""
    with closing(context.look()) as inspection:
        silence = _silence(inspection)
        counts = asdict(inspection.counts())
        states = list(inspection.hosts())
    columns = terminal_columns()
    blocked = sum(state.is_blocked for state in states)
    largest = _largest(states, 10)
    data = {"crawl": context.crawl, **counts, "blocked_hosts": blocked, "largest": [asdict(state) for state in largest]}
    line = "  ".join(f"{_(name)} {counts[name]:,}" for name in STATES)
    line += _(" ({count:,} blocked)", count=blocked) if blocked else ""
    lines = [fit(context.crawl, columns), fit(line, columns), *([silence] if silence else [])]
    allowed = _allowed(states, context.delays)
    if allowed is not None:
        data["politeness"] = allowed
        lines.append(fit(_allowed_text(allowed), columns))
    if silence:
        data["note"] = silence
    if largest:
        lines += ["", _host_table(largest)]
    if len(states) > len(largest):
        more = _(
            "the {largest} largest of {count:,} hosts: scrapy frontier hosts", largest=len(largest), count=len(states)
        )
        lines += ["", more]
    return CommandResult(data, "\n".join(lines))


def _silence(inspection: Inspection) -> str:
    """Why it is not known what is leased; "" when it is."""
    try:
        inspection.leases()
    except FrontierUnavailable as error:
        return str(error)
    return ""


def _allowed(states: Iterable[HostState], delays: Delays) -> dict[str, float] | None:
    """What politeness lets through of what is queued, by the answers that hosts gave so far; None where nothing is held up."""
    budgets = [
        (delays.cycle_seconds(state.response_seconds or 0.0, state.delay_seconds), state.queued)
        for state in states
        if state.queued and not state.is_blocked
    ]
    if not budgets or not all(cycle for cycle, _ in budgets):
        return None
    return {
        "hosts": len(budgets),
        "pages_in_an_hour": sum(min(urls, int(3600 / cycle + 1e-9)) for cycle, urls in budgets),
        "seconds_for_queued": round(max(cycle * urls for cycle, urls in budgets), 3),
    }


def _allowed_text(allowed: dict[str, float]) -> str:
    return _(
        "politeness: {pages:,} pages in an hour from {hosts:,} host(s); the queue takes {time} or more",
        pages=allowed["pages_in_an_hour"],
        hosts=allowed["hosts"],
        time=clock(allowed["seconds_for_queued"]),
    )


def hosts(context: FrontierContext, opts: argparse.Namespace) -> CommandResult:
    """All hosts, or the largest."""
    with closing(context.look()) as inspection:
        states = _largest(inspection.hosts(), opts.count)
    return CommandResult([asdict(state) for state in states], _host_table(states) if states else _("no host is known"))


def top(context: FrontierContext, opts: argparse.Namespace) -> CommandResult:
    """The best queued URLs."""
    with closing(context.look()) as inspection:
        return _entries(inspection.top(opts.count))


def bottom(context: FrontierContext, opts: argparse.Namespace) -> CommandResult:
    """The worst queued URLs."""
    with closing(context.look()) as inspection:
        return _entries(inspection.bottom(opts.count))


def leases(context: FrontierContext, _opts: argparse.Namespace) -> CommandResult:
    """Which host is leased to which node, for how long, and its URLs."""
    with closing(context.look()) as inspection:
        found = inspection.leases()
    columns = terminal_columns()
    heads = [_("host"), _("node"), _("seconds"), _("URLs")]
    rows = [
        [fit(lease.host, 34), fit(lease.node, 20), f"{lease.seconds_left:.0f}", str(len(lease.urls))] for lease in found
    ]
    lines = [table([heads, *rows], right=(2, 3), columns=columns)]
    lines += [fit(f"  {url}", columns) for lease in found for url in lease.urls]
    return CommandResult([asdict(lease) for lease in found], "\n".join(lines) if found else _("no host is leased"))


def dead(context: FrontierContext, opts: argparse.Namespace) -> CommandResult:
    """What was given up, for these reasons; with --revive it is queued again."""
    with closing(context.look()) as inspection:
        found = inspection.dead()
        known = sorted({url.reason for url in found})
        for reason in opts.args:
            if reason not in known:
                raise ConfigError("reason", reason, ", ".join(known) or "none, as no URL was given up")
        chosen = [url for url in found if not opts.args or url.reason in opts.args]
        if opts.revive:
            count = inspection.revive([url.entry.fingerprint for url in chosen] if opts.args else None)
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
    def key(state: HostState) -> tuple[int, str]:
        return -state.queued - state.leased, state.host

    return sorted(states, key=key) if count is None else heapq.nsmallest(count, states, key=key)


def _host_table(states: Sequence[HostState]) -> str:
    rows = [[_(head) for head in HOST_HEADS], *map(_host_row, states)]
    return table(rows, right=(1, 2, 3, 4, 5, 6), columns=terminal_columns())


def _host_row(host: HostState) -> list[str]:
    best = "-" if host.best is None else _score(host.best)
    own_delay = f"{host.delay_seconds:g} s" if host.delay_seconds else "-"
    state = _("blocked") if host.is_blocked else ""
    if not state and host.rest_seconds:
        left = f"{host.rest_seconds:.0f}" if host.rest_seconds >= 10 else f"{max(host.rest_seconds, 0.1):.1f}"
        state = _("rests {seconds} s", seconds=left)
    counts = (host.queued, host.leased, host.dead, host.pages)
    return [fit(host.host, 34), *(f"{count:,}" for count in counts), best, own_delay, state]


def _entries(entries: Sequence[Entry]) -> CommandResult:
    heads = [_("score"), _("depth"), _("tries"), _("URL")]
    rows = [[_score(entry.score), str(entry.depth), str(entry.attempts), entry.url] for entry in entries]
    text = table([heads, *rows], right=(0, 1, 2), columns=terminal_columns()) if entries else _("nothing is queued")
    return CommandResult([asdict(entry) for entry in entries], text)


def _score(score: float) -> str:
    """Seeds stand above every score that a link policy gives."""
    return f"{score:.4f}" if abs(score) < 1e4 else f"{score:.0e}"


def block(context: FrontierContext, opts: argparse.Namespace) -> CommandResult:
    """Have hosts asked no more."""
    with closing(context.look()) as inspection:
        found = _found(opts.args, inspection)
        changed = inspection.block(found)
    return _steered("blocked", _("blocked"), found, changed)


def unblock(context: FrontierContext, opts: argparse.Namespace) -> CommandResult:
    """Undo block."""
    with closing(context.look()) as inspection:
        found = _found(opts.args, inspection)
        changed = inspection.unblock(found)
    return _steered("unblocked", _("unblocked"), found, changed)


def _steered(key: str, done: str, found: Sequence[str], changed: int) -> CommandResult:
    same = len(found) - changed
    text = f"{done}: {', '.join(found)}" + (_(" ({count} as before)", count=same) if same else "")
    return CommandResult({key: list(found), "changed": changed}, text)


def delay(context: FrontierContext, opts: argparse.Namespace) -> CommandResult:
    """Set the least time between two fetches of a host."""
    with closing(context.look()) as inspection:
        found = _found([opts.host], inspection)
        for host in found:
            inspection.set_delay(host, opts.seconds)
    names = ", ".join(found)
    text = _("{hosts}: rests at least {seconds:g} s after each fetch", hosts=names, seconds=opts.seconds)
    if not opts.seconds:
        text = _("{hosts}: no delay of its own any more", hosts=names)
    return CommandResult({"hosts": found, "delay_seconds": opts.seconds}, text)


def rescore(context: FrontierContext, _opts: argparse.Namespace) -> CommandResult:
    """Judge all queued URLs anew, by their address."""
    from topicspider.frontier.protocol import Entry
    from topicspider.steering.topic_reload import SEEDS_FROM, by_address

    judging, model = context.judging()
    judged = changed = 0
    with closing(context.look()) as inspection:
        queued = (entry for entry in inspection.records() if isinstance(entry, Entry) and entry.score < SEEDS_FROM)
        while some := list(islice(queued, 500)):
            before = {entry.fingerprint: entry.score for entry in some}
            scores = [
                pair for pair in by_address(some, judging) if pair[0] in before
            ]  # the others are no plain addresses
            judged += len(scores)
            changed += sum(round(score, 6) != round(before[fingerprint], 6) for fingerprint, score in scores)
            inspection.rescore(scores)
    text = _(
        "{judged:,} URLs judged anew by their address, {changed:,} have another score", judged=judged, changed=changed
    )
    data = {"judged": judged, "changed": changed, "model": model}
    return CommandResult(data, "\n".join(fit(line, terminal_columns()) for line in (text, model) if line))


def _found(names: Sequence[str], inspection: Inspection) -> list[str]:
    """The hosts of the queue that are meant; whoever names them as the queue does needs no list of all."""
    if all(inspection.host(name) for name in names):
        return list(dict.fromkeys(names))
    return hosts_called(names, {state.host for state in inspection.hosts()})


def hosts_called(names: Sequence[str], known: Collection[str]) -> list[str]:
    """The hosts of the queue that ``names`` mean, each once; ConfigError for a name that means none.

    A name is host:port, as the queue shows it, a URL, or a host without a port, which means all its ports.
    """
    return list(dict.fromkeys(host for name in names for host in _called(name, known)))


def _called(name: str, known: Collection[str]) -> list[str]:
    from topicspider.url import canonicalize, host_key, host_of

    if name in known:
        return [name]
    url = canonicalize(name if "://" in name else f"http://{name}/")
    host = "" if url is None else host_of(url)
    has_port = "://" in name or name.rpartition(":")[2].isdigit()
    if url and has_port and host_key(url) in known:
        return [host_key(url)]
    found = [] if has_port or not host else sorted(key for key in known if key.rpartition(":")[0] == host)
    if found:
        return found
    raise ConfigError("host", name, "a host of the queue", _near(host or name, known))


def _near(name: str, known: Collection[str]) -> str:
    names = sorted({key.rpartition(":")[0] for key in known})
    inside = [known_name for known_name in names if name and name in known_name]
    found = list(dict.fromkeys([*difflib.get_close_matches(name, names), *inside]))[:3]
    return f"Near: {', '.join(found)}" if found else "`scrapy frontier hosts` shows them"
