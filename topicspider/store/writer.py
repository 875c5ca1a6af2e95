"""Writes rows to the store in groups, in a thread of its own; during an outage of the store they go to the outbox."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from itertools import islice
from typing import NamedTuple

from topicspider.errors import BadRow, StoreUnavailable
from topicspider.store.outbox import Outbox, Waiting
from topicspider.store.rows import Batch, Copies, CrawlRow, LinkRow, NoPageResponse, PageRow
from topicspider.store.store import Store

logger = logging.getLogger(__name__)


class _Submission(NamedTuple):
    """Rows that belong together: they are written in one transaction, or not at all."""

    batch: Batch
    future: Future[Copies]


class StoreWriter:
    """A thread that writes submissions (a page and its links) in groups of up to ``batch``.

    While one group is being committed, the next one is collected; a single row waits at most ``flush_seconds`` for others. During an outage
    rows go to the ``outbox``, and from there, when the store answers again, to the store before all later rows. Without an outbox, or when
    it is full, rows wait in memory, in order; the thread retries with growing pauses, and nothing is dropped. With ``max_waiting`` rows or
    more, ``is_full`` asks the caller to slow down; ``submit`` still accepts rows.

    1. A future is resolved only after its rows were committed to the store or to the outbox (promise S1). For rows in the outbox it is not
       known yet which are copies.
    2. A row that the store rejects fails only the future of its own submission, with BadRow.
    3. ``submit`` and the properties never block on the store, and are thread-safe.
    4. Rows are removed from the outbox after their commit to the store: they may be written twice, which changes nothing (promise S3).
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
        self._outbox = outbox
        self._queue: deque[_Submission] = deque()
        self._changed = threading.Condition()
        self._deadline: float | None = None  # when the writer is to be closed: time by which it must end
        self._away_since: float | None = None
        self._outages, self._seconds_away = 0, 0.0  # the seconds are those of past outages
        self._pause = self._next_try = 0.0
        self._has_warned = False  # during this outage, that rows wait in memory
        self.refused = 0
        """Rows of submissions that the store rejected as bad."""
        self.waiting = 0
        """Rows that are not durable yet."""
        self.written = 0
        """Rows that are durable."""
        self.has_pages = False
        """Whether a page was among the rows."""
        self.trouble: StoreUnavailable | None = None
        """Why rows have to wait in memory; None when they do not."""
        if outbox is not None and outbox.rows:
            logger.info("%d row(s) of an earlier run are written to the store first, from %s", outbox.rows, outbox.path)
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    @property
    def in_outbox(self) -> int:
        """Number of rows in the outbox: durable, but not yet in the store."""
        return self._outbox.rows if self._outbox else 0

    @property
    def is_full(self) -> bool:
        """Whether so many rows are waiting that no more pages should be fetched for now."""
        return self.waiting >= self._max_waiting

    @property
    def is_away(self) -> bool:
        """Whether there is an outage: it lasts until the store answers and the outbox is empty."""
        return self._away_since is not None

    @property
    def outages(self) -> tuple[int, float]:
        """(number of outages, their total duration in seconds)."""
        since = self._away_since
        return self._outages, self._seconds_away + (0.0 if since is None else time.monotonic() - since)

    def submit(
        self,
        pages: Sequence[PageRow] = (),
        links: Sequence[LinkRow] = (),
        crawls: Sequence[CrawlRow] = (),
        visits: Sequence[NoPageResponse] = (),
    ) -> Future[Copies]:
        """Queues these rows to be written, all or none; the future's result, once they are durable, is which of them are copies."""
        submission = _Submission(Batch(tuple(pages), tuple(links), tuple(crawls), visits=tuple(visits)), Future())
        submission.future.set_running_or_notify_cancel()  # a submitted row cannot be cancelled
        with self._changed:
            if self._deadline is not None:
                submission.future.set_exception(StoreUnavailable("store", "the writer is closed"))
                return submission.future
            self._queue.append(submission)
            self.has_pages |= bool(pages)
            self.waiting += submission.batch.rows
            if len(self._queue) == 1 or len(self._queue) >= self._batch:  # else the thread is already collecting
                self._changed.notify()
        return submission.future

    def close(self, timeout_seconds: float = 30.0) -> int:
        """Writes all that is waiting, for at most about ``timeout_seconds``; returns how many rows could not be written.

        Their futures fail with StoreUnavailable. Rows in the outbox stay there and are not lost. The store stays open: it belongs to the
        caller.
        """
        with self._changed:
            if self._deadline is None:
                self._deadline = time.monotonic() + timeout_seconds
            self._next_try = 0.0
            self._changed.notify()
        self._thread.join(timeout_seconds + 1.0)
        if self._outbox is not None:
            while self._move_to_outbox(self._outbox, self._batch):  # in case the thread still waits for the store
                pass
            if left := self._outbox.rows:
                logger.warning("%d row(s) wait in %s: the next run writes them first", left, self._outbox.path)
            self._outbox.close()
        return self.waiting

    def _run(self) -> None:
        limit = self._batch
        while self._wait_for_work():
            if self._is_behind and self._outbox is not None:
                self._move_to_outbox(self._outbox, self._batch)
            if time.monotonic() >= self._next_try and (some := self._next_group(limit)):
                limit = self._write(some, limit)
        if self._queue and self.trouble is not None:
            logger.error("the store was closed while away: %d row(s) were not written", self.waiting)
            while self._queue:
                self._queue.popleft().future.set_exception(self.trouble)

    @property
    def _is_behind(self) -> bool:
        """Whether submissions must go to the outbox: the store is away, or earlier rows are still in the outbox."""
        return self._outbox is not None and (self._next_try > 0.0 or self._outbox.rows > 0)

    def _wait_for_work(self) -> bool:
        """Waits for work, then shortly for more of it; False when the writer is closing and no work or no time is left."""
        with self._changed:
            while (pause := self._seconds_to_work()) is None or pause > 0:
                if pause is None and self._deadline is not None:
                    return False
                self._changed.wait(pause)
            if self._queue:
                self._changed.wait_for(
                    lambda: len(self._queue) >= self._batch or self._deadline is not None, self._flush_seconds
                )
            return self._deadline is None or not self._next_try or time.monotonic() < self._deadline

    def _seconds_to_work(self) -> float | None:
        """Seconds until there is work, 0 or less for now; None when nothing is waiting."""
        if not self._queue and not self.in_outbox:
            return None
        if self._queue and self._is_behind and self.trouble is None:
            return 0.0
        pause = self._next_try - time.monotonic()
        return pause if self._deadline is None else min(pause, self._deadline - time.monotonic())

    def _next_group(self, limit: int) -> Sequence[_Submission] | Sequence[Waiting]:
        if self._outbox is not None and self._outbox.rows:
            try:
                return self._outbox.first(limit)
            except StoreUnavailable as error:
                logger.warning("what waits for the store cannot be read yet: %s", error)
                self._wait_before_retry()
                return []
        with self._changed:
            return list(islice(self._queue, limit))

    def _write(self, some: Sequence[_Submission] | Sequence[Waiting], limit: int) -> int:
        """Writes a group; returns how many submissions the next group may have: fewer after an error."""
        try:
            copies = self._store.write(Batch.joined(one.batch for one in some))
        except StoreUnavailable as error:
            self._note_away(error)
            return max(1, len(some) // 2)
        except Exception as error:  # noqa: BLE001 - whatever error a row causes in a driver, the thread must go on
            if len(some) > 1:
                return len(some) // 2
            self._refuse(some[0], error)
            return self._batch
        self._pause = self._next_try = 0.0
        self._finish(some, copies)
        if self._away_since is not None and not self.in_outbox:
            seconds, self._away_since = time.monotonic() - self._away_since, None
            self._seconds_away += seconds
            logger.warning("the store is back after %.1f s", seconds)
        self._has_warned = self._has_warned and self.is_away
        return min(self._batch, 2 * limit)

    def _move_to_outbox(self, outbox: Outbox, limit: int) -> bool:
        """Moves up to ``limit`` submissions to the outbox; False when there are none, or the outbox is full."""
        with self._changed:
            some = list(islice(self._queue, limit))
        if not some:
            return False
        try:
            outbox.append([one.batch for one in some])
        except StoreUnavailable as error:
            if not self._has_warned:
                self._has_warned = True
                logger.warning("%d row(s) wait in memory, and the crawl with them: %s", self.waiting, error)
            self.trouble = error
            return False
        except Exception as error:  # noqa: BLE001 - as in _write
            if len(some) > 1:
                return all(self._move_to_outbox(outbox, 1) for _ in some)
            self._refuse(some[0], error)
        else:
            self._finish(some, {})
        return True

    def _finish(self, some: Sequence[_Submission] | Sequence[Waiting], copies: Copies) -> None:
        for one in some:
            if isinstance(one, _Submission):
                if self._pop(one):
                    self.written += one.batch.rows
                    keys = ((row.item.topic, row.item.url) for row in one.batch.pages)
                    one.future.set_result({key: copies[key] for key in keys if key in copies})
                self.trouble = None
        self._remove_from_outbox([one for one in some if isinstance(one, Waiting)])

    def _refuse(self, one: _Submission | Waiting, error: Exception) -> None:
        logger.error("the store refused %d row(s): %s", one.batch.rows, error)
        self.refused += one.batch.rows
        if isinstance(one, Waiting):
            self._remove_from_outbox([one])
        elif self._pop(one):
            if not isinstance(error, BadRow):
                error = BadRow("row", f"{type(error).__name__}: {error}", "plain data")
            one.future.set_exception(error)

    def _pop(self, submission: _Submission) -> bool:
        """Removes ``submission`` from the queue; False when it is no longer at its head."""
        with self._changed:
            is_there = bool(self._queue) and self._queue[0] is submission
            if is_there:
                self._queue.popleft()
                self.waiting -= submission.batch.rows
            return is_there

    def _remove_from_outbox(self, some: Sequence[Waiting]) -> None:
        """Removes ``some`` from the outbox; if that fails, as on a full disk, they are written to the store once more."""
        if self._outbox is None or not some:
            return
        try:
            self._outbox.remove(some)
        except StoreUnavailable as error:
            logger.warning("what the store has cannot be taken out of the outbox: %s", error)
            self._wait_before_retry()

    def _note_away(self, error: StoreUnavailable) -> None:
        if self._away_since is None:
            self._away_since = time.monotonic()
            self._outages += 1
            place, rows = f" in {self._outbox.path}" if self._outbox else "", self.waiting + self.in_outbox
            logger.warning("the store is away, %d row(s) wait for it%s: %s", rows, place, error)
        if self._outbox is None:
            self.trouble = error
        self._wait_before_retry()

    def _wait_before_retry(self) -> None:
        self._pause = min(2 * self._pause, 5.0) or 0.1
        self._next_try = time.monotonic() + self._pause
