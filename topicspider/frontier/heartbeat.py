"""Heartbeats: what each node of a shared crawl reports every few seconds, and the state of all nodes that follows from them."""

from __future__ import annotations

import json
import os
import re
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass

from topicspider.errors import ConfigError
from topicspider.i18n import gettext as _
from topicspider.setting_rules import setting_name

LONGEST_NAME = 40
RATE_SECONDS = 60.0  # a node's pages a second are those of its last minute
WORKING, DRAINING, ENDED = "working", "draining", "ended"
DRAIN, STOP = "drain", "stop"  # what a node may be asked: to finish what it has in work and end; to break that off
DRAINED = "drained"  # why it has ended then
_NAME = re.compile(rf"[\w.-]{{1,{LONGEST_NAME}}}")
_NOT_OF_A_NAME = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """``name`` is for readers, and need not be the only one of that name. ``seconds``: since the node began; ``rate``: pages a second.

    ``lease``: seconds after which nothing is leased to a node that says no more; ``away``: seconds for which its frontier did not
    answer, in ``outages`` times; ``restarts``: how often its server came back anew; ``reason``: why it has ended;
    ``store_outages``, ``store_away``: how often, and for how many seconds, the store did not answer it.
    """

    name: str = ""
    state: str = WORKING
    seconds: float = 0.0
    pages: int = 0
    hits: int = 0
    rate: float = 0.0
    lease: float = 0.0
    outages: int = 0
    away: float = 0.0
    restarts: int = 0
    reason: str = ""
    store_outages: int = 0
    store_away: float = 0.0

    def text(self) -> str:
        """As it is kept: bounded, whatever a machine is called."""
        kept = {key: value[:60] if isinstance(value, str) else value for key, value in asdict(self).items()}
        return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def read(cls, text: str, name: str) -> Heartbeat:
        """What ``text`` says; where it cannot be read only the ``name``. Fields of other versions are passed over."""
        try:
            told = {"name": name, **json.loads(text)}
            return cls(**{key: type(usual)(told[key]) for key, usual in asdict(cls()).items() if key in told})
        except (ValueError, TypeError):
            return cls(name)


def node_name(wanted: str = "") -> str:
    """What to call this process: ``wanted`` (TOPICSPIDER_NODE), else its machine and its number; raises ConfigError."""
    if wanted:
        return check_name(wanted)
    process = f"-{os.getpid()}"
    return machine_name()[: LONGEST_NAME - len(process)] + process


def machine_name() -> str:
    """What this machine calls itself, as far as it may be part of a node's name."""
    return _NOT_OF_A_NAME.sub("-", socket.gethostname()).strip("-") or "node"


def check_name(wanted: str) -> str:
    """``wanted``, when it may be the name of a node; raises ConfigError."""
    if wanted and not _NAME.fullmatch(wanted):
        allowed = _("up to {longest_name} letters of any script, digits, and . _ -", longest_name=LONGEST_NAME)
        raise ConfigError(setting_name("node"), wanted, allowed)
    return wanted


class RateMeter:
    """Pages a second over the last minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._looks: deque[tuple[float, int]] = deque([(clock(), 0)])

    def look(self, pages: int) -> float:
        """Note the number of pages so far; returns the rate of the last minute, or since the start."""
        now = self._clock()
        self._looks.append((now, pages))
        while len(self._looks) > 2 and self._looks[1][0] <= now - RATE_SECONDS:
            self._looks.popleft()
        began, before = self._looks[0]
        return (pages - before) / (now - began) if now > began else 0.0


SILENT_SECONDS = 15.0  # three heartbeats are missing
IDLE, SILENT, GONE = "idle", "silent", "gone"


@dataclass(frozen=True, slots=True)
class NodeState:
    """``key`` is the node's name in leases, and no other's; ``silent_seconds``: since its last heartbeat, None when none was kept."""

    key: str
    heartbeat: Heartbeat
    silent_seconds: float | None = None
    asked: str = ""
    hosts: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """working, idle (it holds no host), draining, ended, silent (it, or its way to Redis, is in trouble), or gone.

        Gone is who is silent for longer than its leases last: nothing is leased to it any more.
        """
        if self.heartbeat.state == ENDED:
            return ENDED
        if self.silent_seconds is None or self.silent_seconds > max(SILENT_SECONDS, self.heartbeat.lease):
            return GONE
        if self.silent_seconds > SILENT_SECONDS:
            return SILENT
        if self.heartbeat.state == DRAINING:
            return DRAINING
        return self.heartbeat.state if self.hosts else IDLE

    @property
    def is_there(self) -> bool:
        """Whether it was heard of a moment ago, and goes on."""
        return self.state not in (ENDED, GONE, SILENT)


@dataclass(frozen=True, slots=True)
class ClusterStatus:
    """``nodes``: those that are there first, then those that were heard of last.

    ``handed_out_again``: URLs whose leases ended without a word. ``pages``: of the crawl, by all nodes that there ever were.
    """

    nodes: tuple[NodeState, ...]
    handed_out_again: int = 0
    pages: int = 0

    @property
    def rate(self) -> float:
        """Pages a second of all that are there, each over its last minute."""
        return sum(node.heartbeat.rate for node in self.nodes if node.is_there)

    def called(self, name: str) -> list[NodeState]:
        """Those that are there, or silent, and have this name or this key."""
        return [
            node for node in self.nodes if name in (node.heartbeat.name, node.key) and node.state not in (ENDED, GONE)
        ]


def cluster_status_of(
    heartbeats: Mapping[str, tuple[float, str, str]],
    held: Iterable[tuple[str, str]],
    handed_out_again: int = 0,
    pages: int = 0,
) -> ClusterStatus:
    """``heartbeats``: of each node seconds since it was heard of, its text and what it is asked; ``held``: hosts with their nodes.

    Of nodes that have ended or are gone, one whose name another has by now is left out.
    """
    hosts: dict[str, list[str]] = {key: [] for key in heartbeats}
    for host, key in held:
        hosts.setdefault(key, []).append(host)
    nodes = []
    for key, names in hosts.items():
        seconds, text, asked = heartbeats.get(key, (None, "", ""))
        silent_seconds = None if seconds is None else max(0.0, seconds)
        nodes.append(NodeState(key, Heartbeat.read(text, key), silent_seconds, asked, tuple(sorted(names))))
    nodes.sort(key=lambda node: (0.0 if node.is_there else 1.0 + _heard(node), node.key))
    taken: set[str] = set()
    shown = []
    for node in nodes:
        if node.is_there or node.hosts or node.heartbeat.name not in taken:
            shown.append(node)
        taken.add(node.heartbeat.name)
    return ClusterStatus(tuple(shown), handed_out_again, pages)


def _heard(node: NodeState) -> float:
    return float("inf") if node.silent_seconds is None else node.silent_seconds
