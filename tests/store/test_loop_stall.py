"""S2: nothing of the store is done on the event loop's thread while a real MySQL hangs, dies and comes back.

How long the loop of a whole crawl stands still is measured, not tested: ``python -m benchmarks.crawl.outages``.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from support.servers import MysqlServer, fresh_database, run_sql
from support.store_rows import page
from topicspider.store.location import open_store
from topicspider.store.outbox import Outbox
from topicspider.store.writer import StoreWriter

PAGES = 120


@pytest.mark.parametrize(("how", "back"), [("pause", "resume"), ("kill", "start")])
def test_the_loop_does_nothing_of_the_store_while_mysql_is_away(
    mysql_server: MysqlServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, back: str
) -> None:
    with fresh_database(mysql_server.url) as url:
        store = open_store(url, Path(), connect_wait=0, answer_seconds=0.5)
        outbox = Outbox(tmp_path / "outbox.db")
        threads: dict[str, set[int]] = {}
        for kept, name in ((store, "write"), (outbox, "append"), (outbox, "first"), (outbox, "remove")):
            monkeypatch.setattr(kept, name, _noted(getattr(kept, name), threads.setdefault(name, set())))
        writer = StoreWriter(store, batch=20, outbox=outbox)
        loop_thread = threading.get_ident()
        try:
            asyncio.run(_outage(writer, getattr(mysql_server, how), getattr(mysql_server, back)))
        finally:
            assert writer.close() == 0
            store.close()
        assert all(threads.values()), "the outage was not noticed"
        assert loop_thread not in set().union(*threads.values())
        assert run_sql(url, "SELECT COUNT(*), COUNT(DISTINCT url_hash) FROM pages")[0] == (PAGES, PAGES)


def _noted(method: Callable[..., object], threads: set[int]) -> Callable[..., object]:
    def call(*arguments: object) -> object:
        threads.add(threading.get_ident())
        return method(*arguments)

    return call


async def _outage(writer: StoreWriter, leave: Callable[[], None], come_back: Callable[[], None]) -> None:
    """Submit pages as a crawl does, the middle third of them while the server is away."""
    for number in range(PAGES):
        if number == PAGES // 3:
            await asyncio.to_thread(leave)
        if number == 2 * PAGES // 3:
            await asyncio.to_thread(come_back)
        row = page(f"http://a.example/{number}", body=f"漓江{number}" * 2000)
        await asyncio.wait_for(asyncio.wrap_future(writer.submit(pages=[row])), 60)
