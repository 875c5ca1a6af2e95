"""One part of a crawl that is spread over several Redis: its frontier, what it said last, and whether it may be asked now."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from topicspider.errors import FrontierUnavailable
from topicspider.frontier.protocol import Counts, Grant, Work
from topicspider.frontier.redis.frontier import RedisFrontier
from topicspider.frontier.redis.late import Late
from topicspider.frontier.redis.question import Question

logger = logging.getLogger(__name__)

POLL_SECONDS = 1.0  # what a part said it had is asked for again after that: other nodes find links, too
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 30.0
REMINDER_SECONDS = 60.0


class Part:
    """``late``: what it could not be told while it was away. Of a part that hangs one try in three of the time is spent at most."""

    def __init__(self, number: int, frontier: RedisFrontier, clock: Callable[[], float] = time.monotonic) -> None:
        self.number = number
        self.frontier = frontier
        self.late = Late()
        self.grant = Grant((), None)
        self.counts = Counts()
        self.trouble: FrontierUnavailable | None = None  # while it is away
        self.has_come_back = True  # letters may wait for it
        self._clock = clock
        self._nothing_until = self._try_at = self._reminded_at = 0.0
        self._pause = FIRST_PAUSE
        self._renewed_at = self._granted_at = clock()
        self._outages = 0
        self._away_since = self._away_seconds = 0.0

    @property
    def may_try(self) -> bool:
        """Whether it is there, as far as is known, or may be there again."""
        return self.trouble is None or self._clock() >= self._try_at

    @property
    def may_have(self) -> bool:
        """Whether it may have a host to give: it did not say a moment ago that there is none."""
        return self._clock() >= self._nothing_until

    @property
    def silent_seconds(self) -> float:
        """Since it renewed leases; it is not called when there are none to renew."""
        return self._clock() - self._renewed_at

    @property
    def seconds_since_grant(self) -> float:
        """Since it said how things stand."""
        return self._clock() - self._granted_at

    @property
    def outages(self) -> tuple[int, float]:
        """How often it was away, and for how many seconds in all."""
        since = 0.0 if self.trouble is None else self._clock() - self._away_since
        return self._outages, self._away_seconds + since

    def call(self, work: Work, question: Question) -> tuple[Grant, Counts, int]:
        """One exchange with it; FrontierUnavailable when it does not answer."""
        began = self._clock()
        try:
            grant, counts, new = self.frontier.exchange(work, question)
        except FrontierUnavailable as error:
            self._note_failure(error, began)
            raise
        self._note_answer()
        self.counts = counts
        if question.renews and question.lease_seconds >= 0:
            self._renewed_at = began
        if work.entries or work.promotions or work.revisions:
            self._nothing_until = 0.0
        if question.hosts >= 0:
            self.grant, self._granted_at = grant, self._clock()
            wait = POLL_SECONDS if grant.wait_seconds is None else min(grant.wait_seconds, POLL_SECONDS)
            self._nothing_until = self._clock() + wait
        return grant, counts, new

    def _note_failure(self, error: FrontierUnavailable, began: float) -> None:
        now = self._clock()
        if self.trouble is None:
            self._pause, self._reminded_at = FIRST_PAUSE, now - REMINDER_SECONDS
            self._outages, self._away_since = self._outages + 1, now
        self.trouble, self.has_come_back = error, False
        if now - self._reminded_at >= REMINDER_SECONDS:
            self._reminded_at = now
            logger.warning("%s; its hosts wait for it, those of the other servers go on", error)
        self._try_at = now + max(self._pause, 2 * (now - began))
        self._pause = min(2 * self._pause, LONGEST_PAUSE)

    def _note_answer(self) -> None:
        if self.trouble is not None:
            logger.warning("%s answers again", self.trouble.what)
            self._away_seconds += self._clock() - self._away_since
            if self.late.dropped:
                logger.warning("%d changes of scores that it was not told of were dropped", self.late.dropped)
                self.late.dropped = 0
            self.trouble, self.has_come_back = None, True
