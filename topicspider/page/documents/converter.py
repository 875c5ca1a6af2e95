"""Turns documents into simple markup with a worker process: started when the first comes, replaced when it breaks."""

from __future__ import annotations

import logging
import threading

from topicspider.page.documents.document import Document, Failure
from topicspider.page.documents.limits import DOCUMENTS_A_WORKER, WALL_SECONDS
from topicspider.page.documents.process import WorkerLost, WorkerProcess

logger = logging.getLogger(__name__)

_STARTS_TRIED = 3


class Converter:
    """Blocks while a document is read, one at a time: the crawl calls it in a thread.

    1. ``convert`` never raises; every failure has a name.
    2. A worker that hangs, grows or dies is ended and replaced; only the document it had is lost.
    3. After ``close``, or when workers cannot be started, every document is UNREAD at once.
    """

    def __init__(self, seconds: float = WALL_SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._worker: WorkerProcess | None = None
        self._done = 0
        self._failed_starts = 0
        self._is_closed = False

    def convert(self, kind: str, body: bytes) -> Document:
        """The document in ``body``, whose kind ``kinds.kind_of`` has told."""
        with self._lock:
            worker = self._ready_worker()
            if worker is None:
                return Document(kind, failure=Failure.UNREAD)
            try:
                failure, markup = worker.ask(kind, body, self._seconds)
            except WorkerLost as error:
                self._drop()
                if self._is_closed:
                    return Document(kind, failure=Failure.UNREAD)
                logger.debug("The reader of documents was replaced: %s", error)
                return Document(kind, failure=Failure.LIMIT)
            self._done += 1
            if self._done >= DOCUMENTS_A_WORKER:
                self._drop()
        return Document(kind, markup=b"" if failure else markup, failure=failure)

    def close(self) -> None:
        """End the worker, also in the middle of a document; may be called from any thread."""
        self._is_closed = True
        if (worker := self._worker) is not None:
            worker.end()
        with self._lock:
            self._drop()

    @property
    def worker_pid(self) -> int | None:
        """The number of the worker process, while there is one."""
        return self._worker.pid if self._worker is not None else None

    def _ready_worker(self) -> WorkerProcess | None:
        if self._is_closed or self._failed_starts >= _STARTS_TRIED:
            return None
        if self._worker is None:
            try:
                self._worker = WorkerProcess()
            except WorkerLost as error:
                self._failed_starts += 1
                logger.warning("No process could be started that reads documents: %s", error)
                return None
            self._failed_starts = self._done = 0
        return self._worker

    def _drop(self) -> None:
        if self._worker is not None:
            self._worker.close()
            self._worker = None
