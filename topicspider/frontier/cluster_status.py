"""Who crawls on a shared frontier: each node with what it said last, what it holds, and what they do together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from topicspider.frontier.heartbeat import DRAINING, ENDED, Heartbeat

SILENT_SECONDS = 15.0  # three beats are missing
IDLE, SILENT, GONE = "idle", "silent", "gone"


@dataclass(frozen=True, slots=True)
class NodeState:
    """``key`` is the node's name in leases, and no other's; ``silent_seconds``: since its last beat, None when none was kept."""

    key: str
    beat: Heartbeat
    silent_seconds: float | None = None
    asked: str = ""
    hosts: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """working, idle (it holds no host), draining, ended, silent (it, or its way to Redis, is in trouble), or gone.

        Gone is who is silent for longer than its leases last: nothing is leased to it any more.
        """
        if self.beat.state == ENDED:
            return ENDED
        if self.silent_seconds is None or self.silent_seconds > max(SILENT_SECONDS, self.beat.lease):
            return GONE
        if self.silent_seconds > SILENT_SECONDS:
            return SILENT
        if self.beat.state == DRAINING:
            return DRAINING
        return self.beat.state if self.hosts else IDLE

    @property
    def is_there(self) -> bool:
        """Whether it was heard of a moment ago, and goes on."""
        return self.state not in (ENDED, GONE, SILENT)


@dataclass(frozen=True, slots=True)
class ClusterStatus:
    """``nodes``: those that are there first, then those that were heard of last.

    ``duplicates``: pages of which it is known that they were fetched twice, since a node told of one after its lease had ended;
    ``handed_out_again``: URLs whose leases ended without a word: whether they were fetched before, the node that had them knows.
    ``alone``: pages a second of the best minute in which no other node was there, 0 when there was none yet. ``pages``: of the
    crawl, by all nodes that there ever were.
    """

    nodes: tuple[NodeState, ...]
    duplicates: int = 0
    handed_out_again: int = 0
    alone: float = 0.0
    pages: int = 0

    @property
    def rate(self) -> float:
        """Pages a second of all that are there, each over its last minute."""
        return sum(node.beat.rate for node in self.nodes if node.is_there)

    @property
    def one(self) -> float:
        """Pages a second of one node: alone, when one ever was for a minute, else of the fastest that is there."""
        return self.alone or max((node.beat.rate for node in self.nodes if node.is_there), default=0.0)

    @property
    def speed_up(self) -> float | None:
        """How many times as many pages a second as one node; None while nothing is fetched."""
        return self.rate / self.one if self.one and self.rate else None

    def called(self, name: str) -> list[NodeState]:
        """Those that are there, or silent, and have this name or this key."""
        return [node for node in self.nodes if name in (node.beat.name, node.key) and node.state not in (ENDED, GONE)]


def cluster_status_of(
    beats: Mapping[str, tuple[float, str, str]],
    held: Iterable[tuple[str, str]],
    duplicates: int = 0,
    handed_out_again: int = 0,
    alone: float = 0.0,
    pages: int = 0,
) -> ClusterStatus:
    """``beats``: of each node seconds since it was heard of, its text and what it is asked; ``held``: hosts with their nodes.

    Of nodes that have ended or are gone, one whose name another has by now is left out.
    """
    hosts: dict[str, list[str]] = {key: [] for key in beats}
    for host, key in held:
        hosts.setdefault(key, []).append(host)
    nodes = [_state(key, beats.get(key), sorted(names)) for key, names in hosts.items()]
    nodes.sort(key=lambda node: (not node.is_there, _heard(node) if not node.is_there else 0.0, node.key))
    taken: set[str] = set()
    shown = []
    for node in nodes:
        if node.is_there or node.hosts or node.beat.name not in taken:
            shown.append(node)
        taken.add(node.beat.name)
    return ClusterStatus(tuple(shown), duplicates, handed_out_again, alone, pages)


def _state(key: str, told: tuple[float, str, str] | None, hosts: list[str]) -> NodeState:
    if told is None:
        return NodeState(key, Heartbeat(key), hosts=tuple(hosts))
    seconds, text, asked = told
    return NodeState(key, Heartbeat.read(text, key), max(0.0, seconds), asked, tuple(hosts))


def _heard(node: NodeState) -> float:
    return float("inf") if node.silent_seconds is None else node.silent_seconds
