"""Looks at a queue in Redis before a recrawl begins: its hosts, and that no node crawls on it."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from topicspider.errors import CrawlRunning
from topicspider.frontier.beats import ENDED
from topicspider.frontier.register import GONE

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from topicspider.frontier.inspection import HostState
    from topicspider.frontier.register import Register


def states_in_redis(url: str, default_path: Path) -> list[HostState]:
    """All hosts of the crawl; raises CrawlRunning when nodes are at work on it."""
    from topicspider.frontier.redis.opening import crawl_of, inspect_in_redis  # loads the driver

    with closing(inspect_in_redis(url, default_path)) as inspection:
        holders = [lease.node for lease in inspection.leases() if lease.seconds_left > 0]
        check_nobody_crawls(f"frontier in Redis, crawl {crawl_of(default_path)}", inspection.nodes(), holders)
        return list(inspection.hosts())


def check_nobody_crawls(label: str, register: Register, holders: Iterable[str] = ()) -> None:
    """Raise CrawlRunning for nodes that are there, or were a moment ago and may come back, and for ``holders`` of leases."""
    names = sorted({node.beat.name for node in register.nodes if node.state not in (ENDED, GONE)} or set(holders))
    if names:
        raise CrawlRunning(f"{label}: {', '.join(names)} crawls on it; stop that first, or wait for its leases")
