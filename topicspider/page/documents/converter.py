"""Turns documents into simple markup in a worker process: started with the first one, replaced when it breaks."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import weakref
from multiprocessing.connection import Connection
from pathlib import Path

from topicspider.page.documents.document import MAX_MARKUP_BYTES, WALL_SECONDS, Document, Failure
from topicspider.page.documents.worker import READY

logger = logging.getLogger(__name__)

_INHERITED = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")
"""The only variables that the worker is given: no passwords, no proxies."""


class WorkerLost(Exception):
    """The worker ended, hung, or answered nonsense; it must not be used again."""


class Converter:
    """Blocks while a document is read, one at a time: the crawl calls it in a thread. ``convert`` never raises.

    A worker that hangs, grows or dies is replaced; only its document is lost. After ``close``, or when workers cannot be started,
    every document is UNREAD at once.
    """

    def __init__(self, seconds: float = WALL_SECONDS) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._worker: WorkerProcess | None = None
        self._done = 0
        self._failed_starts = 0
        self._is_closed = False

    def convert(self, kind: str, body: bytes) -> Document:
        """The document in ``body``, whose kind is what ``kinds.kind_of`` says."""
        with self._lock:
            worker = self._ready_worker()
            if worker is None:
                return Document(kind, failure=Failure.UNREAD)
            try:
                failure, markup = worker.convert(kind, body, self._seconds)
            except WorkerLost as error:
                self._drop()
                if self._is_closed:
                    return Document(kind, failure=Failure.UNREAD)
                logger.debug("The reader of documents was replaced: %s", error)
                return Document(kind, failure=Failure.LIMIT)
            self._done += 1
            if self._done >= 200:  # so that what a reader leaks does not add up
                self._drop()
        return Document(kind, markup=b"" if failure else markup, failure=failure)

    def close(self) -> None:
        """End the worker, also in the middle of a document; may be called from any thread."""
        self._is_closed = True
        if (worker := self._worker) is not None:
            worker.kill()
        with self._lock:
            self._drop()

    @property
    def worker_pid(self) -> int | None:
        """The number of the worker process, while there is one."""
        return self._worker.pid if self._worker is not None else None

    def _ready_worker(self) -> WorkerProcess | None:
        if self._is_closed or self._failed_starts >= 3:
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


class WorkerProcess:
    """One process, one document at a time; not to be shared by threads. Messages are framed, never unpickled."""

    def __init__(self) -> None:
        """Start it and wait until it is ready; raises WorkerLost."""
        task_end, tasks = os.pipe()
        answers, answer_end = os.pipe()
        try:
            self._process = subprocess.Popen(
                # -P: no module is looked for in the folder the crawl runs in; -S would lose the libraries
                [sys.executable, "-P", "-m", "topicspider.page.documents.worker"],
                stdin=task_end,
                stdout=answer_end,
                stderr=subprocess.DEVNULL,
                env=_environment(),
                start_new_session=True,  # signals of the terminal are for the crawl
            )
        except OSError as error:
            os.close(tasks)
            os.close(answers)
            raise WorkerLost(str(error)) from None
        finally:
            os.close(task_end)
            os.close(answer_end)
        self._tasks, self._answers = Connection(tasks, readable=False), Connection(answers, writable=False)
        self.pid = self._process.pid
        self._end = weakref.finalize(self, _end, self._process, self._tasks, self._answers)  # also if nobody closes it
        try:
            if self._exchange([], [len(READY)], WALL_SECONDS) != [READY]:
                raise WorkerLost("no greeting")
        except WorkerLost:
            self.close()
            raise

    def convert(self, kind: str, body: bytes, seconds: float = WALL_SECONDS) -> tuple[str, bytes]:
        """(failure or "", markup) of a document; raises WorkerLost."""
        failure, markup = self._exchange([kind.encode(), body], [100, MAX_MARKUP_BYTES], seconds)
        return failure.decode("ascii", "replace"), markup

    def kill(self) -> None:
        """Kill it and clean up; may be called twice, and by another thread."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """``kill``, and give the pipes back: only by the thread that asks."""
        self._end()

    def _exchange(self, messages: list[bytes], limits: list[int], seconds: float) -> list[bytes]:
        """Send ``messages``, receive one answer a limit; a worker that takes longer than ``seconds`` is killed."""
        watchdog = threading.Timer(seconds, self._process.kill)
        watchdog.daemon = True
        watchdog.start()
        try:
            for message in messages:
                self._tasks.send_bytes(message)
            return [self._answers.recv_bytes(limit) for limit in limits]
        except (OSError, EOFError) as error:
            raise WorkerLost(str(error) or "ended") from None
        finally:
            watchdog.cancel()


def _end(process: subprocess.Popen[bytes], *pipes: Connection) -> None:
    process.kill()
    process.wait()
    for pipe in pipes:
        pipe.close()


def _environment() -> dict[str, str]:
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    # also what was added since the start, such as a scrapyd egg; "" is the folder the crawl runs in
    return {
        **inherited,
        "PYTHONPATH": os.pathsep.join(str(Path(path).absolute()) for path in sys.path),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
