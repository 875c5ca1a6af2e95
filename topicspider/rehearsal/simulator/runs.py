"""What the simulator reports: the pages that one policy fetched from one set of seeds, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Fetched:
    """One page, in the order in which downloads ended.

    ``score`` and ``on_topic``: what the guide said of it. ``ended``: virtual seconds since the start.
    ``value``: what it was worth in the queue; ``referrer``, ``anchor`` and ``parts`` tell of the link that gave it that
    value (empty for seeds, and where the bounded memory of links has let go of it).
    """

    url: str
    fingerprint: int
    host: str
    score: float
    on_topic: bool
    depth: int
    ended: float
    value: float
    referrer: str = ""
    anchor: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """One policy from one set of seeds; everything but ``cpu_seconds`` and ``peak_mb`` is the same on every machine.

    ``repeat``: the number of the seed set. ``ended``: ``max_pages``, ``empty`` when the queue ran dry, or what the stop rule said. ``dead``,
    ``redirects``, ``forbidden`` (by robots.txt): answers that were no page and cost none. ``pruned``: links by reason.
    ``seconds``: virtual, from the start to the last download's end. ``simhashes``: of the fetched pages, in their order.
    """

    policy: str
    server_policy: str
    repeat: int
    seeds: tuple[str, ...]
    fetched: tuple[Fetched, ...]
    simhashes: tuple[int, ...] = ()
    ended: str = "max_pages"
    dead: int = 0
    redirects: int = 0
    forbidden: int = 0
    links: int = 0
    pruned: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_mb: float = 0.0
