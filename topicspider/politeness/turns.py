"""Lets one request at a time at each host, in the order they came."""

from __future__ import annotations

import asyncio
from collections import deque


class Turns:
    """A queue at each host that is busy; hosts without a request cost nothing.

    1. Between ``take`` and ``give`` nobody else has the host's turn.
    2. Waiting requests get it in the order they asked.
    3. One that was cancelled while it waited passes the turn on.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def take(self, host: str) -> None:
        """Wait for the host's turn."""
        queue = self._waiting.get(host)
        if queue is None:
            self._waiting[host] = deque()
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        queue.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self.give(host)
            raise

    def give(self, host: str) -> None:
        """The host's turn is over."""
        queue = self._waiting.get(host)
        while queue:
            turn = queue.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._waiting.pop(host, None)

    def is_busy(self, host: str) -> bool:
        """True when somebody has the host's turn."""
        return host in self._waiting
