"""Keeps the claim of a recrawl: takes it, renews it in a thread of its own, and notices when it is lost."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from topicspider.errors import TopicSpiderError, UnavailableError, one_line
from topicspider.store.recrawl_lease import RecrawlLeases, recrawl_running
from topicspider.store.store import Store

logger = logging.getLogger(__name__)

RENEWALS = 4
"""In the time of a claim: three may fail before anybody else can take it."""
_JOIN_SECONDS = 10.0


class RoundLease:
    """The claim of one process on the topics of its recrawl, from ``take`` until ``release``.

    ``store`` is a connection of its own, for the thread; it is closed by ``release``. ``check_alone`` raises CrawlRunning when a crawl
    has begun beside, and is called with each renewal. While the store does not answer here nothing is renewed, and it may answer others:
    so when the claim's time is over since the last renewal, the recrawl must end. What can go wrong otherwise ends it, too.
    """

    def __init__(
        self,
        store: Store,
        claims: RecrawlLeases,
        owner: str,
        node: str,
        seconds: float,
        check_alone: Callable[[], None],
    ) -> None:
        self._store = store
        self._claims = claims
        self._owner = owner
        self._node = node
        self._seconds = seconds
        self._check_alone = check_alone
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="recrawl-claim", daemon=True)
        self._renewed_at = 0.0  # when the last renewal that succeeded began
        self.trouble: TopicSpiderError | None = None
        """Why this recrawl must not go on."""

    def take(self, last_owner: str) -> bool:
        """Take it and keep it; returns whether nobody recrawled the topics since ``last_owner`` did. Raises CrawlRunning."""
        before = self._claims.last_owners()
        self._renewed_at = time.monotonic()
        others = self._claims.take(self._owner, self._node, self._seconds)
        if others:
            raise recrawl_running(others)
        self._thread.start()
        return before <= {last_owner}

    def release(self) -> None:
        """Let the next one in, as far as the store answers; a second time does nothing."""
        if self._ends.is_set():
            return
        self._ends.set()
        if self._thread.is_alive():
            self._thread.join(_JOIN_SECONDS)
        with suppress(UnavailableError):
            self._claims.release(self._owner)
        self._store.close()

    def _keep(self) -> None:
        while self.trouble is None and not self._ends.wait(self._seconds / RENEWALS):
            try:
                self._renew()
                self._check_alone()
            except UnavailableError as error:  # the store's writer says so, and when it is back
                logger.debug("the claim could not be renewed: %s", error)
                self.trouble = self._overdue(error)
            except TopicSpiderError as error:
                self.trouble = error
            except Exception as error:  # in a thread nobody would hear of it
                logger.exception("the claim could not be kept")
                self.trouble = TopicSpiderError(one_line(f"the claim of the recrawl: {type(error).__name__}: {error}"))

    def _renew(self) -> None:
        began = time.monotonic()
        others = self._claims.renew(self._owner, self._seconds)
        if others:
            raise recrawl_running(others)
        self._renewed_at = began

    def _overdue(self, error: UnavailableError) -> UnavailableError | None:
        """What ends the recrawl when its time is over."""
        if time.monotonic() - self._renewed_at < self._seconds:
            return None
        why = f"{error.why}; the claim could not be renewed for {self._seconds:.0f} s, so another may recrawl by now"
        return type(error)(error.what, why, "Once it answers, the same command goes on")
