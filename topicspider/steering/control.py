"""The channel between a running crawl and whoever watches it, in another process: two files in the crawl's folder.

The crawl writes its status each second, and once more when it ends; a watcher writes what it wants, and the crawl reads that each second.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

STATUS_FILE = "status.json"
ORDERS_FILE = "orders.json"
RUNNING, PAUSED, STOPPING, ENDED = "running", "paused", "stopping", "ended"
CRAWL = "crawl"
"""In the status of a recrawl, what the crawl had written; a recrawl that was killed leaves it there."""
MOST_POINTS = 400
"""Of a curve on the screen: each second one goes when there are more, so it has 200 to 400."""
Status = dict[str, Any]
_TYPES: dict[str, type] = {
    "pages": int, "hits": int, "started_at": str, "state": str, "curve": list, "found": list, "decisions": list, "fetching": list, "resting": dict, CRAWL: dict,
}  # fmt: skip
Point = tuple[int, int, float]
"""Pages and hits so far, and hits a page among the last 100."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What is wanted of one ``run``; ``max_pages`` None and ``pace`` "": as it was started. The last word counts, not how often it was said."""

    run: str
    is_paused: bool = False
    is_stopped: bool = False
    max_pages: int | None = None
    pace: str = ""


def read_orders(folder: Path, run: str) -> Orders:
    """What is wanted of ``run``; nothing when nobody said anything of it, or nothing that can be read."""
    told = _read(folder / ORDERS_FILE)
    known = {field.name: told[field.name] for field in fields(Orders) if field.name in told}
    return Orders(**known) if known.get("run") == run else Orders(run)


def write_orders(folder: Path, orders: Orders) -> None:
    """Raises OSError."""
    _write(folder / ORDERS_FILE, asdict(orders))


def read_status(folder: Path) -> Status:
    """What the crawl wrote last; nothing when it wrote nothing that can be read, or somebody else something of other types."""
    told = _read(folder / STATUS_FILE)
    return told if all(isinstance(told.get(name, kind()), kind) for name, kind in _TYPES.items()) else {}


def write_status(folder: Path, status: Mapping[str, Any]) -> None:
    """Raises OSError."""
    _write(folder / STATUS_FILE, status)


def _read(path: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError, RecursionError):
        told = json.loads(path.read_bytes()) if path.is_file() else {}  # a pipe would be waited for
        return told if isinstance(told, dict) else {}
    return {}


def _write(path: Path, values: Mapping[str, Any]) -> None:
    """Whoever reads sees the old or the new; after a power cut it may be gone, which costs nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_text(json.dumps(values, ensure_ascii=False), encoding="utf-8", errors="replace")
    part.replace(path)


class HarvestCurve:
    """How a harvest came, over all runs of a crawl, in a bounded number of points."""

    def __init__(self, earlier: Iterator[Point] | list[Point] | None = None) -> None:
        self.points: list[Point] = [(int(pages), int(hits), float(recent)) for pages, hits, recent in earlier or ()]

    @property
    def last(self) -> Point:
        return self.points[-1] if self.points else (0, 0, 0.0)

    def add(self, pages: int, hits: int, recent: float) -> None:
        """Where things stand; nothing when no page came since."""
        if pages <= self.last[0]:
            return
        self.points.append((pages, hits, round(recent, 4)))
        if len(self.points) > MOST_POINTS:
            del self.points[1:-1:2]
