"""Keeps the claim of a recrawl: takes it, renews it in a thread of its own, and notices when it is lost."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress

from topicspider.errors import CrawlRunning, UnavailableError
from topicspider.store.claims import Claims, in_the_way
from topicspider.store.relational import RelationalStore

logger = logging.getLogger(__name__)

RENEWALS = 4
"""In the time of a claim: three may fail before anybody else can take it."""
_JOIN_SECONDS = 10.0


class RoundClaim:
    """The claim of one process on the topics of its recrawl, from ``take`` until ``release``.

    ``store`` is a connection of its own, for the thread; it is closed by ``release``. ``check_alone`` raises CrawlRunning when a crawl
    has begun beside, and is called with each renewal. While the store is away nothing is renewed, and nobody else can take it either;
    whoever was quicker when it is back has it.
    """

    def __init__(
        self,
        store: RelationalStore,
        claims: Claims,
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
        self.trouble: CrawlRunning | None = None
        """Why this recrawl must not go on."""

    def take(self) -> bool:
        """Take it and keep it; returns whether nobody else recrawled the topics since this owner did. Raises CrawlRunning."""
        was_another = self._claims.was_another(self._owner)
        others = self._claims.take(self._owner, self._node, self._seconds)
        if others:
            raise in_the_way(others)
        self._thread.start()
        return not was_another

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
        while not self._ends.wait(self._seconds / RENEWALS):
            try:
                others = self._claims.renew(self._owner, self._seconds)
                if others:
                    raise in_the_way(others)
                self._check_alone()
            except CrawlRunning as error:
                self.trouble = error
                return
            except UnavailableError as error:  # the store's writer says so, and when it is back
                logger.debug("the claim could not be renewed: %s", error)
