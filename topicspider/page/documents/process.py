"""The crawl's end of a worker process: starts it, talks to it with deadlines, ends it."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
import weakref
from pathlib import Path

from topicspider.page.documents.limits import MAX_MARKUP_BYTES, START_SECONDS, WALL_SECONDS
from topicspider.page.documents.worker import LONGEST_LINE, READY

_CHUNK = 1024 * 1024
_KEPT_VARIABLES = (
    "PATH",
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
    "PYTHONHOME",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "SYSTEMROOT",
)
"""The worker inherits nothing else: no passwords, no proxies."""


class WorkerLost(Exception):
    """The worker ended, hung, or spoke nonsense; it must not be used again."""


class WorkerProcess:
    """One process, one document at a time; not to be shared by threads."""

    def __init__(self) -> None:
        """Start it and wait until it is ready; raises WorkerLost."""
        try:
            self._process = subprocess.Popen(
                # -P: no module is looked for in the folder the crawl runs in; -S would lose the libraries
                [sys.executable, "-P", "-m", "topicspider.page.documents.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                env=_environment(),
                start_new_session=True,  # signals of the terminal are for the crawl
            )
        except OSError as error:
            raise WorkerLost(str(error)) from None
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._end = weakref.finalize(self, _end, self._process)  # also when nobody closes it
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        self._buffer = b""
        try:
            if self._line(time.monotonic() + START_SECONDS) + b"\n" != READY:
                raise WorkerLost("no greeting")
        except WorkerLost:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    def ask(self, kind: str, body: bytes, seconds: float = WALL_SECONDS) -> tuple[str, bytes]:
        """(failure or "", markup) of a document; raises WorkerLost."""
        deadline = time.monotonic() + seconds
        self._send(json.dumps({"kind": kind, "size": len(body)}).encode() + b"\n", deadline)
        self._send(body, deadline)
        try:
            head = json.loads(self._line(deadline))
            failure, size = str(head["failure"])[:100], int(head["size"])
        except (ValueError, KeyError, TypeError):
            raise WorkerLost("an answer that is none") from None
        if not 0 <= size <= MAX_MARKUP_BYTES:
            raise WorkerLost("an answer that is too long")
        return failure, self._take(size, deadline)

    def end(self) -> None:
        """Kill it and clean up; may be called twice, and by another thread."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """``end``, and give the pipes back: only by the thread that asks."""
        self._end()

    def _send(self, data: bytes, deadline: float) -> None:
        view = memoryview(data)
        while view:
            self._wait(self._in, select.POLLOUT, deadline)
            try:
                view = view[os.write(self._in, view[:_CHUNK]) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise WorkerLost(str(error)) from None

    def _line(self, deadline: float) -> bytes:
        while b"\n" not in self._buffer:
            if len(self._buffer) > LONGEST_LINE:
                raise WorkerLost("an answer that is none")
            self._receive(deadline)
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _take(self, size: int, deadline: float) -> bytes:
        parts = [self._buffer]
        left = size - len(self._buffer)
        while left > 0:
            self._buffer = b""
            self._receive(deadline)
            parts.append(self._buffer)
            left -= len(self._buffer)
        whole = b"".join(parts)
        self._buffer = whole[size:]
        return whole[:size]

    def _receive(self, deadline: float) -> None:
        self._wait(self._out, select.POLLIN, deadline)
        try:
            chunk = os.read(self._out, _CHUNK)
        except BlockingIOError:
            return
        except OSError as error:
            raise WorkerLost(str(error)) from None
        if not chunk:
            raise WorkerLost("ended")
        self._buffer += chunk

    def _wait(self, descriptor: int, event: int, deadline: float) -> None:
        left = deadline - time.monotonic()
        poll = select.poll()
        poll.register(descriptor, event)
        if left <= 0 or not poll.poll(left * 1000):
            raise WorkerLost("too slow")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    # also what was added since the start, such as a scrapyd egg; "" is the folder the crawl runs in
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join(str(Path(path).absolute()) for path in sys.path),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
