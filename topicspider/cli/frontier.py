"""``scrapy frontier``: shows the queue of a crawl, changes it (a running crawl follows within seconds), and moves it elsewhere."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import asdict
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO

from topicspider.cli.command import (
    Action,
    ActionParser,
    CliCommand,
    CommandResult,
    action_parser,
    add_format_options,
    add_topic_option,
    terminal_columns,
    whole_number,
)
from topicspider.cli.crawl_data import FRONTIER_FORMS, Places, queue_places, split_address, topics_in
from topicspider.errors import ConfigError, CrawlRunning, TopicSpiderError, one_line
from topicspider.frontier.factory import open_inspection, own_inspection
from topicspider.frontier.inspection import DoneUrls, Fact, HostState, Inspection, Record
from topicspider.frontier.protocol import Counts, Entry
from topicspider.frontier.record_lines import lines_of, read_lines
from topicspider.i18n import N_, labelled
from topicspider.i18n import gettext as _
from topicspider.store.location import store_of_crawl
from topicspider.store.store import Store
from topicspider.text.terminal import fit, table
from topicspider.topic.profile import crawl_name
from topicspider.url import canonicalize, fingerprint, host_key, host_of, masked

SYNTAX = "[FRONTIER-URL] [sizes | top | bottom | hosts | leases | dead | block | unblock | delay | export | import | rebuild | move] [--topic NAME] [--json]"  # fmt: skip
ABOUT = "Look at the queue of a crawl and steer it, also while it runs. `scrapy frontier ACTION --help` tells of each action."
WHICH = (
    "The queue is that of a topic (--topic, else TOPICSPIDER_TOPIC), or the one that FRONTIER-URL in front of the action names, as "
    "TOPICSPIDER_FRONTIER does. A HOST is host:port as `hosts` shows it, a host with all its ports, or a URL. --json prints JSON."
)
STATES = (N_("queued"), N_("leased"), N_("done"), N_("dead"), N_("pages"), N_("hosts"))


def add_options(parser: argparse.ArgumentParser) -> None:
    add_topic_option(parser)
    add_format_options(parser)


def actions() -> ActionParser:
    number = {"nargs": "?", "type": partial(whole_number, "N"), "metavar": "N"}
    count = {"count": {**number, "default": 20}}
    named = {"hosts": {"nargs": "+", "metavar": "HOST"}}
    looking: tuple[Action, ...] = (
        ("sizes", sizes, "how many URLs are in which state, and the 10 largest hosts; what is shown without an action", {}),
        ("top", top, "show the best queued URLs", count),
        ("bottom", partial(top, is_worst=True), "show the worst", count),
        ("hosts", hosts, "show all hosts, or the N largest", {"count": number}),
        ("leases", leases, "show which host is leased to which node, and for how long", {}),
        ("dead", dead, "show what was given up, and why", {
            "reasons": {"nargs": "*", "metavar": "REASON"}, "--revive": {"action": "store_true", "help": "queue it again"}
        }),
    )  # fmt: skip
    steering: tuple[Action, ...] = (
        ("block", block, "have hosts asked no more; their URLs stay queued", named),
        ("unblock", partial(block, is_undone=True), "undo block", named),
        ("delay", delay, "set the least time between two fetches of a host, 0 removes it", {
            "host": {"metavar": "HOST"}, "seconds": {"type": float, "metavar": "SECONDS"}
        }),
    )  # fmt: skip
    carrying: tuple[Action, ...] = (
        ("export", export, "write everything, a JSON object a line; of a file also while the crawl runs", {"file": {"metavar": "FILE.jsonl|-"}}),
        ("import", import_records, 'add what such a file has and the queue does not; lines like {"url": "https://…"} will do', {"file": {"metavar": "FILE.jsonl|-"}}),
        ("rebuild", rebuild, "make a lost queue again from the store: its pages are done, the links that it has of them are queued", {}),
        ("move", move, "put everything into another frontier that has no URLs (each is a frontier's URL or a topic) and empty the first; when it was interrupted, run it again", {
            "source": {"metavar": "FROM"}, "target": {"metavar": "TO"}
        }),
    )  # fmt: skip
    return action_parser("frontier", WHICH, (*looking, *steering, *carrying))


def run(command: CliCommand, args: list[str], opts: argparse.Namespace) -> int:
    address, rest = split_address(args, FRONTIER_FORMS)
    wanted = actions().parse_args(rest)
    result: CommandResult | None = wanted.action(queue_places(command, opts.topic, address), wanted)
    return result.show(as_json=opts.json) if result else 0


def looked_at(places: Places, name: str = "") -> closing[Inspection]:
    """A queue to look at or steer, also while its crawl runs."""
    return closing(open_inspection(*places.find(name)))


def sizes(places: Places, _opts: argparse.Namespace) -> CommandResult:
    with looked_at(places) as inspection:
        counts = asdict(inspection.counts())
        states = list(inspection.hosts())
    blocked = sum(state.is_blocked for state in states)
    biggest = largest(states, 10)
    data = {"crawl": places.label(), **counts, "blocked_hosts": blocked, "largest": [asdict(host) for host in biggest]}
    line = "  ".join(f"{_(name)} {counts[name]:,}" for name in STATES)
    line += _(" ({count:,} blocked)", count=blocked) if blocked else ""
    lines = [fit(text, terminal_columns()) for text in (places.label(), line)]
    return CommandResult(data, "\n".join([*lines, "", _host_table(biggest)] if biggest else lines))


def hosts(places: Places, opts: argparse.Namespace) -> CommandResult:
    with looked_at(places) as inspection:
        states = largest(inspection.hosts(), opts.count)
    return CommandResult([asdict(state) for state in states], _host_table(states) if states else _("no host is known"))


def top(places: Places, opts: argparse.Namespace, *, is_worst: bool = False) -> CommandResult:
    with looked_at(places) as inspection:
        entries = inspection.bottom(opts.count) if is_worst else inspection.top(opts.count)
    rows = [[_("score"), _("depth"), _("tries"), _("URL")]]
    rows += [[_score(entry.score), str(entry.depth), str(entry.attempts), entry.url] for entry in entries]
    text = table(rows, right=(0, 1, 2), columns=terminal_columns()) if entries else _("nothing is queued")
    return CommandResult([asdict(entry) for entry in entries], text)


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
    columns = terminal_columns()
    rows = [(_("reason"), _("tries"), _("URL"))]
    rows += [(fit(url.reason, 20), str(url.entry.attempts), url.entry.url) for url in chosen]
    counts = Counter(url.reason for url in chosen).most_common()
    sums = ", ".join(f"{reason} {count:,}" for reason, count in counts)
    text = f"{table(rows, right=(1,), columns=columns)}\n\n{fit(sums, columns)}" if chosen else _("no URL was given up")
    return CommandResult([{**asdict(url.entry), "reason": url.reason} for url in chosen], text)


def largest(states: Iterable[HostState], count: int | None = None) -> list[HostState]:
    """The ``count`` hosts with the longest queues; None: all hosts."""
    return sorted(states, key=lambda state: (-state.queued - state.leased, state.host))[:count]


def _host_table(states: Sequence[HostState]) -> str:
    rows = [[_("host"), _("queued"), _("leased"), _("dead"), _("pages"), _("best"), _("delay"), _("state")]]
    for host in states:
        best = "-" if host.best is None else _score(host.best)
        own_delay = f"{host.delay_seconds:g} s" if host.delay_seconds else "-"
        state = _("rests {seconds} s", seconds=f"{host.rest_seconds:.1f}") if host.rest_seconds else ""
        counts = (host.queued, host.leased, host.dead, host.pages)
        said = _("blocked") if host.is_blocked else state
        rows.append([fit(host.host, 34), *(f"{n:,}" for n in counts), best, own_delay, said])
    return table(rows, right=range(1, 7), columns=terminal_columns())


def _score(score: float) -> str:
    """Scores of seeds, which are higher than any that a link policy gives, are shown as a power of ten."""
    return f"{score:.4f}" if abs(score) < 1e4 else f"{score:.0e}"


def block(places: Places, opts: argparse.Namespace, *, is_undone: bool = False) -> CommandResult:
    result = N_("unblocked") if is_undone else N_("blocked")
    with looked_at(places) as inspection:
        found = hosts_called(opts.hosts, inspection)
        changed = inspection.unblock(found) if is_undone else inspection.block(found)
    return CommandResult({result: found, "changed": changed}, labelled(_(result), _(", ").join(found)))


def delay(places: Places, opts: argparse.Namespace) -> CommandResult:
    with looked_at(places) as inspection:
        found = hosts_called([opts.host], inspection)
        for host in found:
            inspection.set_delay(host, opts.seconds)
    words = N_("{hosts}: rests at least {seconds:g} s after each fetch")
    if not opts.seconds:
        words = N_("{hosts}: no delay of its own any more")
    text = _(words, hosts=", ".join(found), seconds=opts.seconds)
    return CommandResult({"hosts": found, "delay_seconds": opts.seconds}, text)


def hosts_called(names: Sequence[str], inspection: Inspection) -> list[str]:
    """The queue's hosts, each once, that ``names`` (host:port, a URL, or a host for all its ports) mean; ConfigError for no match."""
    known = {state.host for state in inspection.hosts()}
    return list(dict.fromkeys(host for name in names for host in _called(name, known)))


def _called(name: str, known: Collection[str]) -> list[str]:
    url = canonicalize(name if "://" in name else f"http://{name}/") or ""
    has_port = "://" in name or name.rpartition(":")[2].isdigit()
    found = [host_key(url)] if has_port else sorted(key for key in known if key.rpartition(":")[0] == host_of(url))
    found = [name] if name in known else [host for host in found if host in known]
    if not found:
        raise ConfigError("host", name, "a host of the queue", "`scrapy frontier hosts` shows them")
    return found


RECORDS_AT_ONCE = 5_000
MOVED_FROM = "moved_from"
STANDARD = "-"


def owned(places: Places, name: str = "") -> closing[Inspection]:
    """A queue opened by this process alone; it is created if it does not exist."""
    return closing(own_inspection(*places.find(name), seed=places.options.seed))


def export(places: Places, opts: argparse.Namespace) -> CommandResult | None:
    count = -2  # the first and the last line are no records
    with looked_at(places) as inspection, _written(opts.file) as file:
        for line in lines_of(inspection.records(), places.label()):
            file.write(f"{line}\n")
            count += 1
    if opts.file == STANDARD:
        return None
    text = _("{path}: {count:,} records", path=opts.file, count=count)
    return CommandResult({"file": opts.file, "records": count}, text)


def import_records(places: Places, opts: argparse.Namespace) -> CommandResult:
    with _lines(opts.file) as lines, owned(places) as inspection:
        taken = _take_in(read_lines(lines, opts.file), inspection)
    return CommandResult(taken, _("{records:,} records, {new:,} new URLs", **taken))


def rebuild(places: Places, _opts: argparse.Namespace) -> CommandResult:
    folder = places.find()[1].parent
    with store_of_crawl(places.options, folder) as store, owned(places) as queue:
        topics = topics_in(folder)
        taken = {**_take_in(_as_records(store, topics), queue), "pages": queue.counts().pages}
    words = N_("{queue}: knows {pages:,} pages of the store, {new:,} URLs in all")
    return CommandResult(taken, _(words, queue=places.label(), **taken))


def _as_records(store: Store, topics: Sequence[str]) -> Iterator[Record]:
    urls = {url for topic in topics for url in store.urls(topic)}
    yield from (HostState(host, pages=pages) for host, pages in Counter(map(host_key, urls)).items())
    yield DoneUrls(tuple(map(fingerprint, urls)))
    for page, url, score in store.kept_links(crawl_name(*topics)):
        if url not in urls:  # sent together with DoneUrls, it would stay not done
            yield Entry(url, fingerprint(url), host_key(url), score, depth=1, referrer=page)


def move(places: Places, opts: argparse.Namespace) -> CommandResult:
    """The source is emptied only after the target has all records, so that at every moment one of them is complete."""
    if opts.source == opts.target:
        raise ConfigError("move", masked(opts.target), "another frontier than the first")
    source_name, target_name = masked(opts.source), masked(opts.target)
    with looked_at(places, opts.source):
        pass  # reports a queue that does not exist; ``owned`` would create it
    with owned(places, opts.source) as source:
        # running nodes would lose a queue that is moved away
        if nodes := sorted({lease.node for lease in source.leases() if lease.seconds_left > 0}):
            words = N_("{source_name}: {names} crawls on it; stop that first, or wait for its leases")
            raise CrawlRunning(_(words, source_name=source_name, names=", ".join(nodes)))
        before = source.counts()
        with owned(places, opts.target) as target:
            has = _urls(target.counts())
            # a target with URLs is that of another crawl, unless the URLs came from this source before
            if has and Fact(MOVED_FROM, source_name) not in target.records():
                hint = _("It has {count:,} URLs; `export` and `import` add to them", count=has)
                raise ConfigError("move", target_name, "an empty frontier", hint)
            target.take_in([Fact(MOVED_FROM, source_name)])
            taken = _take_in(source.records(), target)
            after = target.counts()
        if _urls(after) < _urls(before):
            words = N_("{target_name} has {after} of {before} URLs; {source_name} is kept")
            said = _(words, target_name=target_name, after=_urls(after), before=_urls(before), source_name=source_name)
            raise TopicSpiderError(said)
        source.clear()  # only now: the target is closed and on disk
    text = _("{records:,} records, {new:,} new URLs; {source} is empty now", source=source_name, **taken)
    return CommandResult(taken, text)


def _urls(counts: Counts) -> int:
    return counts.queued + counts.leased + counts.done + counts.dead


def _take_in(records: Iterable[Record], inspection: Inspection) -> dict[str, int]:
    """Add ``records`` to the queue; returns how many ``records`` there were and how many ``new`` URLs."""
    count = new = 0
    left = iter(records)
    while some := list(islice(left, RECORDS_AT_ONCE)):
        new += inspection.take_in(some)
        count += len(some)
    return {"records": count, "new": new}


@contextmanager
def _written(name: str) -> Iterator[IO[str]]:
    """A file that gets its name only when it is complete; "-" is stdout."""
    if name == STANDARD:
        yield sys.stdout
        return
    path = Path(name)
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        part.replace(path)
    except OSError as error:
        raise ConfigError("file", name, "a file that can be written", one_line(str(error))) from None
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _lines(name: str) -> Iterator[Iterator[str]]:
    try:
        with nullcontext(sys.stdin) if name == STANDARD else Path(name).open(encoding="utf-8-sig") as file:
            yield file
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("file", name, "a file in UTF-8 that can be read", one_line(str(error))) from None
