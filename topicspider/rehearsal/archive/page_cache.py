"""Keeps the pages of a web that was read as a whole in a file of its own, whoever asks first."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from topicspider.errors import RecordingError, one_line
from topicspider.rehearsal.archive.feature_file import FeatureFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

COMPLETE = "complete"


def open_cache(path: Path, fill: Callable[[FeatureFile], None], say: Callable[[str], None]) -> FeatureFile:
    """The file at ``path``, filled by ``fill`` unless it is complete; one process fills it, the others wait for it.

    ``fill`` may be broken off at any time: it is called again with what the file holds. Raises RecordingError.
    """
    if (known := _complete(path)) is not None:
        return known
    with _alone(path, say):
        if (known := _complete(path)) is not None:
            return known
        file = _begun(path)
        try:
            if not file.meta(COMPLETE):
                fill(file)
                file.set_meta({COMPLETE: "yes"})
        except BaseException:
            file.close()
            raise
        file.finish()
    return FeatureFile.open(path)


def is_complete(path: Path) -> bool:
    """Whether nothing is missing in the file at ``path``, so that ``open_cache`` will not fill it."""
    if (file := _complete(path)) is None:
        return False
    file.close()
    return True


def _complete(path: Path) -> FeatureFile | None:
    """The file, if it can be read and nothing is missing; whoever holds the lock finds out what is wrong with any other."""
    if not path.exists():
        return None
    file = None
    try:
        file = FeatureFile.open(path)
        if file.meta(COMPLETE):
            return file
    except RecordingError:  # another process is making it, or was killed while it did, or it is damaged
        pass
    if file is not None:
        file.close()
    return None


def _begun(path: Path) -> FeatureFile:
    """The file, to be written: a new one, also in place of one that is still without tables, or one that was broken off."""
    was_there = path.exists()
    file = None
    try:
        file = FeatureFile.create(path)
        file.meta(COMPLETE)  # can it be read?
    except RecordingError as error:
        if file is not None:
            file.close()
        advice = "; it is a cache: delete it, and it is made anew" if was_there else ""
        raise RecordingError(one_line(f"{error}{advice}")) from None
    return file


@contextmanager
def _alone(path: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Held by one process at a time, even if it dies; others wait."""
    try:
        descriptor = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise RecordingError(one_line(f"{path.parent}: cannot be written: {error.strerror}")) from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another process is reading this web: waiting for it")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
