"""One at a time at each host."""

from __future__ import annotations

import asyncio

import pytest

from topicspider.politeness.host_clock import HostLocks


def test_turns_of_a_host_never_overlap_and_keep_their_order() -> None:
    log: list[str] = []

    async def visit(turns: HostLocks, name: str) -> None:
        await turns.acquire("a:80")
        log.append(f"+{name}")
        await asyncio.sleep(0)
        log.append(f"-{name}")
        turns.release("a:80")

    async def play() -> None:
        turns = HostLocks()
        await asyncio.gather(*(visit(turns, name) for name in "xyz"))
        assert not turns.is_busy("a:80")

    asyncio.run(play())
    assert log == ["+x", "-x", "+y", "-y", "+z", "-z"]


@pytest.mark.parametrize("is_first", [True, False], ids=["while it waits", "as it gets the turn"])
def test_one_that_is_cancelled_passes_the_turn_on(is_first: bool) -> None:
    async def play() -> tuple[bool, bool]:
        turns = HostLocks()
        await turns.acquire("a:80")
        second, third = (asyncio.ensure_future(turns.acquire("a:80")) for _ in range(2))
        await asyncio.sleep(0)
        if is_first:
            second.cancel()
        turns.release("a:80")
        second.cancel()
        await asyncio.wait_for(third, 5)
        return second.cancelled(), turns.is_busy("a:80")

    assert asyncio.run(play()) == (True, True)
