"""Opens the stores of topics that were crawled before."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from topicspider.store import location
from topicspider.store.open import open_store
from topicspider.topic.folders import folder_name

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from topicspider.defaults import Options
    from topicspider.store.contract import Store


@contextmanager
def store_of(options: Options, topic: str) -> Iterator[Store | None]:
    """The store that has pages of ``topic``: of a crawl of its own, else of one together with other topics; None when there is none."""
    for path in _files(options, topic):
        store = open_store(options.store, path, options.connect_wait)
        try:
            if store.totals(topic).pages:
                yield store
                return
        finally:
            store.close()
    yield None


@contextmanager
def every_store(options: Options) -> Iterator[Iterator[Store]]:
    """The stores of all topics, one after the other, each open until the next is asked for."""

    def opened() -> Generator[Store]:
        for path in _files(options, ""):
            store = open_store(options.store, path, options.connect_wait)
            try:
                yield store
            finally:
                store.close()

    stores = opened()
    try:
        yield stores
    finally:
        stores.close()


def _files(options: Options, topic: str) -> list[Path]:
    """SQLite files that exist, that of ``topic`` alone first; with a store named by a setting any path will do."""
    data = Path(options.data).expanduser()
    if options.store:
        return [data / location.FILE]
    found = [path for path in sorted(data.glob(f"*/{location.FILE}")) if path.is_file()]
    name = folder_name(topic)
    own = [path for path in found if path.parent.name == name]
    return own + [path for path in found if path not in own and (not topic or name in path.parent.name.split("+"))]
