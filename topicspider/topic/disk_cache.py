"""Caches what was computed for a topic on disk, keyed by a digest of its sources (importing gensim alone takes seconds)."""

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
    """``make()``, or its cached result for an equal ``source``; ``kind`` names the cache folder.

    ``plain`` converts the result to JSON data, ``read`` converts it back. If ``read`` raises ValueError, TypeError, KeyError or
    AttributeError, the file is broken, and the result is made anew; so it is when the file cannot be read. A failure to write is ignored.
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
    """32 hexadecimal digits of the SHA-256 of plain data; the same on every machine."""
    text = json.dumps(source, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
