"""``scrapy nodes``: shows which nodes crawl on a shared queue and how fast, and asks nodes to end."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import UsageError

from topicspider.cli.command import CliCommand, CommandResult, add_format_options, add_topic_option, terminal_columns
from topicspider.cli.crawl_data import FRONTIER_FORMS, queue_places, split_address
from topicspider.errors import ConfigError
from topicspider.frontier.factory import is_in_redis
from topicspider.frontier.heartbeat import DRAIN, ENDED, STOP, ClusterStatus, NodeState
from topicspider.i18n import N_, ngettext, outage_words
from topicspider.i18n import gettext as _
from topicspider.text.terminal import fit, table, wrap

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from topicspider.frontier.redis.inspection import RedisInspection

ALL, GONE = "all", "gone"
SYNTAX = "[--topic NAME | FRONTIER-URL] [drain NODE ... | stop NODE ...] [--hosts] [--json]"
ABOUT = (
    "Without an action: every node with its state, hosts, pages, pages/s over its last minute, and when it was heard of last. "
    "`drain` asks nodes to take no new URLs, finish what is in work, and end; `stop` has them break that off. What they have not "
    f"begun goes back to the queue at once. NODE is a name as shown, or {ALL}. The queue in Redis is that of a topic "
    "(--topic, else TOPICSPIDER_TOPIC), or the one that FRONTIER-URL names."
)
STATES = (N_("working"), N_("idle"), N_("draining"), N_("ended"), N_("silent"), N_("gone"))
ASKED = {DRAIN: N_("asked to drain"), STOP: N_("asked to stop")}


def add_options(parser: argparse.ArgumentParser) -> None:
    add_topic_option(parser)
    add_format_options(parser)
    parser.add_argument("--hosts", action="store_true", help="list the hosts that each node holds")


def run(command: CliCommand, args: list[str], opts: argparse.Namespace) -> int:
    address, rest = split_address(args, FRONTIER_FORMS)
    if rest and (rest[0] not in ASKED or len(rest) == 1):
        raise UsageError(_("nodes {names}: say `scrapy nodes {syntax}`", names=" ".join(rest), syntax=SYNTAX))
    places = queue_places(command, opts.topic, address)
    url, path = places.find()
    if not is_in_redis(url):
        hint = "A queue in a file has one node; Ctrl-C or SIGTERM ends it in order"
        raise ConfigError("TOPICSPIDER_FRONTIER", url, "redis://…, for a crawl of several nodes", hint)
    from topicspider.frontier.redis.opening import inspect_in_redis  # loads the driver

    with closing(inspect_in_redis(url, path)) as queue:
        result = ask(queue, *rest) if rest else show(places.label(), queue.nodes(), with_hosts=opts.hosts)
    return result.show(as_json=opts.json)


def show(crawl: str, register: ClusterStatus, *, with_hosts: bool) -> CommandResult:
    columns = terminal_columns()
    there = sum(node.is_there for node in register.nodes)
    together = ngettext(
        "{count} node, {rate:.1f} pages/s; {pages:,} pages, {again:,} URLs handed out again",
        "{count} nodes, {rate:.1f} pages/s; {pages:,} pages, {again:,} URLs handed out again",
        there,
        rate=register.rate,
        pages=register.pages,
        again=register.handed_out_again,
    )
    lines = [fit(crawl, columns), *wrap(together, columns)]
    present = [node for node in register.nodes if node.state not in (ENDED, GONE) or node.hosts]
    shown = [*present, *[node for node in register.nodes if node not in present][:10]]
    if shown:
        lines += ["", _table(shown, columns)]
    lines += [line for node in shown for line in wrap(_happened(node), columns) if line]
    for node in present if with_hosts else ():
        lines += ["", f"{node.heartbeat.name}:", *(fit(f"  {host}", columns) for host in node.hosts)]
    return CommandResult(nodes_as_json(crawl, register), "\n".join(lines))


def ask(queue: RedisInspection, wish: str, *names: str) -> CommandResult:
    """Ask the nodes with these names to end; raises ConfigError for a name that no node has."""
    register = queue.nodes()
    chosen = {node.key: node for name in names for node in _called(register, name)}
    asked = [node.heartbeat.name for key, node in chosen.items() if queue.ask(key, wish)]
    words = N_("{asked}: {nodes}; read within seconds, and what is leased is given back then")
    text = _(words, asked=_(ASKED[wish]), nodes=", ".join(asked))
    return CommandResult({"asked": wish, "nodes": asked}, "\n".join(wrap(text, terminal_columns())))


def _called(register: ClusterStatus, name: str) -> list[NodeState]:
    there = [node for node in register.nodes if node.state not in (ENDED, GONE)]
    found = there if name == ALL else register.called(name)
    if not found:
        names = sorted({node.heartbeat.name for node in there})
        raise ConfigError("node", name, ", ".join([*names, ALL]) if names else "none, as no node is there")
    return found


def _table(nodes: Sequence[NodeState], columns: int) -> str:
    rows = [[_("node"), _("state"), _("hosts"), _("pages"), _("hits"), _("pages/s"), _("up"), _("heard")]]
    for node in nodes:
        heartbeat = node.heartbeat
        numbers = [f"{len(node.hosts):,}", f"{heartbeat.pages:,}", f"{heartbeat.hits:,}", f"{heartbeat.rate:.1f}"]
        spans = [_span(heartbeat.seconds), _span(node.silent_seconds)]
        rows.append([fit(heartbeat.name, 24), _(node.state), *numbers, *spans])
    return table(rows, right=range(2, 8), columns=columns)


def _happened(node: NodeState) -> str:
    """What happened to a node, and what it was asked to do; "" for nothing."""
    heartbeat = node.heartbeat
    words = [_(ASKED[node.asked])] if node.asked in ASKED and node.state != ENDED else []
    words += outage_words("Redis", heartbeat.outages, heartbeat.away, heartbeat.restarts)
    words += outage_words(_("store"), heartbeat.store_outages, heartbeat.store_away)
    words += [_("ended: {reason}", reason=heartbeat.reason)] if heartbeat.reason else []
    return f"{fit(heartbeat.name, 24)}: {_('; ').join(words)}" if words else ""


def nodes_as_json(crawl: str, register: ClusterStatus) -> dict[str, Any]:
    plain = ("key", "state", "silent_seconds", "asked", "hosts")
    nodes = [{**asdict(node.heartbeat), **{name: getattr(node, name) for name in plain}} for node in register.nodes]
    return {
        "crawl": crawl,
        "nodes": nodes,
        "pages_per_second": round(register.rate, 3),
        "pages": register.pages,
        "handed_out_again": register.handed_out_again,
    }


def _span(seconds: float | None) -> str:
    """The time in the largest unit of which it has at least two."""
    if seconds is None:
        return "–"
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
