"""Writes a file, or into one of SQLite, so that it is there whole or, when something goes wrong, as it was before; and the folder of files that can be made again."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from topicspider.errors import ConfigError
from topicspider.i18n import N_

MOVED = N_("the file was moved or deleted while it was open")


def atomic_write(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Put ``data`` on the disk under another name and move it to ``path``, whose folders are made; raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}-")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_result(path: Path, data: bytes) -> Path:
    """Write a file among a crawl's results, at once or not at all; returns it. ConfigError when its folder cannot be written."""
    try:
        atomic_write(path, data)
    except OSError as error:
        why = error.strerror or ""
        raise ConfigError("TOPICSPIDER_DATA", str(path.parent), "a folder that can be written", why) from None
    return path


def file_number(path: Path | str) -> tuple[int, int] | None:
    """Disk and number of the file that has the name now, None when none has it: what is open may have been moved, or deleted."""
    with suppress(OSError):
        found = os.stat(path)  # noqa: PTH116 - at each commit
        return found.st_dev, found.st_ino
    return None


@contextmanager
def transaction(
    database: sqlite3.Connection, path: Path | str = ":memory:", number: tuple[int, int] | None = None
) -> Iterator[None]:
    """All or nothing, with the lock of a writer from the start. sqlite3.OperationalError when the file at ``path`` is not the one with that number."""
    if file_number(path) != number:
        raise sqlite3.OperationalError(MOVED)
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:  # a full disk has rolled back by itself already
            database.execute("ROLLBACK")
        raise


def cache_folder(kind: str) -> Path:
    """Where files of one ``kind`` are kept that can be made again; it need not exist."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "topicspider" / kind
