"""The process that reads documents: tasks on its standard input, answers on its standard output, under the system's limits.

A task is a line of JSON (``kind``, ``size``) and ``size`` bytes; an answer a line of JSON (``failure``, ``size``) and
``size`` bytes of markup. Nothing that comes is ever executed or unpickled. The process ends when its input does.
"""

from __future__ import annotations

import json
import os
import queue
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import BinaryIO

from topicspider.page.documents.document import Failure
from topicspider.page.documents.errors import Unreadable
from topicspider.page.documents.limits import HARD_CPU_SECONDS, MAX_MARKUP_BYTES, MEMORY_BYTES, SOFT_CPU_SECONDS

READY = b"ready\n"
LONGEST_LINE = 1_000
_STACK = 1024 * 1024
_FILES = 64

Task = tuple[str, bytes]


def main() -> None:
    """Answer tasks until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the crawl, which ends this process
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not stand between answers
    tasks: queue.Queue[Task] = queue.Queue(1)
    threading.stack_size(_STACK)
    threading.Thread(target=_receive, args=(sys.stdin.buffer, tasks), daemon=True).start()
    _limit()
    answers.write(READY)
    answers.flush()
    while True:
        kind, body = tasks.get()
        _allow_seconds(HARD_CPU_SECONDS)
        failure, markup = read(kind, body)
        head = json.dumps({"failure": failure, "size": len(markup)}).encode()
        answers.write(head + b"\n" + markup)
        answers.flush()


def read(kind: str, body: bytes) -> tuple[str, bytes]:
    """(failure or "", markup) of one document; whatever a broken document raises is a failure with a name."""
    until = time.process_time() + SOFT_CPU_SECONDS
    try:
        markup = _reader(kind)(body, lambda: time.process_time() > until)
    except Unreadable as error:
        return error.failure.value, b""
    except (MemoryError, RecursionError):
        return Failure.LIMIT.value, b""
    except ImportError:
        return Failure.UNREAD.value, b""
    except Exception:  # noqa: BLE001 - documents break in more ways than can be listed; the process goes on
        return Failure.DAMAGED.value, b""
    return ("", markup) if len(markup) <= MAX_MARKUP_BYTES else (Failure.LIMIT.value, b"")


def _reader(kind: str) -> Callable[[bytes, Callable[[], bool]], bytes]:
    """Libraries are loaded when the first document of a kind comes."""
    if kind == "pdf":
        from topicspider.page.documents import pdf

        return pdf.markup_of
    if kind == "docx":
        from topicspider.page.documents import docx

        return docx.markup_of
    if kind == "epub":
        from topicspider.page.documents import epub

        return epub.markup_of
    raise Unreadable(Failure.UNREAD)


def _receive(stream: BinaryIO, tasks: queue.Queue[Task]) -> None:
    """In a thread of its own, so that the end of the input ends the process even while a document is read."""
    try:
        while line := stream.readline(LONGEST_LINE):
            head = json.loads(line)
            body = stream.read(int(head["size"]))
            if len(body) != head["size"]:
                break
            tasks.put((str(head["kind"]), body))
    finally:
        os._exit(0)


def _limit() -> None:
    """Memory, files, processes; where a system does not know a limit, the others hold."""
    limits = {
        resource.RLIMIT_AS: MEMORY_BYTES,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: _FILES,
        resource.RLIMIT_NPROC: 0,
    }
    for kind, value in limits.items():
        try:
            _soft, hard = resource.getrlimit(kind)
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (value, value))
        except (ValueError, OSError):
            continue


def _allow_seconds(seconds: int) -> None:
    """CPU time from now on; the system ends the process when it is over."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    limit = int(time.process_time()) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


if __name__ == "__main__":
    main()
