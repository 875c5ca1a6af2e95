"""Converts each document to simple HTML in a process of its own, under the operating system's limits.

The process reads a line with the kind, then the bytes. It writes a line with the name of a failure (empty for none), then the markup.
Nothing received is ever executed or unpickled.
"""

from __future__ import annotations

import logging
import os
import resource
import subprocess
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from topicspider.page.documents.document import (
    CPU_SECONDS,
    MAX_MARKUP_BYTES,
    MEMORY_BYTES,
    WALL_SECONDS,
    Document,
    Failure,
    Unreadable,
)

logger = logging.getLogger(__name__)

_INHERITED = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")
"""The only environment variables that the process receives: no passwords, no proxies."""


def convert(kind: str, body: bytes, seconds: float = WALL_SECONDS) -> Document:
    """The document in ``body``, of the ``kind`` that decode.kind_of returns; blocks while it is read, and never raises."""
    try:
        process = start(__name__, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError as error:
        logger.warning("No process could be started that reads documents: %s", error)
        return Document(kind, failure=Failure.UNREAD)
    watchdog = threading.Timer(seconds, process.kill)
    watchdog.daemon = True
    watchdog.start()
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError):
            process.stdin.write(kind.encode() + b"\n" + body)
            process.stdin.close()
        answer = process.stdout.read(MAX_MARKUP_BYTES + 100)
        if process.stdout.read(1):
            process.kill()
    watchdog.cancel()
    failure, mark, markup = answer.partition(b"\n")
    if not mark or process.returncode:
        was_killed = process.returncode < 0
        return Document(kind, failure=Failure.LIMIT if was_killed else Failure.UNREAD)
    return Document(kind, markup=markup, failure=failure.decode("ascii", "replace"))


def start(module: str, *arguments: str, **channels: Any) -> subprocess.Popen[bytes]:
    """Runs a module of ours in a session of its own, so that the terminal's signals reach only the crawl."""
    # -P: do not import modules from the folder the crawl runs in; -S would lose the libraries
    command = [sys.executable, "-P", "-m", module, *arguments]
    # includes what was added to sys.path since the start, such as a scrapyd egg; "" is the current folder
    environment = (
        {name: os.environ[name] for name in _INHERITED if name in os.environ}
        | {
            "PYTHONPATH": os.pathsep.join(str(Path(path).absolute()) for path in sys.path),
            "PYTHONDONTWRITEBYTECODE": "1",
            "MALLOC_TRIM_THRESHOLD_": "131072",  # the default, set so that it stays fixed: else 4 MB of freed page trees remain allocated
        }
    )
    return subprocess.Popen(command, env=environment, start_new_session=True, **channels)  # noqa: S603


def main() -> None:
    """Reads one document from stdin and writes the answer to stdout."""
    with os.fdopen(os.dup(1), "wb") as answer:
        os.dup2(2, 1)  # what a library prints must not get into the answer
        kind, _, body = sys.stdin.buffer.read().partition(b"\n")
        limit()
        failure, markup = read(kind.decode(), body)
        answer.write(failure.encode() + b"\n" + markup)


def read(kind: str, body: bytes) -> tuple[str, bytes]:
    """(failure or "", markup) of one document; any exception that a broken document causes becomes a named failure."""
    until = time.process_time() + CPU_SECONDS
    try:
        markup: bytes = import_module(f"topicspider.page.documents.{kind}").markup_of(
            body, lambda: time.process_time() > until
        )
    except Unreadable as error:
        return error.failure.value, b""
    except (MemoryError, RecursionError):
        return Failure.LIMIT.value, b""
    except ImportError:
        return Failure.UNREAD.value, b""
    except Exception:  # noqa: BLE001 - documents break in more ways than can be listed
        return Failure.DAMAGED.value, b""
    return ("", markup) if len(markup) <= MAX_MARKUP_BYTES else (Failure.LIMIT.value, b"")


def limit() -> None:
    """Limits memory, CPU time, files and processes of this process; a limit that the system does not know is skipped."""
    limits = {
        resource.RLIMIT_AS: MEMORY_BYTES,
        resource.RLIMIT_CPU: 1 + 2 * int(CPU_SECONDS),
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: 64,
        resource.RLIMIT_NPROC: 0,
    }
    for kind, most in limits.items():
        with suppress(ValueError, OSError):
            _soft, hard = resource.getrlimit(kind)
            value = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(kind, (value, value))


if __name__ == "__main__":
    main()
