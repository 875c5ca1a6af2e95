"""S2: the event loop turns on while a real MySQL hangs, dies and comes back."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.servers import MysqlServer, fresh_database, run_sql
from tests.store.rows import page
from topicspider.store.open import open_store
from topicspider.store.outbox import Outbox
from topicspider.store.writer import StoreWriter

STALL_SECONDS = 0.05
TRIES = 4  # a busy machine stalls every loop now and then; what we do wrong, it does each time
PAGES = 120
_TICK_SECONDS = 0.005


@pytest.mark.parametrize(("how", "back"), [("pause", "resume"), ("kill", "start")])
def test_the_loop_does_not_stall_while_mysql_is_away(
    mysql_server: MysqlServer, tmp_path: Path, how: str, back: str
) -> None:
    with fresh_database(mysql_server.url) as url:
        longest = []
        for number in range(TRIES):
            store = open_store(url, Path(), connect_wait=0, answer_seconds=0.5)
            writer = StoreWriter(store, batch=20, outbox=Outbox(tmp_path / f"{number}.db"))
            try:
                longest.append(
                    asyncio.run(_outage(writer, getattr(mysql_server, how), getattr(mysql_server, back), number))
                )
            finally:
                assert writer.close() == 0
                assert writer.in_outbox == 0
                store.close()
            rows = run_sql(url, "SELECT COUNT(*), COUNT(DISTINCT url_hash) FROM pages")[0]
            assert rows == ((number + 1) * PAGES,) * 2
            if longest[-1] < STALL_SECONDS:
                return
        assert min(longest) < STALL_SECONDS


async def _outage(writer: StoreWriter, leave: Callable[[], None], come_back: Callable[[], None], run: int) -> float:
    """Submit pages as a crawl does, the middle third of them while the server is away; the longest stall of the loop."""
    lags: list[float] = []
    timer = asyncio.create_task(_timer(lags))
    for number in range(PAGES):
        if number == PAGES // 3:
            await asyncio.to_thread(leave)
        if number == 2 * PAGES // 3:
            await asyncio.to_thread(come_back)
        row = page(f"http://{run}.example/{number}", body=f"漓江{number}" * 2000)
        await asyncio.wait_for(asyncio.wrap_future(writer.submit(pages=[row])), 20)
    timer.cancel()
    return max(lags)


async def _timer(lags: list[float]) -> None:
    while True:
        due = time.perf_counter() + _TICK_SECONDS
        await asyncio.sleep(_TICK_SECONDS)
        lags.append(time.perf_counter() - due)
