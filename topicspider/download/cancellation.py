"""All downloads of a crawl that are under way, so that they can be broken off, together or those of some hosts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Self
from weakref import WeakKeyDictionary

_OF_CRAWLERS: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


class DownloadCancelled(Exception):
    """The download was broken off, or not begun: the crawl has to end, or its host may be another's by now."""


class Downloads:
    """``is_over``: all were broken off, and none is begun any more. ``is_lost``: none is begun from such a host."""

    def __init__(self) -> None:
        self._limits: dict[asyncio.Timeout, str] = {}  # with their hosts
        self.is_over = False
        self.let_all_begin()

    @classmethod
    def of(cls, crawler: Any) -> Self:
        """Those of ``crawler``: the same for all who ask."""
        found: Self = _OF_CRAWLERS.setdefault(crawler, cls())
        return found

    def let_all_begin(self) -> None:
        """No host is lost, or nobody knows any more."""
        self.is_lost: Callable[[str], bool] = lambda _host: False

    def may_begin(self, host: str) -> bool:
        return not (self.is_over or self.is_lost(host))

    @asynccontextmanager
    async def one(self, host: str = "") -> AsyncIterator[None]:
        """A download from ``host``, in a task; raises DownloadCancelled when it is not to go on."""
        if not self.may_begin(host):
            raise DownloadCancelled
        limit = asyncio.timeout(None)
        try:
            async with limit:
                self._limits[limit] = host
                yield
        except TimeoutError:
            if limit.expired():
                raise DownloadCancelled from None
            raise
        finally:
            self._limits.pop(limit, None)

    def cancel_all(self) -> int:
        """End those that are under way; returns how many. Their connections are closed."""
        self.is_over = True
        return self.cancel_hosts(lambda _host: True)

    def cancel_hosts(self, is_lost: Callable[[str], bool]) -> int:
        """End those that are under way from hosts that are lost, and only them; returns how many."""
        now = asyncio.get_running_loop().time()
        lost = [limit for limit, host in self._limits.items() if is_lost(host)]
        for limit in lost:
            del self._limits[limit]  # once is enough, and a second time an error
            limit.reschedule(now)
        return len(lost)
