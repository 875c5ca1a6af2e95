"""PartitionedFrontier: the hosts of one crawl spread over several Redis masters, so that neither memory nor speed ends with one."""

from __future__ import annotations

import heapq
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import astuple, replace
from itertools import chain, zip_longest
from typing import TypeVar

from topicspider.errors import FrontierUnavailable
from topicspider.frontier.beats import NO_BEAT, BeatLine
from topicspider.frontier.protocol import Counts, Entry, Grant, Work
from topicspider.frontier.redis import letters
from topicspider.frontier.redis.asking import Asking, merged
from topicspider.frontier.redis.frontier import RedisFrontier
from topicspider.frontier.redis.part import POLL_SECONDS, Part
from topicspider.frontier.redis.parting import Divider, Share, inner_token, part_of
from topicspider.frontier.redis.question import Question
from topicspider.frontier.redis.shares import PageShares

logger = logging.getLogger(__name__)
_T = TypeVar("_T")


class PartitionedFrontier:
    """See Frontier for the promises. Each host belongs to one part, by a hash of its name; each part is a RedisFrontier.

    A page is acknowledged in its part after its links are durable in theirs (F1). Parts are asked for hosts in turn, the one of
    which a node holds fewest first: hosts are ranked within a part. While a part is away the others go on: links for it are kept
    as letters in another part, and what became of its own pages in this process, until it answers. What this process would have
    to keep makes ``apply`` raise, after it has told the others what they may be told; told again it does no harm.
    """

    def __init__(
        self,
        frontiers: Sequence[RedisFrontier],
        max_pages: int | None,
        claim: Callable[[], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``claim`` has every server know that it is one of these: one that has lost everything forgets it."""
        self._parts = [Part(number, frontier, clock) for number, frontier in enumerate(frontiers)]
        self._count = len(self._parts)
        self._divider = Divider(self._count)
        self._shares = PageShares(frontiers)
        self._claim, self._clock = claim, clock
        self._restarts = self.restarts
        self._may_allot_at = 0.0
        self._limit = max_pages
        self._shares.begin(max_pages)

    # --- what a crawl calls ----------------------------------------------------------------------

    @property
    def restarts(self) -> int:
        """Rises when one of the servers was started again and may have forgotten what it had confirmed."""
        return sum(part.frontier.restarts for part in self._parts)

    @property
    def outages(self) -> tuple[int, float]:
        """How often one of the servers was away, and for how many seconds in all; each counts for itself."""
        times, seconds = zip(*(part.outages for part in self._parts), strict=True)
        return sum(times), sum(seconds)

    @property
    def asked(self) -> str:
        """What somebody asked this node to do, as any part that it spoke to knows."""
        return next(filter(None, (part.frontier.asked for part in self._parts)), "")

    def turn(
        self, work: Work, node: str, hosts: int, urls_per_host: int, lease_seconds: float, beat: BeatLine = NO_BEAT
    ) -> tuple[Grant, Counts]:
        """``apply``, ``renew``, ``acquire`` and ``counts``; raises only when no part answers."""
        asking = Asking(self._count, Question(node, hosts, urls_per_host, lease_seconds, beat=beat))
        self._exchange(work, asking)
        grant = merged(asking, self._parts)
        if grant.exhausted or (asking.hosts_left > 0 and self._may_allot() and self._lacks_pages()):
            asking.asked.clear()
            grant = self._ask_all(asking)
        return grant, self._known_counts()

    def acquire(self, node: str, hosts: int, urls_per_host: int, lease_seconds: float) -> Grant:
        """Lease up to ``hosts`` hosts with up to ``urls_per_host`` URLs each, of each part its best ones."""
        return self._ask_all(Asking(self._count, Question(node, hosts, urls_per_host, lease_seconds, renews=False)))

    def apply(self, work: Work) -> int:
        """Do everything in ``work``; returns how many entries were new."""
        asking = Asking(self._count)
        self._exchange(work, asking, is_strict=True)
        return asking.new

    def renew(self, node: str, lease_seconds: float) -> None:
        """Have the leases that ``node`` holds end ``lease_seconds`` from now."""
        for part in self._parts:
            if part.frontier.held_hosts(node):
                part.call(Work(), Question(node, lease_seconds=lease_seconds))

    def holds(self, host: str, token: int) -> bool:
        """Whether that lease is still ours, as far as the last call knew."""
        part = self._part_of(host)
        inner = inner_token(token, part.number, self._count)
        return inner is not None and part.frontier.holds(host, inner)

    def holds_host(self, host: str) -> bool:
        """Whether any lease of ``host`` is ours, as far as the last call knew."""
        return self._part_of(host).frontier.holds_host(host)

    def silent_seconds(self, host: str) -> float:
        """How long the part of ``host`` has not renewed leases: it may be away while the others are not (F2)."""
        return self._part_of(host).silent_seconds

    # --- views -----------------------------------------------------------------------------------

    def known(self, fingerprints: Sequence[int]) -> set[int]:
        """Those of ``fingerprints`` that were ever added."""
        return set().union(*(part.frontier.known(fingerprints) for part in self._parts))

    def counts(self) -> Counts:
        """Where the URLs are now; of a part that is away, where they were."""
        errors = [error for part in self._parts if (error := self._look(part)) is not None]
        if len(errors) == self._count:
            raise errors[0]
        return self._known_counts()

    def peek(self, limit: int = 20) -> list[Entry]:
        """The best queued URLs over all hosts."""
        found = self._ask_each(lambda frontier: frontier.peek(limit))
        return list(heapq.merge(*found, key=lambda entry: -entry.score))[: max(0, limit)]

    def failures(self, limit: int = 20) -> list[tuple[str, str, int]]:
        """Dead URLs: of each part the newest first, in turn."""
        found = self._ask_each(lambda frontier: frontier.failures(limit))
        return [one for one in chain.from_iterable(zip_longest(*found)) if one is not None][: max(0, limit)]

    def meta(self, key: str) -> str:
        """A fact about the crawl, as any part knows it."""
        return next(filter(None, self._ask_each(lambda frontier: frontier.meta(key))), "")

    def set_meta(self, key: str, value: str) -> None:
        """Keep a fact about the crawl, in every part that answers."""
        list(self._ask_each(lambda frontier: frontier.set_meta(key, value)))

    # --- its end ---------------------------------------------------------------------------------

    def clear(self) -> None:
        """Forget everything; every part must answer."""
        for part in self._parts:
            letters.forget(part.frontier)
            part.frontier.clear()
            part.late.clear()
        self._shares.allot()

    def forget_recent(self) -> None:
        """Tell nothing again after a restart."""
        for part in self._parts:
            part.frontier.forget_recent()

    def close(self) -> None:
        """Give the connections back."""
        late = sum(len(part.late.completions) for part in self._parts)
        if late:
            logger.warning("The ends of %d fetches could not be told: those pages will be fetched again", late)
        for part in self._parts:
            part.frontier.close()

    # --- telling ---------------------------------------------------------------------------------

    def _exchange(self, work: Work, asking: Asking, *, is_strict: bool = False) -> None:
        asking.absent = {part.number for part in self._parts if not part.may_try}
        shares = [
            share if part.number in asking.absent else part.late.before(share)  # what waits is not looked at in vain
            for part, share in zip(self._parts, self._divider.shares(work), strict=True)
        ]
        left = self._tell(shares, asking)
        self._ask_more(asking)
        is_untold = any(share.has_links or share.has_ends for share in left)
        is_all_away = all(part.trouble is not None for part in self._parts)
        is_in_vain = is_all_away and not asking.leases  # what was granted meanwhile must reach the node
        troubles = [*asking.troubles, *(part.trouble for part in self._parts if part.trouble is not None)]
        if is_in_vain or (asking.troubles and is_strict and is_untold):
            trouble = troubles[0]
            raise FrontierUnavailable(trouble.what, trouble.why, trouble.hint)
        for part, share in zip(self._parts, left, strict=True):
            if part.number not in asking.absent:
                part.late.clear()
            part.late.add(share)
        self._after_restarts()

    def _tell(self, shares: list[Share], asking: Asking) -> list[Share]:
        """Tell all links, then what became of fetches; returns what is left to tell."""
        left = [Share() for _ in shares]
        enders = [part for part, share in zip(self._parts, shares, strict=True) if share.has_ends]
        last = enders[-1] if enders else None  # its links and ends need one call
        are_links_safe = True
        for part, share in zip(self._parts, shares, strict=True):
            if part is last or not share.has_links:
                continue
            hosts = -1 if share.has_ends else asking.wanted(part, self._parts)
            if not asking.call(part, share.links(), hosts):
                are_links_safe &= self._leave_letter(part, share, left)
        if last is not None:
            self._tell_ends(last, shares, left, asking, are_links_safe=are_links_safe)
        return left

    def _tell_ends(
        self, last: Part, shares: list[Share], left: list[Share], asking: Asking, *, are_links_safe: bool
    ) -> None:
        share = shares[last.number]
        work = share.whole() if are_links_safe else share.links()
        is_told = asking.call(last, work, asking.wanted(last, self._parts))
        if not is_told:
            are_links_safe &= self._leave_letter(last, share, left)
        if not (is_told and are_links_safe):
            _keep_ends(left[last.number], share)
        for part, share in zip(self._parts, shares, strict=True):
            if part is last or not share.has_ends:
                continue
            if not are_links_safe or not asking.call(part, share.ends(), asking.wanted(part, self._parts)):
                _keep_ends(left[part.number], share)

    def _leave_letter(self, part: Part, share: Share, left: list[Share]) -> bool:
        """Have another part keep the links for one that is away; whether they are durable."""
        left[part.number].promotions, left[part.number].revisions = share.promotions, share.revisions
        for keeper in self._parts if share.entries else ():
            if keeper is not part and keeper.trouble is None:
                try:
                    letters.leave(keeper.frontier, part.number, share.entries)
                    return True
                except FrontierUnavailable:
                    continue
        left[part.number].entries = share.entries
        return not share.entries

    def _after_restarts(self) -> None:
        """A server that was emptied knows no more what it is part of, nor which share of the pages is its own."""
        if self.restarts != self._restarts and not self._is_any_away():
            with suppress(FrontierUnavailable):  # again at the next turn
                self._claim()
                self._shares.restore()
                self._restarts = self.restarts

    # --- asking ----------------------------------------------------------------------------------

    def _ask_more(self, asking: Asking) -> None:
        """What the parts that were not called yet can give; renewals that are due."""
        for part in asking.in_turn(self._parts):
            if asking.is_due(part) or (asking.question.beat and not asking.is_heard):
                asking.call(part, Work(), asking.wanted(part, self._parts))
        for part in self._parts:
            has_more = part.trouble is None and part.number in asking.asked and part.grant.wait_seconds == 0
            if has_more and asking.hosts_left > 0:
                asking.call(part, Work(), asking.hosts_left)
        for part in self._parts:
            if part.has_come_back and part.trouble is None:
                self._deliver_letters(part)

    def _ask_all(self, asking: Asking) -> Grant:
        """Ask every part, whatever it said before; says that all is over only when that is so everywhere at one time."""
        asking.is_thorough = True
        self._exchange(Work(), asking)
        if asking.hosts_left > 0 and self._lacks_pages() and self._allotted():
            asking.asked.clear()
            self._ask_more(asking)
        grant = merged(asking, self._parts)
        if not grant.leases and self._is_limit_reached():
            grant = Grant((), None, "max_pages", not self._known_counts().leased)
        elif grant.reason == "max_pages":
            grant = replace(grant, exhausted=False)
        return replace(grant, exhausted=grant.exhausted and self._is_over())

    def _is_over(self) -> bool:
        """Whether nothing was added since each part said that it has nothing: then there was a moment when none had (F1)."""
        if self._is_any_away() or any(part.late for part in self._parts):
            return False
        try:
            if sum(self._deliver_letters(part) for part in self._parts):
                return False
            return all(part.frontier.counts() == part.counts for part in self._parts)
        except FrontierUnavailable:
            return False

    def _lacks_pages(self) -> bool:
        """Whether a part has links but no pages left of its share, and others may have."""
        if self._is_any_away():
            return False
        lacks = any(part.grant.reason == "max_pages" and part.counts.queued for part in self._parts)
        return lacks and not self._is_limit_reached()

    def _may_allot(self) -> bool:
        """Not at every turn: what was given out lasts a while."""
        now = self._clock()
        if now < self._may_allot_at:
            return False
        self._may_allot_at = now + POLL_SECONDS
        return True

    def _allotted(self) -> bool:
        with suppress(FrontierUnavailable):
            return self._shares.allot()
        return False

    def _is_limit_reached(self) -> bool:
        """Whether all parts together have given ``max_pages``: asked for only when one has given its share."""
        if all(part.grant.reason != "max_pages" for part in self._parts):
            return False
        with suppress(FrontierUnavailable):
            self._limit = self._shares.limit()
        counts = self._known_counts()
        return self._limit is not None and counts.pages + counts.leased >= self._limit

    def _deliver_letters(self, part: Part) -> int:
        """Give a part some of the links that were kept for it while it was away."""
        delivered = 0
        try:
            for keeper in self._parts:
                if keeper is not part and keeper.trouble is None:
                    delivered += letters.deliver(keeper.frontier, part.number, part.frontier)
            part.has_come_back = delivered > 0  # there may be more
        except FrontierUnavailable:
            pass  # at the next turn
        return delivered

    # --- small things ----------------------------------------------------------------------------

    def _part_of(self, host: str) -> Part:
        return self._parts[part_of(host, self._count)]

    def _is_any_away(self) -> bool:
        return any(part.trouble is not None for part in self._parts)

    def _known_counts(self) -> Counts:
        """As each part said last."""
        return Counts(*(sum(of) for of in zip(*(astuple(part.counts) for part in self._parts), strict=True)))

    def _look(self, part: Part) -> FrontierUnavailable | None:
        try:
            part.counts = part.frontier.counts()
        except FrontierUnavailable as error:
            return error
        return None

    def _ask_each(self, question: Callable[[RedisFrontier], _T]) -> Iterator[_T]:
        """The answers of the parts that answer; raises when none does."""
        error: FrontierUnavailable | None = None
        answered = 0
        for part in self._parts:
            try:
                answer = question(part.frontier)
            except FrontierUnavailable as one:
                error = error or one
                continue
            answered += 1
            yield answer
        if error is not None and not answered:
            raise error


def _keep_ends(left: Share, share: Share) -> None:
    left.completions, left.timings = share.completions, share.timings
