"""One round of calls to the parts of a spread crawl: how many hosts each is asked for, and what they say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from topicspider.errors import FrontierUnavailable
from topicspider.frontier.protocol import Grant, Lease, Work
from topicspider.frontier.redis.part import Part
from topicspider.frontier.redis.parting import outer_token
from topicspider.frontier.redis.question import NOTHING, Question

_RENEWED_AT = 1 / 8  # of a lease's time: a node talks at least each third, and begins no fetch in the second half
_FINAL = frozenset({"empty", "max_pages", "pages_per_host", "blocked"})
_WORTH_WAITING = ("resting", "leased", "restarted")


@dataclass(slots=True)
class Asking:
    """What a node asks for in this round, and what came of it so far. ``is_thorough``: whatever a part said before."""

    count: int  # of all parts
    question: Question = NOTHING  # its beat is taken along to every part that is called
    is_thorough: bool = False
    leases: list[Lease] = field(default_factory=list)
    new: int = 0
    is_heard: bool = False  # some part has answered
    asked: set[int] = field(default_factory=set)
    absent: set[int] = field(
        default_factory=set
    )  # not tried in this round: each part is told all that waits for it, or nothing
    troubles: list[FrontierUnavailable] = field(default_factory=list)

    @property
    def hosts_left(self) -> int:
        """How many hosts are still wanted."""
        return self.question.hosts - len(self.leases)

    def call(self, part: Part, work: Work, hosts: int) -> bool:
        """Tell and ask one part; whether it answered."""
        if part.number in self.absent or not part.may_try:
            if part.trouble is not None:
                self.troubles.append(part.trouble)
            return False
        try:
            grant, _, new = part.call(work, replace(self.question, hosts=hosts))
        except FrontierUnavailable as error:
            self.troubles.append(error)
            return False
        self.new += new
        self.is_heard = True
        if hosts >= 0:
            self.asked.add(part.number)
        self.leases += (
            Lease(one.host, outer_token(one.token, part.number, self.count), one.entries) for one in grant.leases
        )
        return True

    def wanted(self, part: Part, parts: Sequence[Part]) -> int:
        """So many hosts that the node holds as many of each part that may have some; -1: this is not to be asked."""
        if self.question.hosts <= 0:
            return self.question.hosts
        rivals = [one for one in parts if one is part or (one.number not in self.asked and self._may_give(one))]
        held = {one.number: one.frontier.held_hosts(self.question.node) for one in rivals}
        fair = -(-(sum(held.values()) + self.hosts_left) // len(rivals))
        return max(0, min(self.hosts_left, fair - held[part.number]))

    def in_turn(self, parts: Sequence[Part]) -> list[Part]:
        """Those of which the node holds fewest hosts first."""
        return sorted(parts, key=lambda part: part.frontier.held_hosts(self.question.node))

    def is_due(self, part: Part) -> bool:
        """Whether a part must be called although there is nothing to tell it."""
        if part.number in self.asked:
            return False
        if (self.is_thorough and self.question.hosts == 0) or (self.hosts_left > 0 and self._may_give(part)):
            return True
        return (
            self.question.renews
            and part.frontier.held_hosts(self.question.node) > 0
            and part.silent_seconds > self.question.lease_seconds * _RENEWED_AT
        )

    def _may_give(self, part: Part) -> bool:
        return part.may_try and (self.is_thorough or part.may_have)


def merged(asking: Asking, parts: Sequence[Part]) -> Grant:
    """What the parts, as each said last, say together. That all is over is to be looked at twice."""
    if asking.question.hosts < 0:
        return Grant((), None)
    leases = tuple(asking.leases)
    waits = [_wait_of(part, part.number in asking.asked) for part in parts if part.trouble is None]
    wait = min((seconds for seconds in waits if seconds is not None), default=None)
    if leases:
        return Grant(leases, wait)
    reason = "" if wait == 0 else _reason(parts)
    is_over = reason in _FINAL and all(part.trouble is None and not part.counts.leased for part in parts)
    return Grant((), wait, reason, is_over)


def _wait_of(part: Part, is_new: bool) -> float | None:
    seconds = part.grant.wait_seconds
    return seconds if seconds is None or is_new else max(0.0, seconds - part.seconds_since_grant)


def _reason(parts: Sequence[Part]) -> str:
    said = {part.grant.reason for part in parts}
    for reason in _WORTH_WAITING:
        if reason in said:
            return reason
    with_links = {part.grant.reason for part in parts if part.counts.queued}
    for reason in ("max_pages", "blocked", "pages_per_host", "leased"):
        if reason in with_links:
            return reason
    return "empty"
