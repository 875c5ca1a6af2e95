"""Writes rows to the store in batches, in a thread of its own; while the store is away they wait in the outbox."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import NamedTuple

from topicspider.errors import BadRow, StoreUnavailable
from topicspider.store.outbox import Outbox, Waiting
from topicspider.store.rows import Batch, Copies, CrawlRow, LinkRow, NoPageResponse, PageRow
from topicspider.store.store import Store

STEADY_SECONDS = 5.0
"""A server whose disk is full takes a small row now and then. It is back when it has taken all that waited, or all for so long."""

logger = logging.getLogger(__name__)


class Outage:
    """Whether the store is away, for all who write to it; safe from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._since: float | None = None
        self._well_since: float | None = None  # of the attempts since the last that failed, when the first was
        self._rows = 0  # that waited then
        self._times = 0
        self._seconds = 0.0  # of outages that are over

    @property
    def is_on(self) -> bool:
        """The store went away, and has not come back for good."""
        return self._since is not None

    @property
    def so_far(self) -> tuple[int, float]:
        """How often the store was away, and for how many seconds in all."""
        with self._lock:
            since = 0.0 if self._since is None else self._clock() - self._since
            return self._times, self._seconds + since

    def begin(self, error: StoreUnavailable, rows: int, kept_in: str = "") -> None:
        """An attempt failed; ``rows`` wait, in a file when that is named."""
        with self._lock:
            self._well_since = None
            if self._since is None:
                self._since = self._clock()
                self._times += 1
                place = f" in {kept_in}" if kept_in else ""
                logger.warning("the store is away, %d row(s) wait for it%s: %s", rows, place, error)

    def end(self, rows: int, left: int = 0) -> None:
        """An attempt succeeded; ``rows`` were waiting, ``left`` of them still are."""
        with self._lock:
            if self._since is None:
                return
            now = self._clock()
            if self._well_since is None:
                self._well_since, self._rows = now, rows
            if left and now - self._well_since < STEADY_SECONDS:
                return
            seconds, self._since = self._well_since - self._since, None
            self._seconds += seconds
            logger.warning("the store is back after %.1f s, %d row(s) were waiting", seconds, self._rows)


class _Worker:
    """What a thread that writes needs: growing pauses between attempts, cut short when it shall end, and when it must."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._deadline: float | None = None
        self._pause = 0.0

    def _end_within(self, seconds: float) -> None:
        with self._changed:
            if self._deadline is None:
                self._deadline = time.monotonic() + seconds
            self._changed.notify_all()

    def _rest(self) -> None:
        self._pause = min(2 * self._pause, 5.0) or 0.1
        with self._changed:
            was_ending = self._deadline is not None
            self._changed.wait_for(lambda: self._deadline is not None and not was_ending, self._left(self._pause))

    def _left(self, seconds: float) -> float:
        """Of so many ``seconds``, those before the end."""
        return seconds if self._deadline is None else max(0.0, min(seconds, self._deadline - time.monotonic()))

    @property
    def _is_over(self) -> bool:
        return self._left(1.0) == 0.0


class Forwarder(_Worker):
    """Runs from the moment when something is put into the outbox until nothing is left in it.

    1. While it runs the store is its own: whoever writes hands rows to ``keep``, which puts them behind the others. So rows reach
       the store in the order in which they came.
    2. A batch is taken out of the outbox after the commit that holds it. Between the two it may be written twice, which changes
       nothing (S3).
    3. While the store is away it tries again with growing pauses; after each failure with fewer batches at once, for a store
       that is slow. So it does when the outbox cannot be read, unless its file is damaged.
    """

    def __init__(self, store: Store, outbox: Outbox, outage: Outage, batch: int) -> None:
        super().__init__()
        self._store = store
        self._outbox = outbox
        self._outage = outage
        self._batch = batch
        self._thread: threading.Thread | None = None
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

    def close(self, timeout_seconds: float) -> None:
        """Go on for at most about ``timeout_seconds``; what is left stays in the outbox, which is closed."""
        thread = self._thread
        self._end_within(timeout_seconds)
        if thread is not None:
            thread.join(timeout_seconds + 1.0)
        left = self._outbox.rows
        self._outbox.close()
        if left:
            logger.warning("%d row(s) wait in %s: the next run writes them to the store first", left, self._outbox.path)

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="store-outbox", daemon=True)
            self._thread.start()

    def _work(self) -> None:
        limit, self._pause = self._batch, 0.0
        while (some := self._next(limit)) and not self._is_over:
            try:
                limit = self._forward(some, limit)
            except StoreUnavailable as error:
                self._outage.begin(error, self._outbox.rows, str(self._outbox.path))
                limit = max(1, len(some) // 2)
                self._rest()

    def _next(self, limit: int) -> list[Waiting]:
        """What comes first; when that is nothing, the thread is over, in the same moment for everyone."""
        while not self._is_over:
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
            if "malformed" in error.why or "not a database" in error.why:  # as SQLite says it
                logger.error("what waits for the store cannot be read: %s", error)
                return []
            logger.warning("what waits for the store cannot be read yet: %s", error)
            return None

    def _forward(self, some: Sequence[Waiting], limit: int) -> int:
        """Write ``some``; how many to take next."""
        try:
            self._store.write(Batch.joined(one.batch for one in some))
        except StoreUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a row does to a driver, the thread must go on
            if len(some) > 1:
                return len(some) // 2
            logger.error("the store refused %d row(s): %s", some[0].batch.rows, error)
            self.refused += some[0].batch.rows
        waiting = self._outbox.rows
        self._outage.end(waiting, waiting - sum(one.batch.rows for one in some))
        self._pause = 0.0
        self._remove(some)
        return min(self._batch, 2 * limit)

    def _remove(self, some: Sequence[Waiting]) -> None:
        """Take ``some`` out; on a full disk that may have to wait."""
        while not self._is_over:
            try:
                self._outbox.remove(some)
            except StoreUnavailable as error:
                logger.warning("what the store has cannot be taken out of the outbox: %s", error)
                self._rest()
            else:
                return


class _Submission(NamedTuple):
    """Rows that belong together: written in one transaction, or not at all."""

    batch: Batch
    future: Future[Copies]


class StoreWriter(_Worker):
    """A thread that writes what was submitted, in groups of up to ``batch`` submissions (a page and its links).

    While one group is being committed the next gathers, so a lone row hardly waits: at most
    ``flush_seconds`` for company. When the store is away they go to the ``outbox``, and from there to the store
    when it is back. Without one, or when it is full, the rows wait, in order, and the thread tries
    again with growing pauses; nothing is dropped. ``is_full`` asks the caller to slow down from
    ``max_waiting`` rows on; ``submit`` takes rows all the same.

    1. A future is resolved only after the commit, to the store or to the outbox, that holds its rows (S1). Of rows in the outbox
       it is not known yet which are copies.
    2. A row the store refuses fails the future of its own submission with BadRow, and no other.
    3. ``submit`` and the properties never block on the store, and are safe from any thread.
    """

    def __init__(
        self,
        store: Store,
        batch: int = 100,
        flush_seconds: float = 0.02,
        max_waiting: int = 1000,
        outbox: Outbox | None = None,
    ) -> None:
        super().__init__()
        self._store = store
        self._batch = batch
        self._flush_seconds = flush_seconds
        self._max_waiting = max_waiting
        self._queue: deque[_Submission] = deque()
        self._outage = Outage()
        self._outbox = outbox
        self._forwarder = None if outbox is None else Forwarder(store, outbox, self._outage, batch)
        self._has_warned = False  # in this outage, that rows wait in memory
        self._refused = 0
        self.waiting = 0
        """Rows that are not durable yet."""
        self.written = 0
        """Rows that are durable."""
        self.trouble: StoreUnavailable | None = None
        """Why rows have to wait here; None when they do not."""
        self._thread = threading.Thread(target=self._work, name="store-writer", daemon=True)
        self._thread.start()

    @property
    def refused(self) -> int:
        """Rows of submissions that the store refused as bad."""
        return self._refused + (self._forwarder.refused if self._forwarder else 0)

    @property
    def in_outbox(self) -> int:
        """Rows that are durable, and not yet in the store."""
        return self._outbox.rows if self._outbox else 0

    @property
    def is_full(self) -> bool:
        """So much is waiting that no more pages should be fetched for now."""
        return self.waiting >= self._max_waiting

    @property
    def is_away(self) -> bool:
        """The last attempt to reach the store failed."""
        return self._outage.is_on

    @property
    def outages(self) -> tuple[int, float]:
        """How often the store was away, and for how many seconds in all."""
        return self._outage.so_far

    def submit(
        self,
        pages: Sequence[PageRow] = (),
        links: Sequence[LinkRow] = (),
        crawls: Sequence[CrawlRow] = (),
        visits: Sequence[NoPageResponse] = (),
    ) -> Future[Copies]:
        """Have these rows written, all or none; the future ends when they are durable (with the copies among them), or with an error."""
        submission = _Submission(Batch(tuple(pages), tuple(links), tuple(crawls), visits=tuple(visits)), Future())
        submission.future.set_running_or_notify_cancel()  # a row on its way cannot be called back
        with self._changed:
            if self._deadline is not None:
                submission.future.set_exception(StoreUnavailable("store", "the writer is closed"))
                return submission.future
            self._queue.append(submission)
            self.waiting += submission.batch.rows
            self._changed.notify()
        return submission.future

    def close(self, timeout_seconds: float = 30.0) -> int:
        """Write all that waits, for at most about ``timeout_seconds``; how many rows could not be written.

        Their futures end with StoreUnavailable. What is in the outbox then stays there, and is no loss. The store stays open: it
        belongs to the caller.
        """
        self._end_within(timeout_seconds)
        self._thread.join(timeout_seconds + 1.0)
        if self._forwarder is not None:
            self._forwarder.close(self._left(timeout_seconds))
        return self.waiting

    def _work(self) -> None:
        """Write group after group; of one that the store refuses its halves, down to the submission that is bad."""
        limit = self._batch
        while group := self._next_group(limit):
            try:
                copies = self._put([submission.batch for submission in group])
            except StoreUnavailable as error:
                self._queue.extendleft(reversed(group))
                self._note_waiting(error)
                self._rest()
                if self._is_over:
                    self._give_up(error)
            except Exception as error:  # noqa: BLE001 - whatever a row does to a driver, the thread must go on
                if len(group) == 1:
                    self._refuse(group[0], error)
                else:
                    self._queue.extendleft(reversed(group))
                    limit = len(group) // 2
            else:
                self.trouble, self._pause, limit = None, 0.0, min(self._batch, 2 * limit)
                self._finish(group, copies)

    def _next_group(self, limit: int) -> list[_Submission]:
        """What waits, up to ``limit``; empty when the writer is closed and nothing is left."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._deadline is not None)
            self._changed.wait_for(lambda: len(self._queue) >= limit or self._deadline is not None, self._flush_seconds)
            return [self._queue.popleft() for _ in range(min(len(self._queue), limit))]

    def _put(self, batches: list[Batch]) -> Copies:
        """Have ``batches`` in the store, or in the outbox while others are before them there, or the store is away."""
        if self._forwarder is not None and self._forwarder.keep(batches):
            return {}
        try:
            copies = self._store.write(Batch.joined(batches))
        except StoreUnavailable as error:
            self._outage.begin(error, self.waiting, str(self._outbox.path) if self._outbox else "")
            if self._forwarder is None:
                raise
            self._forwarder.begin(batches)
            return {}
        self._outage.end(self.waiting, self.waiting - sum(batch.rows for batch in batches))
        self._has_warned = False
        return copies

    def _finish(self, group: list[_Submission], copies: Copies) -> None:
        rows = sum(submission.batch.rows for submission in group)
        with self._changed:
            self.waiting -= rows
            self.written += rows
        for submission in group:
            keys = ((row.item.topic, row.item.url) for row in submission.batch.pages)
            submission.future.set_result({key: copies[key] for key in keys if key in copies})

    def _refuse(self, submission: _Submission, error: Exception) -> None:
        rows = submission.batch.rows
        logger.error("the store refused %d row(s): %s", rows, error)
        with self._changed:
            self.waiting -= rows
            self._refused += rows
        bad = error if isinstance(error, BadRow) else BadRow("row", f"{type(error).__name__}: {error}", "plain data")
        submission.future.set_exception(bad)

    def _give_up(self, error: StoreUnavailable) -> None:
        logger.error("the store was closed while away: %d row(s) were not written", self.waiting)
        while self._queue:
            self._queue.popleft().future.set_exception(error)

    def _note_waiting(self, error: StoreUnavailable) -> None:
        if self._outbox is not None and not self._has_warned:
            self._has_warned = True
            logger.warning("%d row(s) wait in memory, and the crawl with them: %s", self.waiting, error)
        self.trouble = error
