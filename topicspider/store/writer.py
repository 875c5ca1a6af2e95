"""Writes rows to the store in batches, in a thread of its own; while the store is away they wait in the outbox."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from topicspider.errors import BadRow, StoreUnavailable
from topicspider.store.outbox import Outbox, Waiting
from topicspider.store.rows import Batch, Copies, CrawlRow, LinkRow, NoPageResponse, PageRow
from topicspider.store.store import Store

FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 5.0
"""Between two attempts to reach a store that is away: the first pause, and what it grows to."""

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


@dataclass(frozen=True, slots=True)
class _Submission:
    """Rows that belong together: written in one transaction, or not at all."""

    batch: Batch
    future: Future[Copies]


class StoreWriter:
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
        self._store = store
        self._batch = batch
        self._flush_seconds = flush_seconds
        self._max_waiting = max_waiting
        self._changed = threading.Condition()
        self._queue: deque[_Submission] = deque()
        self._rows_waiting = 0
        self._deadline: float | None = None  # of the time clock; set by close()
        self._outage = Outage()
        self._outbox = outbox
        self._forwarder = None if outbox is None else Forwarder(store, outbox, self._outage, batch)
        self._trouble: StoreUnavailable | None = None
        self._has_warned = False  # in this outage, that rows wait in memory
        self._written = 0
        self._refused = 0
        self._thread = threading.Thread(target=self._work, name="store-writer", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Rows that are not durable yet."""
        return self._rows_waiting

    @property
    def written(self) -> int:
        """Rows that are durable."""
        return self._written

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
        return self._rows_waiting >= self._max_waiting

    @property
    def trouble(self) -> StoreUnavailable | None:
        """Why rows have to wait here; None when they do not."""
        return self._trouble

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
        batch = Batch(tuple(pages), tuple(links), tuple(crawls), visits=tuple(visits))
        submission = _Submission(batch, Future())
        submission.future.set_running_or_notify_cancel()  # a row on its way cannot be called back
        with self._changed:
            if self._deadline is not None:
                submission.future.set_exception(StoreUnavailable("store", "the writer is closed"))
                return submission.future
            self._queue.append(submission)
            self._rows_waiting += submission.batch.rows
            self._changed.notify()
        return submission.future

    def close(self, timeout_seconds: float = 30.0) -> int:
        """Write all that waits, for at most about ``timeout_seconds``; how many rows could not be written.

        Their futures end with StoreUnavailable. What is in the outbox then stays there, and is no loss. The store stays open: it
        belongs to the caller.
        """
        with self._changed:
            if self._deadline is None:
                self._deadline = time.monotonic() + timeout_seconds
            self._changed.notify()
        self._thread.join(timeout_seconds + 1.0)
        if self._forwarder is not None:
            self._forwarder.close(self._until_deadline(timeout_seconds))
        return self._rows_waiting

    def _work(self) -> None:
        while group := self._next_group():
            self._write_until_done(group)

    def _next_group(self) -> list[_Submission]:
        """What waits, up to a batch; empty when the writer is closed and nothing is left."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._deadline is not None)
            self._changed.wait_for(
                lambda: len(self._queue) >= self._batch or self._deadline is not None, self._flush_seconds
            )
            return [self._queue.popleft() for _ in range(min(len(self._queue), self._batch))]

    def _write_until_done(self, group: list[_Submission]) -> None:
        """Write a group; when the store refuses it, its halves, down to the submission that is bad."""
        parts = [group]  # the next to write is the last
        pause = FIRST_PAUSE_SECONDS
        while parts:
            try:
                copies = self._put([submission.batch for submission in parts[-1]])
            except StoreUnavailable as error:
                self._note_waiting(error)
                if not self._rest(pause):
                    self._give_up([s for part in reversed(parts) for s in part], error)
                    return
                pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
            except Exception as error:  # noqa: BLE001 - whatever a row does to a driver, the thread must go on
                part = parts.pop()
                if len(part) == 1:
                    self._refuse(part[0], error)
                else:
                    parts += [part[len(part) // 2 :], part[: len(part) // 2]]
            else:
                self._trouble = None
                pause = FIRST_PAUSE_SECONDS
                self._finish(parts.pop(), copies)

    def _put(self, batches: list[Batch]) -> Copies:
        """Have ``batches`` in the store, or in the outbox while others are before them there, or the store is away."""
        if self._forwarder is not None and self._forwarder.keep(batches):
            return {}
        try:
            copies = self._store.write(Batch.joined(batches))
        except StoreUnavailable as error:
            self._outage.begin(error, self._rows_waiting, str(self._outbox.path) if self._outbox else "")
            if self._forwarder is None:
                raise
            self._forwarder.begin(batches)
            return {}
        waiting = self._rows_waiting
        self._outage.end(waiting, waiting - sum(batch.rows for batch in batches))
        self._has_warned = False
        return copies

    def _finish(self, group: list[_Submission], copies: Copies) -> None:
        self._settle(group, is_written=True)
        for submission in group:
            keys = ((row.item.topic, row.item.url) for row in submission.batch.pages)
            submission.future.set_result({key: copies[key] for key in keys if key in copies})

    def _refuse(self, submission: _Submission, error: Exception) -> None:
        logger.error("the store refused %d row(s): %s", submission.batch.rows, error)
        self._refused += submission.batch.rows
        self._settle([submission])
        bad = error if isinstance(error, BadRow) else BadRow("row", f"{type(error).__name__}: {error}", "plain data")
        submission.future.set_exception(bad)

    def _settle(self, group: list[_Submission], is_written: bool = False) -> None:
        rows = sum(submission.batch.rows for submission in group)
        with self._changed:
            self._rows_waiting -= rows
            self._written += rows if is_written else 0

    def _rest(self, seconds: float) -> bool:
        """Pause before the next attempt, cut short by a close; False when the time that close gave is over."""
        with self._changed:
            was_closing = self._deadline is not None
            self._changed.wait_for(
                lambda: self._deadline is not None and not was_closing, self._until_deadline(seconds)
            )
            return self._until_deadline(1.0) > 0

    def _until_deadline(self, seconds: float) -> float:
        return seconds if self._deadline is None else max(0.0, min(seconds, self._deadline - time.monotonic()))

    def _give_up(self, group: list[_Submission], error: StoreUnavailable) -> None:
        with self._changed:
            group = [*group, *self._queue]
            self._queue.clear()
        logger.error("the store was closed while away: %d row(s) were not written", self._rows_waiting)
        for submission in group:
            submission.future.set_exception(error)

    def _note_waiting(self, error: StoreUnavailable) -> None:
        if self._outbox is not None and not self._has_warned:
            self._has_warned = True
            logger.warning("%d row(s) wait in memory, and the crawl with them: %s", self._rows_waiting, error)
        self._trouble = error
