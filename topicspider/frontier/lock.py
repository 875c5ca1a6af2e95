"""The lock that keeps two processes from crawling on one frontier file."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from topicspider.errors import CrawlRunning, FrontierUnavailable

_TRIES, _PAUSE_SECONDS = 5, 0.1


class FileLock:
    """An exclusive lock on ``PATH.lock``, held as long as the process lives, even if it dies by kill -9.

    It is an flock and not the file's existence: a dead process leaves the file, but no lock. The file
    is never deleted, else a third process could lock a name that a second one still waits on.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(path.name + ".lock")
        self._descriptor = self._open()
        try:
            self._lock()
        except BlockingIOError:
            holder = self._holder()
            os.close(self._descriptor)
            raise CrawlRunning(
                f"this crawl is running already: process {holder} holds {path}; stop it, or wait for its end"
            ) from None
        except OSError as error:
            os.close(self._descriptor)
            raise FrontierUnavailable(f"frontier {path}", f"cannot lock {self._path}: {error.strerror}") from None
        self._write_holder()

    def release(self) -> None:
        """Let the next process in; a second time it does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _lock(self) -> None:
        """Whoever only looks, or steers, holds it for a moment."""
        for _ in range(_TRIES):
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                time.sleep(_PAUSE_SECONDS)
        fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _open(self) -> int:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise FrontierUnavailable(
                f"frontier {self._path.with_suffix('')}",
                f"cannot be written: {error.strerror}: {error.filename}",
                "Choose another folder by TOPICSPIDER_DATA",
            ) from None

    def _write_holder(self) -> None:
        try:
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)
        except OSError:  # a full disk: the lock holds all the same, only its holder's number is missing
            return

    def _holder(self) -> str:
        return _read_holder(self._descriptor)


def holder_of(path: Path) -> str:
    """The number of the process that holds ``path``, "" when none does; a process that dies holds nothing."""
    try:
        descriptor = os.open(path.with_name(path.name + ".lock"), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return _read_holder(descriptor)
    finally:
        os.close(descriptor)
    return ""


def _read_holder(descriptor: int) -> str:
    return os.pread(descriptor, 32, 0).decode("ascii", "replace").strip() or "(number unknown)"
