"""The inspections under test: a frontier, and somebody who looks at it and steers it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.reference.frontier_model import FrontierModel
from topicspider.frontier.sqlite.frontier import SqliteFrontier
from topicspider.frontier.sqlite.inspection import SqliteInspection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.frontier.conftest import FakeClock, RedisCrawls
    from topicspider.frontier.inspection import Inspection
    from topicspider.frontier.protocol import Frontier

Pair = tuple["Frontier", "Inspection"]


def open_memory(_path: Path, **options: Any) -> Pair:
    frontier = FrontierModel(**options)
    return frontier, frontier


def open_sqlite(path: Path, **options: Any) -> Pair:
    """By the process that owns the file."""
    frontier = SqliteFrontier(path, **options)
    return frontier, SqliteInspection(path, frontier, clock=options["clock"])


def open_sqlite_beside(path: Path, **options: Any) -> Pair:
    """As another process would."""
    return SqliteFrontier(path, **options), SqliteInspection(path, clock=options["clock"])


def open_redis(path: Path, crawls: RedisCrawls, **options: Any) -> Pair:
    """Beside the crawl, as it is in Redis for everybody."""
    return crawls.open(path.stem, **options), crawls.look(path.stem, clock=options["clock"])


# a new kind of frontier is one more line
KINDS: dict[str, Callable[..., Pair]] = {
    "memory": open_memory,
    "sqlite": open_sqlite,
    "sqlite-beside": open_sqlite_beside,
    "redis": open_redis,
}
ALONE = [name for name in KINDS if name != "sqlite-beside"]
"""Those that may take in."""


@pytest.fixture(name="opened", params=list(KINDS))
def opened_pairs(request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock) -> Iterator[Callable[..., Pair]]:
    """Opens a frontier of one kind, a new one each time, with its inspection; ``kind`` for one of another kind."""
    made: list[Pair] = []

    def make(kind: str = "", **options: Any) -> Pair:
        path = tmp_path / f"前沿-{len(made)}.db"
        given = {"clock": clock, **options}
        if (kind or request.param) == "redis":
            given["crawls"] = request.getfixturevalue("redis_crawls")
        made.append(KINDS[kind or request.param](path, **given))
        return made[-1]

    make.kind = request.param  # type: ignore[attr-defined]
    yield make
    for frontier, inspection in made:
        inspection.close()
        frontier.close()
