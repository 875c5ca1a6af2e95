"""Keeps what was made of a topic on disk by a digest of what it came from (gensim alone takes seconds to import)."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable
from typing import Any, TypeVar

from topicspider.files import atomic_write, cache_folder

T = TypeVar("T")


def cached(
    kind: str, source: object, make: Callable[[], T], plain: Callable[[T], object], read: Callable[[Any], T]
) -> T:
    """``make()``, or what it gave before for an equal ``source``; ``kind`` names the folder it is kept in.

    ``plain`` turns it into what JSON can hold, and ``read`` back: whatever ``read`` raises (ValueError, TypeError, KeyError,
    AttributeError) means that the file is broken, which only costs the time, as does a file that cannot be read or written.
    """
    path = cache_folder(kind) / f"{digest(source)}.json"
    try:
        return read(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        made = make()
    with contextlib.suppress(OSError):
        atomic_write(path, json.dumps(plain(made), ensure_ascii=False).encode())  # two crawls may learn the same topic
    return made


def digest(source: object) -> str:
    """A short name for plain data: the same on every machine."""
    text = json.dumps(source, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
