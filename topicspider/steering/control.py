"""The channel between a running crawl and whoever watches it, in another process: two files in the crawl's folder.

The crawl writes its status each second, and once more when it ends; a watcher writes its orders, which the crawl reads each second.
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
"""Key in the status of a recrawl: the status that the crawl itself wrote last. A recrawl that was killed leaves it there."""
MOST_POINTS = 400
"""Points of a curve on the screen: when there are more, every other one is removed, so it has 200 to 400."""
Status = dict[str, Any]
_TYPES: dict[str, type] = {
    "pages": int, "hits": int, "started_at": str, "state": str, "curve": list, "found": list, "decisions": list, "fetching": list, "resting": dict, CRAWL: dict,
}  # fmt: skip
Point = tuple[int, int, float]
"""Pages so far, hits so far, and the harvest rate (hits per page) of the last 100 pages."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What a watcher wants of one ``run``; ``max_pages`` None and ``pace`` "": as the run was started. New orders replace the old ones."""

    run: str
    is_paused: bool = False
    is_stopped: bool = False
    max_pages: int | None = None
    pace: str = ""


def read_orders(folder: Path, run: str) -> Orders:
    """The orders for ``run``; the default ones when there are none for it, or none that can be read."""
    told = _read(folder / ORDERS_FILE)
    known = {field.name: told[field.name] for field in fields(Orders) if field.name in told}
    return Orders(**known) if known.get("run") == run else Orders(run)


def write_orders(folder: Path, orders: Orders) -> None:
    """Raises OSError."""
    _write(folder / ORDERS_FILE, asdict(orders))


def read_status(folder: Path) -> Status:
    """What the crawl wrote last; {} when there is nothing that can be read, or a value has a wrong type."""
    told = _read(folder / STATUS_FILE)
    return told if all(isinstance(told.get(name, kind()), kind) for name, kind in _TYPES.items()) else {}


def write_status(folder: Path, status: Mapping[str, Any]) -> None:
    """Raises OSError."""
    _write(folder / STATUS_FILE, status)


def _read(path: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError, RecursionError):
        told = json.loads(path.read_bytes()) if path.is_file() else {}  # reading a pipe would block
        return told if isinstance(told, dict) else {}
    return {}


def _write(path: Path, values: Mapping[str, Any]) -> None:
    """Replace the file at once: readers see the old or the new one. After a power cut it may be lost, which does no harm."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_text(json.dumps(values, ensure_ascii=False), encoding="utf-8", errors="replace")
    part.replace(path)


class HarvestCurve:
    """Hits by pages over all runs of a crawl, in at most MOST_POINTS points."""

    def __init__(self, earlier: Iterator[Point] | list[Point] | None = None) -> None:
        self.points: list[Point] = [(int(pages), int(hits), float(recent)) for pages, hits, recent in earlier or ()]

    @property
    def last(self) -> Point:
        return self.points[-1] if self.points else (0, 0, 0.0)

    def add(self, pages: int, hits: int, recent: float) -> None:
        """Add a point; does nothing when no page came since the last one."""
        if pages <= self.last[0]:
            return
        self.points.append((pages, hits, round(recent, 4)))
        if len(self.points) > MOST_POINTS:
            del self.points[1:-1:2]
