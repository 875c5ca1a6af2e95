"""One store of each kind, empty, for the tests of the contract."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from topicspider.errors import BadRow, StoreUnavailable
from topicspider.store.location import open_store
from topicspider.store.rows import Batch, Copies
from topicspider.store.store import Store
from topicspider.store.writer import StoreWriter

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


class AwayStore:
    """A store in memory whose writes wait for ``gate`` and fail with ``error``; ``urls`` are in the order in which they were written."""

    def __init__(self) -> None:
        self.inner: Store = open_store("memory:", Path())
        self.gate, self.entered = threading.Event(), threading.Event()
        self.gate.set()
        self.error: StoreUnavailable | None = None
        self.fails_at = ""  # a URL of a row that this store takes for bad
        self.urls: list[str] = []

    def write(self, batch: Batch) -> Copies:
        self.entered.set()
        self.gate.wait(10)
        if self.error is not None:
            raise self.error
        if any(row.item.url == self.fails_at for row in batch.pages):
            raise BadRow("row", self.fails_at, "something else")
        copies = self.inner.write(batch)
        self.urls += [row.item.url for row in batch.pages]
        return copies


@pytest.fixture
def away() -> Iterator[AwayStore]:
    store = AwayStore()
    yield store
    store.inner.close()


@pytest.fixture
def start_writer() -> Iterator[Callable[..., StoreWriter]]:
    """Writers that are closed at the end of the test."""
    writers: list[StoreWriter] = []

    def start(store: object, **options: object) -> StoreWriter:
        writers.append(StoreWriter(store, **options))  # type: ignore[arg-type]
        return writers[-1]

    yield start
    for writer in writers:
        writer.close(timeout_seconds=0)
