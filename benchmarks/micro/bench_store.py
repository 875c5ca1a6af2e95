"""How many pages a second the store writes, alone and in groups, and how fast it reads.

    python -m benchmarks.micro.bench_store [--pages 3000] [--body 6000] [--mysql URL | --sqlite-only]

Without ``--mysql`` a private MariaDB is started as the tests do. One CPU writes; bodies are Chinese.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from pathlib import Path

from support.servers import MysqlServer, fresh_database, make_mysql_server
from support.store_rows import link, page
from topicspider.store.location import open_store
from topicspider.store.rows import Batch, LinkRow, PageRow
from topicspider.store.store import Store
from topicspider.store.writer import StoreWriter

CHARACTERS = "山水漓江桂林旅游景点酒店门票攻略春夏秋冬的了在是有和人这中大为上个国我以要他时来用们"


def main() -> None:
    """Measure each store and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=3000)
    parser.add_argument("--body", type=int, default=6000, help="characters a page")
    parser.add_argument("--mysql", default="", help="URL of a server, with a slash at its end")
    parser.add_argument("--sqlite-only", action="store_true")
    options = parser.parse_args()
    pages, links = made(options.pages, options.body)
    kilobytes = sum(len(row.item.body.encode()) for row in pages) / len(pages) / 1000
    print(
        f"{len(pages)} pages with bodies of {kilobytes:.1f} kB, 2 of 3 on topic, and {len(links) // len(pages)} links each"
    )
    for name, opened in stores(options.mysql, options.sqlite_only):
        for title, measure in MEASUREMENTS.items():
            with opened() as store:
                print(f"{name:8} {title:32} {measure(store, pages, links)}")


def made(count: int, length: int) -> tuple[list[PageRow], list[LinkRow]]:
    """Pages, and three sampled links for each."""
    rng = random.Random(0)
    pages = []
    links = []
    for number in range(count):
        url = f"http://host{number % 200}.example/{rng.getrandbits(64):x}"
        body = "".join(rng.choices(CHARACTERS, k=length))
        host = f"host{number % 200}.example"
        pages.append(page(url, on_topic=number % 3 > 0, body=body, relevance=rng.random(), host=host))
        links += [link(f"{url}/{i}", source_url=url, score=rng.random()) for i in range(3)]
    return pages, links


@contextlib.contextmanager
def sqlite_store() -> Iterator[Store]:
    """A new SQLite file."""
    folder = Path(tempfile.mkdtemp())
    store = open_store("", folder / "pages.sqlite")
    try:
        yield store
    finally:
        store.close()
        shutil.rmtree(folder)


@contextlib.contextmanager
def mysql_store(server_url: str) -> Iterator[Store]:
    """A new database."""
    with fresh_database(server_url) as url:
        store = open_store(url, Path())
        try:
            yield store
        finally:
            store.close()


Opened = Callable[[], contextlib.AbstractContextManager[Store]]


def stores(mysql_url: str, sqlite_only: bool) -> Iterator[tuple[str, Opened]]:
    """The stores to measure, each with how to get an empty one."""
    yield "SQLite", sqlite_store
    if sqlite_only:
        return
    folder = Path(tempfile.mkdtemp(prefix="ts-"))
    server: MysqlServer | None = None if mysql_url else make_mysql_server(folder)
    try:
        url = server.url if server else mysql_url
        yield "MySQL", lambda: mysql_store(url)
    finally:
        if server:
            server.stop()
        shutil.rmtree(folder)


def one_by_one(store: Store, pages: list[PageRow], _links: list[LinkRow]) -> str:
    """A commit for each page."""
    some = pages[: max(1, len(pages) // 10)]
    start = time.perf_counter()
    for row in some:
        store.write(Batch(pages=[row]))
    return f"{len(some) / (time.perf_counter() - start):8.0f} pages/s"


def in_batches(store: Store, pages: list[PageRow], _links: list[LinkRow]) -> str:
    """A commit for each 100 pages."""
    start = time.perf_counter()
    for first in range(0, len(pages), 100):
        store.write(Batch(pages=pages[first : first + 100]))
    return f"{len(pages) / (time.perf_counter() - start):8.0f} pages/s"


def again(store: Store, pages: list[PageRow], links: list[LinkRow]) -> str:
    """The same batches a second time."""
    in_batches(store, pages, links)
    return in_batches(store, pages, links)


def by_writer(store: Store, pages: list[PageRow], links: list[LinkRow]) -> str:
    """Each page submitted with its links, as a crawl does."""
    writer = StoreWriter(store)
    start = time.perf_counter()
    futures = [writer.submit(pages=[row], links=links[3 * i : 3 * i + 3]) for i, row in enumerate(pages)]
    wait(futures)
    seconds = time.perf_counter() - start
    assert writer.close() == 0
    return f"{len(pages) / seconds:8.0f} pages/s"


def every_hit(store: Store, pages: list[PageRow], links: list[LinkRow]) -> str:
    """All hits, bodies included."""
    in_batches(store, pages, links)
    start = time.perf_counter()
    count = sum(1 for _ in store.all_hits("tourism"))
    return f"{count / (time.perf_counter() - start):8.0f} pages/s"


MEASUREMENTS: dict[str, Callable[[Store, list[PageRow], list[LinkRow]], str]] = {
    "a commit a page": one_by_one,
    "a commit a hundred pages": in_batches,
    "the same pages again": again,
    "through the writer, with links": by_writer,
    "read all hits": every_hit,
}


if __name__ == "__main__":
    main()
