"""What acquire says beside its leases: how long to wait, why there was nothing, whether all is over."""

from __future__ import annotations

from dataclasses import dataclass

from topicspider.frontier.protocol import Grant, Lease

_FINAL = frozenset({"empty", "max_pages", "pages_per_host", "blocked"})


@dataclass(frozen=True, slots=True)
class Standing:
    """How things stand after an acquire.

    ``room``: URLs that may still be granted. ``is_ready_left``: one more host could be leased now.
    ``rest_ends_in``: seconds till the first unleased host with URLs has rested; None: there is none.
    ``lease_ends_in``: seconds till the first lease ends, when leased hosts have more queued; else None.
    ``is_blocked_left``: a blocked host has more queued than is leased; it may be False while anything else is left.
    """

    queued: int
    leased: int
    room: int
    is_ready_left: bool
    rest_ends_in: float | None
    lease_ends_in: float | None
    is_blocked_left: bool = False


def grant_of(leases: list[Lease], standing: Standing) -> Grant:
    """The Grant for these leases."""
    reason = "" if leases else _reason(standing)
    exhausted = reason in _FINAL and standing.leased == 0
    return Grant(tuple(leases), _wait_seconds(standing), reason, exhausted)


def _wait_seconds(standing: Standing) -> float | None:
    if not standing.room:
        return None
    if standing.is_ready_left:
        return 0.0
    wait = standing.lease_ends_in if standing.rest_ends_in is None else standing.rest_ends_in
    return None if wait is None else max(0.0, wait)


def _reason(standing: Standing) -> str:
    if not standing.room:
        return "max_pages"
    if not standing.queued:
        return "empty"
    if standing.is_ready_left:
        return ""
    if standing.rest_ends_in is not None:
        return "resting"
    if standing.lease_ends_in is not None:
        return "leased"
    return "blocked" if standing.is_blocked_left else "pages_per_host"
