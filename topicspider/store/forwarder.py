"""Writes to the store what lies in an outbox, in order, from a thread of its own."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence

from topicspider.errors import StoreUnavailable
from topicspider.store.contract import Batch, Store
from topicspider.store.outage import FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS, Outage
from topicspider.store.outbox import Outbox, Waiting

logger = logging.getLogger(__name__)

_DAMAGED = ("malformed", "not a database")  # as SQLite says it


class Forwarder:
    """Runs from the moment when something is put into the outbox until nothing is left in it.

    1. While it runs the store is its own: whoever writes hands rows to ``keep``, which puts them behind the others. So rows reach
       the store in the order in which they came.
    2. A batch is taken out of the outbox after the commit that holds it. Between the two it may be written twice, which changes
       nothing (S3).
    3. While the store is away it tries again with growing pauses; after each failure with fewer batches at once, for a store
       that is slow. So it does when the outbox cannot be read, unless its file is damaged.
    """

    def __init__(self, store: Store, outbox: Outbox, outage: Outage, batch: int) -> None:
        self._store = store
        self._outbox = outbox
        self._outage = outage
        self._batch = batch
        self._changed = threading.Condition()
        self._deadline: float | None = None  # of the time clock; set by close()
        self._thread: threading.Thread | None = None
        self._pause = FIRST_PAUSE_SECONDS
        self.refused = 0
        if outbox.rows:
            logger.info("%d row(s) of an earlier run are written to the store first, from %s", outbox.rows, outbox.path)
            self._start()

    def begin(self, batches: Sequence[Batch]) -> None:
        """Put ``batches``, which the store could not take, into the outbox, and go on from there."""
        with self._changed:
            self._outbox.append(batches)
            self._start()

    def keep(self, batches: Sequence[Batch]) -> bool:
        """Put ``batches`` behind the others; False when there are none any more: then the store can be written."""
        with self._changed:
            if self._thread is None:
                return False
            self._outbox.append(batches)
            return True

    def close(self, timeout_seconds: float) -> int:
        """Go on for at most about ``timeout_seconds``; how many rows are left in the outbox, which is closed."""
        with self._changed:
            thread, self._deadline = self._thread, time.monotonic() + timeout_seconds
            self._changed.notify_all()
        if thread is not None:
            thread.join(timeout_seconds + 1.0)
        left = self._outbox.rows
        self._outbox.close()
        if left:
            logger.warning("%d row(s) wait in %s: the next run writes them to the store first", left, self._outbox.path)
        return left

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="store-outbox", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        limit, self._pause = self._batch, FIRST_PAUSE_SECONDS
        while (some := self._next(limit)) and not self._is_over():
            try:
                limit = self._forward(some, limit)
            except StoreUnavailable as error:
                self._outage.begin(error, self._outbox.rows, str(self._outbox.path))
                limit = max(1, len(some) // 2)
                self._rest()

    def _next(self, limit: int) -> list[Waiting]:
        """What comes first; when that is nothing, the thread is over, in the same moment for everyone."""
        while not self._is_over():
            with self._changed:
                some = self._read(limit)
                if some is not None:
                    self._thread = self._thread if some else None
                    return some
            self._rest()
        return []

    def _read(self, limit: int) -> list[Waiting] | None:
        """What comes first; None when it may be read later, as from a file that another process has locked."""
        try:
            return self._outbox.first(limit)
        except StoreUnavailable as error:
            if any(words in error.why for words in _DAMAGED):
                logger.error("what waits for the store cannot be read: %s", error)
                return []
            logger.warning("what waits for the store cannot be read yet: %s", error)
            return None

    def _forward(self, some: Sequence[Waiting], limit: int) -> int:
        """Write ``some``; how many to take next."""
        try:
            self._store.write(merged([one.batch for one in some]))
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a row does to a driver, the thread must go on
            if len(some) > 1:
                return len(some) // 2
            logger.error("the store refused %d row(s): %s", some[0].batch.rows, error)
            self.refused += some[0].batch.rows
        waiting = self._outbox.rows
        self._outage.end(waiting, waiting - sum(one.batch.rows for one in some))
        self._pause = FIRST_PAUSE_SECONDS
        self._remove(some)
        return min(self._batch, 2 * limit)

    def _remove(self, some: Sequence[Waiting]) -> None:
        """Take ``some`` out; on a full disk that may have to wait."""
        while not self._is_over():
            try:
                self._outbox.remove(some)
            except StoreUnavailable as error:
                logger.warning("what the store has cannot be taken out of the outbox: %s", error)
                self._rest()
            else:
                return

    def _rest(self) -> None:
        with self._changed:
            was_closing = self._deadline is not None
            self._changed.wait_for(lambda: self._deadline is not None and not was_closing, self._pause)
        self._pause = min(2 * self._pause, LONGEST_PAUSE_SECONDS)

    def _is_over(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline


def merged(batches: Sequence[Batch]) -> Batch:
    """The rows of all ``batches``, in order."""
    return Batch(
        pages=[row for batch in batches for row in batch.pages],
        links=[row for batch in batches for row in batch.links],
        crawls=[row for batch in batches for row in batch.crawls],
        checks=[row for batch in batches for row in batch.checks],
        visits=[row for batch in batches for row in batch.visits],
    )
