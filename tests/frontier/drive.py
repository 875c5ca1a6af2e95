"""What frontier tests say often: an entry, a completion, a crawl to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.frontier.protocol import Completion, End, Entry, HostTiming, Work

if TYPE_CHECKING:
    from collections.abc import Iterable

    from topicspider.frontier.protocol import Frontier, Grant, Lease


def entry(number: int, score: float = 0.0, host: str = "旅游.example:80", **fields: object) -> Entry:
    return Entry(url=f"http://{host}/页/{number}", fingerprint=number, host=host, score=score, **fields)  # type: ignore[arg-type]


def add(frontier: Frontier, *entries: Entry) -> int:
    return frontier.apply(Work(entries=entries))


def take(frontier: Frontier, hosts: int = 1, urls_per_host: int = 1, lease_seconds: float = 60.0) -> Grant:
    return frontier.acquire("node-1", hosts, urls_per_host, lease_seconds)


def ends(lease: Lease, end: End = End.PAGE, reason: str = "") -> list[Completion]:
    return [Completion(one.fingerprint, lease.host, lease.token, end, reason) for one in lease.entries]


def finish(frontier: Frontier, leases: Iterable[Lease], end: End = End.PAGE, reason: str = "") -> None:
    frontier.apply(Work(completions=[done for lease in leases for done in ends(lease, end, reason)]))


def rest(frontier: Frontier, host: str, seconds: float) -> None:
    frontier.apply(Work(timings={host: HostTiming(rest_seconds=seconds)}))


def drain(frontier: Frontier, hosts: int = 1, urls_per_host: int = 1) -> list[int]:
    """The fingerprints in the order in which they leave, each completed as a page."""
    order = []
    while leases := take(frontier, hosts, urls_per_host).leases:
        order += [one.fingerprint for lease in leases for one in lease.entries]
        finish(frontier, leases)
    return order
