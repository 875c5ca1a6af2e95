"""The frontiers under test: every contract test runs on each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from topicspider.frontier.memory import MemoryFrontier
from topicspider.frontier.sqlite import SqliteFrontier

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from topicspider.frontier.protocol import Frontier


class FakeClock:
    """A wall clock that a test moves, backwards too."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=["memory", "sqlite"])
def make_frontier(
    request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock
) -> Iterator[Callable[..., Frontier]]:
    """Makes frontiers of one kind with the fake clock; each has a file of its own."""
    made: list[Frontier] = []

    def make(**options: Any) -> Frontier:
        options.setdefault("clock", clock)
        if request.param == "memory":
            made.append(MemoryFrontier(**options))
        else:
            made.append(SqliteFrontier(tmp_path / f"前沿-{len(made)}.sqlite", **options))
        return made[-1]

    yield make
    for frontier in made:
        frontier.close()


@pytest.fixture
def frontier(make_frontier: Callable[..., Frontier]) -> Frontier:
    return make_frontier()
