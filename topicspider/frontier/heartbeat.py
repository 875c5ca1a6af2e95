"""Heartbeats: the report that each node of a shared crawl sends every few seconds, and the state of all nodes derived from them."""

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
RATE_SECONDS = 60.0  # the window over which a node's rate (pages per second) is measured
WORKING, DRAINING, ENDED = "working", "draining", "ended"
DRAIN, STOP = "drain", "stop"  # requests to a node: finish the downloads in progress and end; or cancel them and end
DRAINED = "drained"  # the reason with which such a node ends
_NAME = re.compile(rf"[\w.-]{{1,{LONGEST_NAME}}}")
_NOT_OF_A_NAME = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """``name`` is for people and need not be unique. ``seconds``: time since the node started. ``rate``: pages per second.

    ``lease``: the length of the node's leases in seconds; a node that stays silent longer holds none any more. ``outages`` and ``away``:
    how often, and for how many seconds in total, the frontier did not answer the node; ``store_outages`` and ``store_away``: the same for
    the store. ``restarts``: how often the node noticed a restart of the frontier's server. ``reason``: why the node ended.
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
        """The heartbeat as JSON, as it is stored; each text field is cut to 60 characters, so its size is bounded."""
        kept = {key: value[:60] if isinstance(value, str) else value for key, value in asdict(self).items()}
        return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def read(cls, text: str, name: str) -> Heartbeat:
        """Parse ``text``. When it cannot be parsed, only ``name`` is set. Fields that this version does not know are ignored."""
        try:
            told = {"name": name, **json.loads(text)}
            return cls(**{key: type(usual)(told[key]) for key, usual in asdict(cls()).items() if key in told})
        except (ValueError, TypeError):
            return cls(name)


def node_name(wanted: str = "") -> str:
    """The name of this process for people: ``wanted`` (TOPICSPIDER_NODE), else "MACHINE-PID". Raises ConfigError for an invalid name."""
    if wanted:
        return check_name(wanted)
    process = f"-{os.getpid()}"
    return machine_name()[: LONGEST_NAME - len(process)] + process


def machine_name() -> str:
    """The host name of this machine, reduced to the characters that a node's name may have."""
    return _NOT_OF_A_NAME.sub("-", socket.gethostname()).strip("-") or "node"


def check_name(wanted: str) -> str:
    """Return ``wanted`` if it is a valid node name; else raise ConfigError."""
    if wanted and not _NAME.fullmatch(wanted):
        allowed = _("up to {longest_name} letters of any script, digits, and . _ -", longest_name=LONGEST_NAME)
        raise ConfigError(setting_name("node"), wanted, allowed)
    return wanted


class RateMeter:
    """Measures pages per second over the last minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._looks: deque[tuple[float, int]] = deque([(clock(), 0)])

    def look(self, pages: int) -> float:
        """Record the number of pages so far. Returns pages per second over the last minute, or since the start if that is shorter."""
        now = self._clock()
        self._looks.append((now, pages))
        while len(self._looks) > 2 and self._looks[1][0] <= now - RATE_SECONDS:
            self._looks.popleft()
        began, before = self._looks[0]
        return (pages - before) / (now - began) if now > began else 0.0


SILENT_SECONDS = 15.0  # three missing heartbeats; one is due every 5 s at the latest (node.LONGEST_SILENCE)
IDLE, SILENT, GONE = "idle", "silent", "gone"


@dataclass(frozen=True, slots=True)
class NodeState:
    """``key``: the node's unique name in its leases. ``silent_seconds``: time since its last heartbeat, None if no heartbeat is stored."""

    key: str
    heartbeat: Heartbeat
    silent_seconds: float | None = None
    asked: str = ""
    hosts: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """working, idle (holds no host), draining, ended, silent (the node or its connection to Redis has a problem), or gone.

        A node is gone when it has been silent for longer than its leases last: all its leases have expired.
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
        """Whether the node sent a heartbeat recently and has not ended."""
        return self.state not in (ENDED, GONE, SILENT)


@dataclass(frozen=True, slots=True)
class ClusterStatus:
    """``nodes``: active ones first, then the others, most recently heard first.

    ``handed_out_again``: URLs whose leases expired without a report from their node. ``pages``: pages of the crawl, by all nodes ever.
    """

    nodes: tuple[NodeState, ...]
    handed_out_again: int = 0
    pages: int = 0

    @property
    def rate(self) -> float:
        """Pages per second of all active nodes together, each measured over its last minute."""
        return sum(node.heartbeat.rate for node in self.nodes if node.is_there)

    def called(self, name: str) -> list[NodeState]:
        """The nodes with this name or key that have not ended and are not gone."""
        return [
            node for node in self.nodes if name in (node.heartbeat.name, node.key) and node.state not in (ENDED, GONE)
        ]


def cluster_status_of(
    heartbeats: Mapping[str, tuple[float, str, str]],
    held: Iterable[tuple[str, str]],
    handed_out_again: int = 0,
    pages: int = 0,
) -> ClusterStatus:
    """``heartbeats`` by node key: (seconds since the last one, its text, the request to the node). ``held``: (host, node key) of each
    lease.

    A node that is not active and holds no host is left out when an active or more recently heard node has the same name.
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
