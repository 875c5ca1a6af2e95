"""All downloads of a crawl that are under way, so that they can be broken off together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Self
from weakref import WeakKeyDictionary

_OF_CRAWLERS: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


class BrokenOff(Exception):
    """The download was broken off, or not begun, because the crawl has to end."""


class Downloads:
    """``is_over``: they were broken off, and none is begun any more."""

    def __init__(self) -> None:
        self._limits: set[asyncio.Timeout] = set()
        self.is_over = False

    @classmethod
    def of(cls, crawler: Any) -> Self:
        """Those of ``crawler``: the same for all who ask."""
        found: Self = _OF_CRAWLERS.setdefault(crawler, cls())
        return found

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """A download, in a task; raises BrokenOff when it is not to go on."""
        if self.is_over:
            raise BrokenOff
        limit = asyncio.timeout(None)
        try:
            async with limit:
                self._limits.add(limit)
                yield
        except TimeoutError:
            if limit.expired():
                raise BrokenOff from None
            raise
        finally:
            self._limits.discard(limit)

    def break_off(self) -> int:
        """End those that are under way; returns how many. Their connections are closed."""
        self.is_over = True
        now = asyncio.get_running_loop().time()
        for limit in self._limits:
            limit.reschedule(now)
        return len(self._limits)
