"""Keeps what was learned of a topic on disk by a digest of what it came from: gensim alone takes seconds to import."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

VERSION = 1  # raise it when the same words would be learned otherwise


def kept_weights(source: object, learn: Callable[[], dict[str, float]]) -> dict[str, float]:
    """``learn()``, or what it gave before for an equal ``source`` (plain data).

    A file that cannot be read or written, or holds anything but weights, only costs the time.
    """
    path = _folder() / f"{_digest(source)}.json"
    weights = _read(path)
    if weights is None:
        weights = learn()
        with contextlib.suppress(OSError):
            _write(path, weights)
    return weights


def _folder() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "topicspider" / "learned"


def _digest(source: object) -> str:
    text = json.dumps([VERSION, source], ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _read(path: Path) -> dict[str, float] | None:
    try:
        weights = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    is_sound = isinstance(weights, dict) and all(isinstance(weight, float) for weight in weights.values())
    return weights if is_sound else None


def _write(path: Path, weights: dict[str, float]) -> None:
    """At once or not at all: two crawls may learn the same topic."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(weights, file, ensure_ascii=False)
    Path(name).replace(path)
