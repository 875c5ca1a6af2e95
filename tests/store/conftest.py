"""One store of each kind, empty, for the tests of the contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from topicspider.store.location import open_store
from topicspider.store.store import Store

KINDS = ("memory", "sqlite", "mysql")


@pytest.fixture(params=KINDS)
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty store."""
    if request.param == "mysql":
        return request.getfixturevalue("mysql_database")
    return "memory:" if request.param == "memory" else f"sqlite:///{tmp_path / 'pages.sqlite'}"


@pytest.fixture(params=KINDS[1:])
def lasting_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty store that outlives its connection."""
    return (
        request.getfixturevalue("mysql_database") if request.param == "mysql" else f"sqlite:///{tmp_path / 'p.sqlite'}"
    )


@pytest.fixture
def opened() -> Iterator[Callable[[str], Store]]:
    """Open stores that are closed at the end of the test."""
    stores: list[Store] = []

    def open_one(url: str) -> Store:
        stores.append(open_store(url, Path("/nonexistent"), connect_wait=0))
        return stores[-1]

    yield open_one
    for store in stores:
        store.close()


@pytest.fixture
def store(store_url: str, opened: Callable[[str], Store]) -> Store:
    """An empty store of each kind."""
    return opened(store_url)
