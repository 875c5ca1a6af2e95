"""The process that reads documents, under the system's limits: tasks on its standard input, answers on its output.

A task is two framed messages, kind and bytes; an answer is two, failure ("" for none) and markup. Nothing that comes
is ever executed or unpickled. The process ends when its input does.
"""

from __future__ import annotations

import os
import queue
import resource
import signal
import threading
import time
from collections.abc import Callable
from importlib import import_module
from multiprocessing.connection import Connection

from topicspider.page.documents.document import CPU_SECONDS, MAX_MARKUP_BYTES, MEMORY_BYTES, Failure, Unreadable

READY = b"ready"


def main() -> None:
    """Answer tasks until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the crawl, which ends this process
    answers = Connection(os.dup(1), readable=False)
    os.dup2(2, 1)  # whatever a library prints must not stand between answers
    tasks: queue.Queue[tuple[str, bytes]] = queue.Queue(1)
    threading.stack_size(1024 * 1024)
    threading.Thread(target=_receive, args=(Connection(os.dup(0), writable=False), tasks), daemon=True).start()
    _limit()
    answers.send_bytes(READY)
    while True:
        kind, body = tasks.get()
        _allow_seconds(2 * int(CPU_SECONDS))
        failure, markup = read(kind, body)
        answers.send_bytes(failure.encode())
        answers.send_bytes(markup)


def read(kind: str, body: bytes) -> tuple[str, bytes]:
    """(failure or "", markup) of one document; whatever a broken document raises is a failure with a name."""
    until = time.process_time() + CPU_SECONDS
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
    if kind not in ("pdf", "docx", "epub"):
        raise Unreadable(Failure.UNREAD)
    reader: Callable[[bytes, Callable[[], bool]], bytes] = import_module(f"topicspider.page.documents.{kind}").markup_of
    return reader


def _receive(stream: Connection, tasks: queue.Queue[tuple[str, bytes]]) -> None:
    """In a thread of its own, so that the end of the input ends the process even while a document is read."""
    try:
        while True:
            tasks.put((stream.recv_bytes().decode(), stream.recv_bytes()))
    finally:
        os._exit(0)


def _limit() -> None:
    """Memory, files, processes; where a system does not know a limit, the others hold."""
    limits = {
        resource.RLIMIT_AS: MEMORY_BYTES,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: 64,
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
